/** The queue of findings, each judged right or wrong by one key, and the record of each check. */

import { createSequence, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { attempt, fillSide, openTiles, showTiles, tell } from "./judging.js";
import { changeFinding } from "./state/findings.js";
import { createWishes } from "./state/wishes.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {Refused} from "./api.js" */
/** @import {Tile} from "./judging.js" */
/** @import {Judged} from "./types.js" */
/** @import {CheckRow, FindingRow, FindingsAnswer, FindingsState} from "./types.js" */

const SEVERITIES = ["error", "warning", "hint"];
const api = openApi(showStopped);
const words = texts.findings;
const inSequence = createSequence();
/** @type {ReturnType<typeof createWishes<number, Judged>>} */
const wishes = createWishes();

const query = new URLSearchParams(location.search);
const more = el("button", { class: "more", test: "more", on: { click: loadMore } });
const keys = [
  { words: words.right, key: "R", run: () => say("right"), kind: "ok", test: "right" },
  { words: words.wrong, key: "W", run: () => say("wrong"), kind: "bad", test: "wrong" },
  { words: words.undo, key: "U", run: takeBack, test: "undo" },
  { words: words.open, key: "O", run: () => openImage("/check"), test: "open" },
  { words: words.gold, key: "G", run: () => openImage("/gold"), test: "gold" },
];
const tiles = openTiles(
  /** @type {FindingsState} */ ({
    answer: { findings: [], next: null, checks: [], number: 0 },
    said: [],
    place: 0,
    filter: { check: query.get("check"), severity: query.get("severity") },
  }),
  { count: ({ answer }) => answer.findings.length, listKeys: () => keys },
);
const { get, set, at, goTo } = tiles;

byId("tiles").after(more);
tiles.subscribe(show);
await load();

/** Asked for behind the verdicts under way, which it would lack; an answer to an earlier filter is not shown. */
async function load() {
  const { filter } = get();
  await attempt(async () => {
    const answer = await inSequence(() => api.findings(filter));
    if (filter === get().filter) set({ answer, said: [], place: 0 });
  });
}

/**
 * Adds the page after the last row. The records of the checks stay as the last verdict told them, because
 * this answer may be older.
 */
async function loadMore() {
  const { answer: before, filter } = get();
  if (before.next === null) return;
  await attempt(async () => {
    const { findings, next } = await api.findings(filter, before.next);
    if (filter !== get().filter) return;
    const shown = get().answer.findings;
    const known = new Set(shown.map(({ id }) => id));
    update({ next, findings: [...shown, ...findings.filter(({ id }) => !known.has(id))] });
  });
}

/** @param {Partial<FindingsAnswer>} change */
function update(change) {
  set({ answer: { ...get().answer, ...change } });
}

/** The finding in front, if there is any. */
function current() {
  return get().answer.findings[at()];
}

/** @param {"right" | "wrong"} verdict */
function say(verdict) {
  const finding = current();
  if (!finding || finding.verdict === "fixed") return;
  set({ said: [...get().said, { id: finding.id, before: finding.verdict }], place: at() + 1 });
  if (at() >= get().answer.findings.length - 12) void loadMore();
  void judge(finding, verdict, words.said[verdict]);
}

function takeBack() {
  const { said, answer } = get();
  const last = said.at(-1);
  const place = answer.findings.findIndex(({ id }) => id === last?.id);
  if (!last || place < 0) return tell(words.nothingToTakeBack);
  set({ said: said.slice(0, -1), place });
  void judge(answer.findings[place], last.before, words.takenBack);
}

/**
 * Shows the verdict at once, and takes it back where the server refuses it.
 * @param {FindingRow} finding
 * @param {FindingRow["verdict"]} verdict
 * @param {string} done
 */
async function judge(finding, verdict, done) {
  wishes.begin(finding.id, finding);
  put(finding.id, { verdict });
  /** @param {Refused | null} refused */
  const undo = (refused) => {
    set({ said: get().said.filter(({ id }) => id !== finding.id) });
    const now = refused?.code === "stale" ? refused.head : undefined;
    end(finding.id, now);
    if (!now) return;
    learn(now.check);
    goTo(get().answer.findings.findIndex(({ id }) => id === finding.id));
    return words.meanwhile(finding, now);
  };
  const word = verdict === "fixed" ? null : verdict;
  const work = async () => {
    const newest = () => get().answer.findings.find(({ id }) => id === finding.id) ?? finding;
    const judged = await inSequence(() => api.judgeFinding(finding.id, word, newest().version));
    end(finding.id, judged);
    learn(judged.check);
    tell(done);
  };
  await attempt(work, undo);
}

/**
 * Shows what the server has once nothing later is under way; until then, the next verdict is of its version.
 * @param {number} id
 * @param {Judged} [now] what the server has since this verdict, or undefined where it failed
 */
function end(id, now) {
  const shown = wishes.end(id, now);
  if (shown) put(id, shown);
  else if (now) put(id, { version: now.version });
}

/** @param {number} id @param {Partial<Judged>} change */
function put(id, change) {
  update({ findings: changeFinding(get().answer.findings, id, change) });
}

/** @param {CheckRow} check */
function learn(check) {
  update({ checks: get().answer.checks.map((row) => (row.name === check.name ? check : row)) });
}

/** Leaves once all verdicts are sent: those on their way would be lost with this page. @param {string} page */
function openImage(page) {
  const finding = current();
  if (!finding?.image_id) return;
  const back = encodeURIComponent(location.pathname + location.search);
  void inSequence(async () => location.assign(`${page}?image=${finding.image_id}&back=${back}`));
}

/** @param {CheckRow} check */
function turn(check) {
  const { answer } = get();
  const off = answer.checks.filter((check) => !check.is_on).map(({ name }) => name);
  const next = check.is_on ? [...off, check.name] : off.filter((name) => name !== check.name);
  const work = async () => {
    await api.switchChecks(answer.number, next);
    await load();
    tell((check.is_on ? words.turnedOff : words.turnedOn)(check.display));
  };
  void attempt(work, () => {
    set({}); // the box as the server has it, also where it cannot be asked
    void load();
  });
}

/** @param {FindingsState} state */
function show({ answer, filter }) {
  const count = (/** @type {CheckRow} */ check) => countOpen([check], filter.severity);
  const checks = answer.checks.toSorted((first, second) => count(second) - count(first));
  fillSide(
    words,
    checks.map((check) => makeCheck(check, check.name === filter.check, count(check))),
  );
  showFacts(answer, filter);
  const isFiltered = filter.check !== null || filter.severity !== null;
  showTiles(answer.findings.map(makeTile), {
    onPick: goTo,
    empty: isFiltered ? words.noneHere : words.none,
    keys,
  });
  more.hidden = answer.next === null;
  more.textContent = words.more(answer.findings.length);
}

/**
 * @param {FindingRow} found
 * @param {number} place
 * @returns {Tile}
 */
function makeTile({ id, verdict, severity, message, picture_url }, place) {
  return {
    key: String(id),
    picture: picture_url,
    words: message,
    mark: verdict
      ? { text: words.said[verdict], kind: verdict }
      : { text: words.severity[severity], kind: severity },
    kind: verdict ? "judged" : "",
    isCurrent: place === at(),
  };
}

/**
 * How many findings of these checks are open, of one severity or of all.
 * @param {readonly CheckRow[]} checks
 * @param {string | null} severity
 */
function countOpen(checks, severity) {
  const counts = checks.flatMap(({ open }) => (severity === null ? Object.values(open) : [open[severity]]));
  return counts.reduce((sum, count) => sum + (count ?? 0), 0);
}

/**
 * @param {FindingsAnswer} answer
 * @param {FindingsState["filter"]} filter
 */
function showFacts(answer, filter) {
  const listed = answer.checks.filter(({ name, is_on }) =>
    filter.check === null ? is_on : name === filter.check,
  );
  const buttons = [null, ...SEVERITIES].map((severity) => {
    const text = severity ? `${words.severity[severity]} ${countOpen(listed, severity)}` : words.all;
    const aria = { pressed: String(filter.severity === severity) };
    const click = () => choose({ severity });
    return el("button", { class: "on", test: `severity-${severity ?? "all"}`, text, aria, on: { click } });
  });
  byId("facts").replaceChildren(...buttons);
}

/** @param {Partial<FindingsState["filter"]>} change */
function choose(change) {
  const filter = { ...get().filter, ...change };
  set({ filter });
  const kept = Object.entries(filter).flatMap(([name, word]) => (word === null ? [] : [[name, word]]));
  const asked = String(new URLSearchParams(kept));
  history.replaceState(null, "", asked ? `/findings?${asked}` : "/findings");
  void load();
}

/**
 * @param {CheckRow} check
 * @param {boolean} isChosen
 * @param {number} open
 */
function makeCheck(check, isChosen, open) {
  const { name, display, is_on, explanation } = check;
  const label = `${words.switch}: ${display}`;
  const kind = { type: "checkbox", checked: is_on, test: `switch-${name}`, title: words.switch };
  const box = el("input", { ...kind, aria: { label }, on: { change: () => turn(check) } });
  const aria = /** @type {Record<string, string>} */ (isChosen ? { current: "true" } : {});
  const click = () => choose({ check: isChosen ? null : name });
  const said = [
    el("span", { class: "name", text: display }),
    el("span", { class: "quiet", text: words.precision(check) }),
  ];
  const number = el("span", { class: "number", text: String(open) });
  const looks = { title: explanation, test: `check-${name}`, aria, on: { click } };
  const button = el("button", looks, el("span", { class: "check" }, ...said), number);
  return el("li", { class: is_on ? "" : "off" }, box, button);
}
