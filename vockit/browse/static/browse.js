/** Keys of the pages of `vocparty browse`. */

/** @type {Record<string, string>} */
const LINK_OF_KEY = { ArrowLeft: "prev", ArrowRight: "next", Escape: "up" };
/** @type {Record<string, string>} */
const SWITCH_OF_KEY = { b: "no-boxes", l: "no-labels" };
const MASKS = ["masks-object", "masks-class"];
const STORE = "vocparty.browse.";

/**
 * The choice stays for the tab, from image to image.
 *
 * @param {string} name
 * @param {boolean} [isOn]
 */
function flip(name, isOn) {
  const now = document.body.classList.toggle(name, isOn);
  sessionStorage.setItem(STORE + name, now ? "1" : "");
}

/** None, that of objects, that of classes, none, as far as the image has them. */
function stepMasks() {
  const names = MASKS.filter((name) => document.querySelector(`.mask.${name.replace("masks-", "")}`));
  const shown = names.findIndex((name) => document.body.classList.contains(name));
  for (const name of MASKS) flip(name, name === names[shown + 1]);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = event.target;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
  const key = event.key.toLowerCase();
  const name = SWITCH_OF_KEY[key];
  if (name) flip(name);
  if (key === "m") stepMasks();
  const rel = LINK_OF_KEY[event.key];
  const link = rel && document.querySelector(`a[rel="${rel}"]`);
  if (link instanceof HTMLAnchorElement) link.click();
}

for (const name of [...Object.values(SWITCH_OF_KEY), ...MASKS]) {
  document.body.classList.toggle(name, Boolean(sessionStorage.getItem(STORE + name)));
}
for (const select of document.querySelectorAll("form.filters select")) {
  select.addEventListener("change", () => select.closest("form")?.requestSubmit());
}
document.addEventListener("keydown", onKey);
document.body.dataset.ready = "true"; // the keys are heard
