/** The one menu of a row: what can be done with it. The browser closes it by Escape, a click elsewhere or another menu. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {{text: string, test: string, act: () => void}} MenuItem what is done closes the menu first */

const MARGIN_PX = 8;

/**
 * @param {string} name of the row
 * @param {readonly MenuItem[]} items
 */
export function makeRowMenu(name, items) {
  const menu = el("div", { class: "row-menu" });
  menu.popover = "auto";
  const buttons = items.map(({ text, test, act }) => {
    const click = () => {
      menu.hidePopover();
      act();
    };
    return el("button", { text, test, on: { click } });
  });
  menu.append(...buttons);
  const label = texts.rowMenu(name);
  const button = el("button", { class: "row-menu-button", text: "⋯", test: `menu:${name}`, aria: { label } });
  button.popoverTargetElement = menu;
  menu.addEventListener("toggle", () => place(button, menu));
  return el("span", {}, button, menu);
}

/**
 * Below the button, or above it where there is no room; menus lie above everything, so no table cuts them off.
 * @param {HTMLElement} button
 * @param {HTMLElement} menu
 */
function place(button, menu) {
  if (!menu.matches(":popover-open")) return;
  const at = button.getBoundingClientRect();
  const hasRoom = at.bottom + menu.offsetHeight + MARGIN_PX <= innerHeight;
  const top = hasRoom ? at.bottom : Math.max(at.top - menu.offsetHeight, 0);
  const left = Math.max(at.right - menu.offsetWidth, MARGIN_PX);
  Object.assign(menu.style, { top: `${top + scrollY}px`, left: `${left + scrollX}px` });
  menu.querySelector("button")?.focus(); // not before, or the page would scroll to where the menu is not yet
}
