/** The groups of an organiser's menu close by Escape, and by a click or the focus elsewhere. */

for (const kind of ["keydown", "pointerdown", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const open = document.querySelector(".top details[open]");
    if (!(open instanceof HTMLDetailsElement)) return;
    const isInside = open.contains(/** @type {Node} */ (event.target));
    const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
    if (event instanceof KeyboardEvent ? !isEscape : isInside) return;
    open.open = false;
    if (isInside) open.querySelector("summary")?.focus();
  });
}
