/** A person's own work: what was fixed or returned, how they did over time, remarks to them. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./texts.js";
import { el, makeTable } from "./view/dom.js";
import { listChanges, overlay } from "./view/image_card.js";
import { dayAndClock } from "./view/words.js";

/** @import {Feedback, Outcome} from "./types.js" */

const words = texts.ownWork;
const api = openApi(showStopped);
const party = await api.party();
const { display } = nameClasses(party);
const lead = el("p", { class: "quiet", text: words.lead });
const { place, fill, say, attempt } = openFrame("feedback", { ...texts.history, title: words.title }, lead);
const list = el("div", { test: "outcomes" });
const older = el("button", { text: words.older, hidden: true, test: "older" });
const aside = el("aside", {});

fill(
  el(
    "div",
    { class: "gold-columns" },
    el("section", {}, el("h2", { text: words.outcomes }), list, older),
    aside,
  ),
);
await load(null);
place.dataset.ready = "true";

/** @param {number | null} before where the page before ended */
async function load(before) {
  await attempt(async () => {
    const answer = await api.feedback(before);
    if (before === null) aside.replaceChildren(showWeeks(answer), showRemarks(answer));
    list.append(...answer.outcomes.map(makeOutcome));
    if (list.childElementCount === 0)
      list.append(el("p", { class: "quiet", text: words.none, test: "empty" }));
    older.hidden = answer.next === null;
    older.onclick = () => void load(answer.next);
    say("");
  });
}

/** @param {Outcome} outcome */
function makeOutcome(outcome) {
  const comments = outcome.comments.map(({ class: name, text }) =>
    el("p", { text: name ? `${display(name)}: ${text}` : text }),
  );
  const about = [
    el("h3", { text: words.said(outcome.checker, outcome.verdict, outcome.image_id) }),
    el("p", { class: "quiet", text: dayAndClock(outcome.reviewed_at) }),
    outcome.comment ? el("p", { text: outcome.comment }) : null,
    ...comments,
    outcome.after_id === null
      ? el("p", { class: "waits", text: words.waiting })
      : listChanges(outcome.changes, party),
    el("a", { href: `/history?image=${outcome.image_id}`, text: words.all, test: "all" }),
  ];
  const picture = overlay(outcome, outcome.changes, outcome.same, display);
  return el(
    "article",
    { class: "card settle", test: `outcome:${outcome.review_id}` },
    picture,
    el("div", {}, ...about),
  );
}

/** @param {Feedback} answer */
function showWeeks({ weeks }) {
  const rows = weeks.toReversed().map((week) => {
    const shares = [words.share(week.accepted, week.judged), words.share(week.gold_found, week.gold_objects)];
    return el(
      "tr",
      { test: `week:${week.week}` },
      el("th", { text: week.week }),
      ...shares.map((text) => el("td", { text })),
    );
  });
  const table = makeTable("", words.columns, el("tbody", {}, ...rows));
  const body = rows.length > 0 ? table : el("p", { class: "quiet", text: words.noWeeks });
  return el("section", { class: "card" }, el("h2", { text: words.weeks }), body);
}

/** @param {Feedback} answer */
function showRemarks({ remarks }) {
  const lines = remarks.map((remark) => {
    const text = el("p", {}, el("b", { text: words.from(remark.from) }), remark.text);
    const link = el("a", {
      class: "quiet",
      href: `/history?image=${remark.image_id}`,
      text: dayAndClock(remark.written_at),
    });
    return el("li", { test: `remark:${remark.id}` }, text, link);
  });
  const body = lines.length > 0 ? el("ul", {}, ...lines) : el("p", { class: "quiet", text: words.noRemarks });
  return el("section", { class: "card" }, el("h2", { text: words.remarks }), body);
}
