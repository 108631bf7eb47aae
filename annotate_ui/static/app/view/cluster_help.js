/** The keys of the page of near-duplicates. */

import { texts } from "../texts.js";
import { ask, choice, choices } from "./dialog.js";
import { el } from "./dom.js";

/** Shows the keys until closed. */
export function showClusterHelp() {
  const { help } = texts.clusters;
  const rows = help.keys.map(([keys, words]) =>
    el(
      "div",
      {},
      el("dt", {}, ...keys.split(" ").map((key) => el("kbd", { text: key }))),
      el("dd", { text: words }),
    ),
  );
  const asking = ask({ test: "help-dialog", title: help.title, otherwise: true }, (close) => [
    el("dl", { class: "keys" }, ...rows),
    choices(choice(help.close, () => close(true), { isMain: true })),
  ]);
  asking.element.addEventListener("keydown", (event) => {
    if (event.key === "?") asking.close(true);
  });
}
