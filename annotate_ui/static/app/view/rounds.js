/** What was said of an image in earlier rounds of checking. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../types.js").Round} Round */

/**
 * One line for each verdict, with its comments below, each with the class that it speaks of.
 * @param {readonly Round[]} rounds
 * @param {(name: string) => string} display of a class
 */
export function listRounds(rounds, display) {
  const lines = rounds.map((round) => {
    const about = round.objects.map((one) => ({ text: one.comment, of: display(one.class) }));
    return el(
      "li",
      { data: { verdict: round.verdict } },
      el("b", { text: texts.rounds.said(round.checker, round.verdict) }),
      ...(round.comment ? [el("p", { text: round.comment })] : []),
      ...about.map(({ text, of }) => el("p", {}, el("span", { class: "quiet", text: `${of}: ` }), text || "✗")),
    );
  });
  return el("ol", { class: "rounds", test: "rounds" }, ...lines);
}
