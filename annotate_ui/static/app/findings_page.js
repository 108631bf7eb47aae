/** The queue of findings: looked at one after the other, each judged right or wrong by one key. */

import { createApi, NoAnswer, Refused } from "./api.js";
import { chordOf } from "./state/chords.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { countColumns, fillKeys, makeEmpty, makeTile } from "./view/tiles.js";

/** @typedef {import("./types.js").FindingRow} FindingRow */
/** @typedef {import("./types.js").CheckRow} CheckRow */
/** @typedef {import("./types.js").FindingsAnswer} FindingsAnswer */

const SEVERITIES = ["error", "warning", "hint"];
const meta = document.querySelector("meta[name=csrf-token]");
const api = createApi(meta?.getAttribute("content") ?? "");
const words = texts.findings;

/** @type {FindingsAnswer} */
let answer = { findings: [], open: {}, checks: [], number: 0 };
let place = 0;
/** @type {{check: string | null, severity: string | null}} */
let filter = { check: null, severity: null };

/** @type {Readonly<Record<string, () => void>>} */
const KEYS = {
  r: () => judge("right"),
  w: () => judge("wrong"),
  o: openImage,
  ArrowRight: () => goTo(place + 1),
  ArrowLeft: () => goTo(place - 1),
  ArrowDown: () => goTo(place + countColumns(byId("tiles"))),
  ArrowUp: () => goTo(place - countColumns(byId("tiles"))),
};

document.addEventListener("keydown", (event) => {
  const command = KEYS[chordOf(event)];
  if (!command || event.repeat) return;
  event.preventDefault();
  command();
});
await load();

async function load() {
  await attempt(async () => {
    answer = await api.findings(filter);
    place = 0;
    show();
  });
}

/** @param {"right" | "wrong"} verdict */
function judge(verdict) {
  const found = answer.findings[place];
  if (!found) return;
  const at = place;
  const before = found.verdict;
  setVerdict(at, verdict);
  goTo(place + 1);
  void attempt(async () => {
    const { check } = await api.judgeFinding(found.id, verdict);
    const checks = answer.checks.map((one) => (one.name === check.name ? check : one));
    answer = { ...answer, checks };
    tell(words.said[verdict]);
    showSide();
  }, () => setVerdict(at, before));
}

/**
 * @param {number} at
 * @param {string | null} verdict
 */
function setVerdict(at, verdict) {
  const findings = answer.findings.map((one, other) => (other === at ? { ...one, verdict } : one));
  answer = { ...answer, findings };
  show();
}

function openImage() {
  const found = answer.findings[place];
  if (found?.image_id) location.assign(`/check?image=${found.image_id}`);
}

/** @param {number} to */
function goTo(to) {
  place = Math.min(Math.max(to, 0), Math.max(answer.findings.length - 1, 0));
  show();
}

/** @param {CheckRow} check */
function turn(check) {
  const off = answer.checks.filter((one) => !one.is_on).map(({ name }) => name);
  const next = check.is_on ? [...off, check.name] : off.filter((name) => name !== check.name);
  void attempt(async () => {
    await api.switchChecks(answer.number, next);
    await load();
    tell(check.is_on ? words.turnedOff(check.name) : words.turnedOn(check.name));
  }, () => void load());
}

function show() {
  showSide();
  showFacts();
  const tiles = byId("tiles");
  const rows = answer.findings.map((found, at) => makeFinding(found, at));
  const isFiltered = filter.check !== null || filter.severity !== null;
  tiles.replaceChildren(...(rows.length ? rows : [makeEmpty(isFiltered ? words.noneHere : words.none)]));
  tiles.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  fillKeys(
    rows.length
      ? [
          { words: words.right, key: "R", run: () => judge("right"), kind: "ok", test: "right" },
          { words: words.wrong, key: "W", run: () => judge("wrong"), kind: "bad", test: "wrong" },
          { words: words.open, key: "O", run: openImage, test: "open" },
        ]
      : [],
  );
  document.body.dataset.screen = rows.length ? "work" : "empty";
}

/**
 * @param {FindingRow} found
 * @param {number} at
 */
function makeFinding(found, at) {
  const { verdict, severity } = found;
  const mark = verdict
    ? { text: words.said[/** @type {"right" | "wrong"} */ (verdict)], kind: verdict }
    : { text: severity, kind: severity };
  return makeTile({
    picture: found.picture_url,
    words: found.message,
    mark,
    kind: verdict ? "judged" : "",
    isCurrent: at === place,
    onClick: () => goTo(at),
  });
}

function showFacts() {
  const buttons = [null, ...SEVERITIES].map((severity) =>
    el("button", {
      type: "button",
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
  byId("side").replaceChildren(
    el("h1", { text: words.title }),
    el("p", { class: "quiet", text: words.lead }),
    el("ul", {}, ...answer.checks.toSorted((one, other) => other.open - one.open).map(makeCheck)),
  );
}

/** @param {CheckRow} check */
function makeCheck(check) {
  const isChosen = filter.check === check.name;
  const box = el("input", { type: "checkbox", test: `switch-${check.name}`, on: { change: () => turn(check) } });
  box.checked = check.is_on;
  box.title = words.switch;
  box.setAttribute("aria-label", `${words.switch}: ${check.name}`);
  const button = el(
    "button",
    {
      type: "button",
      title: check.explanation,
      test: `check-${check.name}`,
      aria: isChosen ? { current: "true" } : {},
      on: { click: () => choose({ check: isChosen ? null : check.name }) },
    },
    el(
      "span",
      { class: "check" },
      el("span", { class: "name", text: check.name.replaceAll("_", " ") }),
      el("span", { class: "quiet", text: words.precision(check) }),
    ),
    el("span", { class: "number", text: String(check.open) }),
  );
  return el("li", { class: check.is_on ? "" : "off" }, box, button);
}

/** @param {Partial<typeof filter>} change */
function choose(change) {
  filter = { ...filter, ...change };
  void load();
}

/**
 * @param {() => Promise<void>} work
 * @param {() => void} [undo]
 */
async function attempt(work, undo) {
  try {
    await work();
  } catch (error) {
    undo?.();
    if (error instanceof Refused) tell(error.message);
    else if (error instanceof NoAnswer) tell(words.noAnswer);
    else throw error;
  }
}

/** @param {string} text */
function tell(text) {
  byId("said").textContent = text;
}
