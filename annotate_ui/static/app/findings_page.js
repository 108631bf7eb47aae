/** The queue of findings, each judged right or wrong by one key, and the record of each check. */

import { openApi } from "./api.js";
import { createTurns } from "./calls.js";
import { attempt, createFront, listenForKeys, showTiles, tell } from "./judging.js";
import { setVerdict } from "./state/findings.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";

/** @import {Tile} from "./judging.js" */
/** @import {CheckRow, FindingRow, FindingsAnswer} from "./types.js" */

/** @typedef {FindingRow["verdict"]} Verdict */

const SEVERITIES = ["error", "warning", "hint"];
const api = openApi();
const words = texts.findings;
const { noAnswer } = words;
const inTurn = createTurns();

/** @type {FindingsAnswer} */
let answer = { findings: [], next: null, open: {}, checks: [], number: 0 };
/** What was said in this sitting, the last one last. @type {{id: number, before: Verdict}[]} */
let said = [];
const query = new URLSearchParams(location.search);
/** @type {{check: string | null, severity: string | null}} */
let filter = { check: query.get("check"), severity: query.get("severity") };
const front = createFront({ count: () => answer.findings.length, show });
const more = el("button", { class: "more", test: "more", on: { click: () => void loadMore() } });

byId("tiles").after(more);
listenForKeys({
  r: () => say("right"),
  w: () => say("wrong"),
  u: takeBack,
  o: () => openImage("/check"),
  g: () => openImage("/gold"),
  ...front.keys,
});
await load();

/** What was asked for before another choice was made is not shown, however late it comes. */
async function load() {
  const asked = filter;
  await attempt(
    async () => {
      const found = await api.findings(asked);
      if (asked !== filter) return;
      answer = found;
      said = [];
      front.goTo(0);
    },
    { noAnswer },
  );
}

/**
 * The next page behind the last row that came, whatever was judged meanwhile: the records of the
 * checks stay as the verdicts told them, since the page may be older than the last verdict.
 */
async function loadMore() {
  if (answer.next === null) return;
  const asked = filter;
  await attempt(
    async () => {
      const { findings, next, open } = await api.findings(asked, answer.next);
      if (asked !== filter) return;
      const known = new Set(answer.findings.map(({ id }) => id));
      const fresh = findings.filter(({ id }) => !known.has(id));
      answer = { ...answer, open, next, findings: [...answer.findings, ...fresh] };
      show();
    },
    { noAnswer },
  );
}

/** @param {"right" | "wrong"} verdict */
function say(verdict) {
  const found = answer.findings[front.at()];
  if (!found || found.verdict === "mended") return;
  said.push({ id: found.id, before: found.verdict });
  front.goTo(front.at() + 1);
  if (front.at() >= answer.findings.length - 12) void loadMore();
  void judge(found, verdict, words.said[verdict]);
}

function takeBack() {
  const last = said.pop();
  const at = answer.findings.findIndex(({ id }) => id === last?.id);
  if (!last || at < 0) return tell(words.nothingToTakeBack);
  front.goTo(at);
  void judge(answer.findings[at], last.before, words.takenBack);
}

/**
 * Shown at once, and as it is where the server says otherwise.
 * @param {FindingRow} found
 * @param {Verdict} verdict
 * @param {string} done
 */
async function judge(found, verdict, done) {
  put(found.id, verdict);
  await attempt(
    async () => {
      const word = verdict === "mended" ? null : verdict;
      const { check } = await inTurn(() => api.judgeFinding(found.id, word, found.verdict));
      learn(check);
      tell(done);
    },
    {
      noAnswer,
      undo: (refused) => {
        said = said.filter(({ id }) => id !== found.id);
        if (refused?.code !== "stale") return put(found.id, found.verdict);
        put(found.id, refused.body.verdict);
        learn(refused.body.check);
        front.goTo(answer.findings.findIndex(({ id }) => id === found.id));
        return words.meanwhile(refused.body.by, refused.body.verdict);
      },
    },
  );
}

/** @param {number} id @param {Verdict} verdict */
function put(id, verdict) {
  const findings = /** @type {FindingRow[]} */ (setVerdict(answer.findings, id, verdict));
  answer = { ...answer, findings };
  show();
}

/** @param {CheckRow} check */
function learn(check) {
  answer = { ...answer, checks: answer.checks.map((one) => (one.name === check.name ? check : one)) };
  showSide();
}

/** Once all that was said is sent: what waits for its turn would be lost with this page. @param {string} page */
function openImage(page) {
  const found = answer.findings[front.at()];
  if (!found?.image_id) return;
  const back = encodeURIComponent(location.pathname + location.search);
  void inTurn(async () => location.assign(`${page}?image=${found.image_id}&back=${back}`));
}

/** @param {CheckRow} check */
function turn(check) {
  const off = answer.checks.filter((one) => !one.is_on).map(({ name }) => name);
  const next = check.is_on ? [...off, check.name] : off.filter((name) => name !== check.name);
  void attempt(
    async () => {
      await api.switchChecks(answer.number, next);
      await load();
      tell((check.is_on ? words.turnedOff : words.turnedOn)(words.name(check.name)));
    },
    { noAnswer, undo: () => void load() },
  );
}

function show() {
  showSide();
  showFacts();
  const isFiltered = filter.check !== null || filter.severity !== null;
  showTiles(answer.findings.map(makeTile), {
    onPick: front.goTo,
    empty: isFiltered ? words.noneHere : words.none,
    keys: [
      { words: words.right, key: "R", run: () => say("right"), kind: "ok", test: "right" },
      { words: words.wrong, key: "W", run: () => say("wrong"), kind: "bad", test: "wrong" },
      { words: words.undo, key: "U", run: takeBack, test: "undo" },
      { words: words.open, key: "O", run: () => openImage("/check"), test: "open" },
      { words: words.gold, key: "G", run: () => openImage("/gold"), test: "gold" },
    ],
  });
  more.hidden = answer.next === null;
  more.textContent = words.more(answer.findings.length);
}

/** @param {FindingRow} found @param {number} at @returns {Tile} */
function makeTile({ id, verdict, severity, message, picture_url }, at) {
  return {
    key: String(id),
    picture: picture_url,
    words: message,
    mark: verdict ? { text: words.said[verdict], kind: verdict } : { text: severity, kind: severity },
    kind: verdict ? "judged" : "",
    isCurrent: at === front.at(),
  };
}

function showFacts() {
  const buttons = [null, ...SEVERITIES].map((severity) =>
    el("button", {
      class: "on",
      test: `severity-${severity ?? "all"}`,
      text: severity ? `${severity} ${answer.open[severity] ?? 0}` : words.all,
      aria: { pressed: String(filter.severity === severity) },
      on: { click: () => choose({ severity }) },
    }),
  );
  byId("facts").replaceChildren(...buttons);
}

function showSide() {
  const onChoose = (/** @type {string | null} */ check) => choose({ check });
  fillSide(byId("side"), answer.checks, { chosen: filter.check, onChoose, onTurn: turn });
}

/** @param {Partial<typeof filter>} change */
function choose(change) {
  filter = { ...filter, ...change };
  const kept = Object.entries(filter).flatMap(([name, word]) => (word === null ? [] : [[name, word]]));
  const asked = String(new URLSearchParams(kept));
  history.replaceState(null, "", asked ? `/findings?${asked}` : "/findings");
  void load();
}

/**
 * @typedef {{chosen: string | null, onChoose: (check: string | null) => void,
 *   onTurn: (check: CheckRow) => void}} SideListener
 */

/** @param {HTMLElement} side @param {readonly CheckRow[]} checks @param {SideListener} listener */
function fillSide(side, checks, listener) {
  const sorted = checks.toSorted((one, other) => other.open - one.open);
  const top = side.scrollTop;
  side.replaceChildren(
    el("h1", { text: words.title }),
    el("p", { class: "quiet", text: words.lead }),
    el("ul", {}, ...sorted.map((check) => makeCheck(check, listener))),
  );
  side.scrollTop = top;
}

/** @param {CheckRow} check @param {SideListener} listener */
function makeCheck(check, { chosen, onChoose, onTurn }) {
  const isChosen = chosen === check.name;
  const box = el("input", {
    type: "checkbox",
    checked: check.is_on,
    test: `switch-${check.name}`,
    title: words.switch,
    aria: { label: `${words.switch}: ${words.name(check.name)}` },
    on: { change: () => onTurn(check) },
  });
  const button = el(
    "button",
    {
      title: check.explanation,
      test: `check-${check.name}`,
      aria: isChosen ? { current: "true" } : {},
      on: { click: () => onChoose(isChosen ? null : check.name) },
    },
    el(
      "span",
      { class: "check" },
      el("span", { class: "name", text: words.name(check.name) }),
      el("span", { class: "quiet", text: words.precision(check) }),
    ),
    el("span", { class: "number", text: String(check.open) }),
  );
  return el("li", { class: check.is_on ? "" : "off" }, box, button);
}
