/** A person's own work: what waits for them, what was fixed or returned, how they did, and comments to them. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./organising_texts.js";
import { el, makeTable } from "./view/dom.js";
import { makeEmpty, wayTo } from "./view/empty.js";
import { listChanges, sideBySide } from "./view/image_card.js";
import { dayAndClock, sayMonday } from "./view/words.js";

/** @import {Feedback, Outcome} from "./types.js" */

const words = texts.ownWork;
const api = openApi(showStopped);
const party = await api.party();
const classes = nameClasses(party);
const correct = el("a", { class: "button main", href: "/annotate", hidden: true, test: "correct-all" });
const { place, fill, say, attempt } = openFrame(
  "feedback",
  { ...texts.history, title: words.title },
  correct,
);
const standing = el("div", { class: "own-standing" });
const list = el("section", { test: "outcomes", aria: { label: words.outcomes } });
const older = el("button", { text: words.older, hidden: true, test: "older" });

fill(standing, list, older);
await load(null);
place.dataset.ready = "true";

/** @param {number | null} before where the page before ended */
async function load(before) {
  let next = before;
  older.onclick = null; // pressed again before the answer, it would list the same twice
  await attempt(async () => {
    const answer = await api.feedback(before);
    if (before === null) showStanding(answer);
    list.append(...answer.outcomes.map(makeOutcome));
    if (list.childElementCount === 0)
      list.append(makeEmpty("work", words.none, wayTo(words.begin, "/annotate")));
    next = answer.next;
    older.hidden = next === null;
    say("");
  });
  older.onclick = () => void load(next);
}

/** @param {Feedback} answer */
function showStanding(answer) {
  correct.hidden = answer.returned === 0;
  correct.textContent = words.correctAll(answer.returned);
  standing.replaceChildren(showWeeks(answer), showRemarks(answer));
}

/** @param {Outcome} outcome */
function makeOutcome(outcome) {
  const { image_id: id, verdict, checker, after_id, may_correct, changes, same } = outcome;
  const marked = new Set([...outcome.rejected, ...outcome.comments.map(({ key }) => key)]);
  const after = after_id === null ? null : (words.now[verdict]?.(checker) ?? "");
  const captions = { before: words.drawn, after };
  const pictures = sideBySide(outcome, { changes, same, marked }, classes, captions);
  const comments = outcome.comments.map(({ class: name, text }) =>
    el(
      "p",
      { class: "typed" },
      name ? el("span", { class: "quiet", text: `${classes.display(name)}: ` }) : null,
      text,
    ),
  );
  const open = {
    class: "button main",
    href: `/annotate?image=${id}`,
    text: words.correct,
    test: `correct:${id}`,
  };
  const about = [
    el(
      "p",
      { class: "facts" },
      el("b", { class: `tag ${verdict}`, text: texts.history.said(checker, verdict) }),
      el("span", { text: dayAndClock(outcome.reviewed_at) }),
    ),
    el("h2", { text: words.image(id) }),
    outcome.comment ? el("blockquote", { class: "typed", text: outcome.comment }) : null,
    ...comments,
    after === null ? null : showChanges(outcome),
    el(
      "p",
      { class: "acts" },
      may_correct ? el("a", open) : null,
      el("a", { href: `/history?image=${id}`, text: words.all, test: "all" }),
    ),
  ];
  const looks = { class: "card case", test: `outcome:${outcome.review_id}`, data: { verdict } };
  return el("article", looks, pictures, el("div", { class: "told" }, ...about));
}

/** What the image became, or that its author changed nothing. @param {Outcome} outcome */
function showChanges({ verdict, changes }) {
  const isSame = verdict === "returned" && changes.length === 0;
  return isSame ? el("p", { text: words.unchanged }) : listChanges(changes, party);
}

/** The newest week in a line; all of them below. @param {Feedback} answer */
function showWeeks({ weeks }) {
  const newest = weeks.findLast(({ judged }) => judged > 0) ?? weeks.at(-1);
  if (!newest) return el("p", { class: "card quiet", text: words.noWeeks });
  const rows = weeks.toReversed().map((week) => {
    const shares = [words.share(week.accepted, week.judged), words.share(week.gold_found, week.gold_objects)];
    return el(
      "tr",
      { test: `week:${week.week}` },
      el("th", { text: words.weekOf(sayMonday(week.week)) }),
      ...shares.map((text) => el("td", { text })),
    );
  });
  const line = `${words.columns[1]}: ${words.share(newest.accepted, newest.judged)}`;
  return el(
    "details",
    { class: "card" },
    el("summary", {}, `${words.weeks} `, el("span", { class: "quiet", text: line })),
    makeTable("", words.columns, el("tbody", {}, ...rows)),
  );
}

/** @param {Feedback} answer */
function showRemarks({ remarks }) {
  if (remarks.length === 0) return el("p", { class: "card quiet", text: words.noRemarks });
  const lines = remarks.map((remark) => {
    const text = el("p", {}, el("b", { text: words.from(remark.from) }), remark.text);
    const link = el("a", {
      class: "quiet",
      href: `/history?image=${remark.image_id}`,
      text: `${words.image(remark.image_id)}, ${dayAndClock(remark.written_at)}`,
    });
    return el("li", { test: `remark:${remark.id}` }, text, link);
  });
  const [newest] = remarks;
  return el(
    "details",
    { class: "card" },
    el(
      "summary",
      {},
      `${words.remarks} (${remarks.length}) `,
      el("span", { class: "quiet", text: `${words.from(newest?.from ?? "")}${newest?.text ?? ""}` }),
    ),
    el("ul", {}, ...lines),
  );
}
