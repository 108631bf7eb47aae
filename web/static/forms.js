/** A form that the browser sends itself is sent once: pressed again before the answer, it would do the same thing twice. */

const AGAIN_AFTER_MS = 10_000;

/** When each form was sent last. @type {WeakMap<HTMLFormElement, number>} */
let sentAt = new WeakMap();

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  const now = performance.now();
  if (now - (sentAt.get(form) ?? -Infinity) < AGAIN_AFTER_MS) event.preventDefault();
  else sentAt.set(form, now);
});
// A page to which one comes back is a new one.
addEventListener("pageshow", () => (sentAt = new WeakMap()));
