/** The campaigns on the board: what is annotated again, how far it is, and how to end it. */

import { grouped } from "../state/board.js";
import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @import {Campaign} from "../state/board.js" */

/** Where images of a campaign stand, as they are told. */
const STAGES = ["done", "check", "annotate", "taken_down"];

/** @param {(campaign: Campaign) => void} onEnd */
export function mountCampaigns(onEnd) {
  const words = texts.board.campaigns;
  const list = el("ul", { class: "campaigns" });
  const element = el(
    "section",
    { class: "card wide", data: { card: "campaigns" }, hidden: true },
    el("header", {}, el("h2", { text: words.title })),
    list,
  );
  let shown = "";

  /** @param {Campaign} one */
  function describe(one) {
    const link = (/** @type {string} */ stage) =>
      el("a", {
        href: `/images?${new URLSearchParams({ campaign: stage ? `${one.name}/${stage}` : one.name })}`,
        text: grouped(stage ? (one.stages[stage] ?? 0) : one.images),
        test: `campaign:${one.name}:${stage || "all"}`,
      });
    const stages = STAGES.filter((stage) => stage === "done" || one.stages[stage]).map((stage) =>
      el("span", {}, link(stage), stage === "done" ? el("span", {}, ` ${words.of} `, link("")) : "", ` ${words.stages[stage]}`),
    );
    return el(
      "li",
      { test: `campaign:${one.name}` },
      el("p", {}, el("b", { text: one.name }), ...stages.flatMap((it) => [" · ", it]), " ", endButton(one)),
      el("p", { class: "quiet", text: words.asked(one.by, one.at.slice(0, 10), one.text) }),
    );
  }

  /** @param {Campaign} one */
  function endButton(one) {
    const ask = () => confirm(words.sure(one.name)) && onEnd(one);
    return el("button", { text: words.end, test: `end:${one.name}`, on: { click: ask } });
  }

  return {
    element,
    /** @param {Campaign[]} campaigns */
    show(campaigns) {
      const now = JSON.stringify(campaigns);
      if (now === shown) return; // a button stays under the pointer
      shown = now;
      element.hidden = campaigns.length === 0;
      list.replaceChildren(...campaigns.map(describe));
    },
  };
}
