/** Keys of the pages of `vocparty browse`: steps between images, boxes and labels on and off. */

/** @type {Record<string, string>} */
const LINK_OF_KEY = { ArrowLeft: "prev", ArrowRight: "next", Escape: "up" };
/** @type {Record<string, string>} */
const SWITCH_OF_KEY = { b: "no-boxes", l: "no-labels" };
const STORE = "vocparty.browse.";

/**
 * The choice stays for the tab, from image to image.
 *
 * @param {string} name
 */
function flip(name) {
  const isOn = document.body.classList.toggle(name);
  sessionStorage.setItem(STORE + name, isOn ? "1" : "");
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = event.target;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
  const name = SWITCH_OF_KEY[event.key.toLowerCase()];
  if (name) flip(name);
  const rel = LINK_OF_KEY[event.key];
  const link = rel && document.querySelector(`a[rel="${rel}"]`);
  if (link instanceof HTMLAnchorElement) link.click();
}

for (const name of Object.values(SWITCH_OF_KEY)) {
  document.body.classList.toggle(name, Boolean(sessionStorage.getItem(STORE + name)));
}
for (const select of document.querySelectorAll("form.filters select")) {
  select.addEventListener("change", () => select.closest("form")?.requestSubmit());
}
document.addEventListener("keydown", onKey);
