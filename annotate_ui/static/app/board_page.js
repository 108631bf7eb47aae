/** The organiser's board: asks every few seconds; numbers on top, plots, people, jobs and what can be set. */

import { createNewest, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { grouped, percent } from "./state/board.js";
import { hasMany } from "./state/recent.js";
import { texts } from "./organising_texts.js";
import { mountPeopleTable } from "./view/board_people.js";
import { mountCampaigns, mountShares, mountSteer, mountStuck } from "./view/board_settings.js";
import { askSure } from "./view/dialog.js";
import { makeClassSearch } from "./view/class_search.js";
import { byId, el, fillOnce, imagesLink } from "./view/dom.js";
import { listSuggestions } from "./view/board_suggestions.js";
import { listPresence, listVerification } from "./view/board_verifying.js";
import { sayTakenBack } from "./view/presence_answers.js";
import { drawAgreement, drawClasses, drawProgress, drawSeconds } from "./view/plots.js";
import { clock, clockSecs, zone } from "./view/words.js";

/** @import {Agreement, Board, ClassProgress, Verifier} from "./state/types.js" */

const EVERY_SECS = 4;
const AGREEMENT_EVERY_MS = 60_000;

/** The way of an image from left to right; each number with the states that it adds up. */
const STEPS = /** @type {const} */ ([
  ["pool", ["pool"]],
  ["leased", ["annotating", "checking"]],
  ["annotated", ["annotated"]],
  ["returned", ["returned"]],
  ["checked", ["checked"]],
  ["released", ["released"]],
  ["discarded", ["discarded"]],
]);

/** The states of images of which the objects are counted. */
const DONE = ["annotated", "checking", "returned", "checked", "released"];

/** Findings on released images are counted apart. */
const OPEN = "annotating,annotated,checking,returned,checked";
const SEVERITIES = ["error", "warning", "hint"];

const words = texts.board;
const api = openApi(showStopped);
const live = el("p", { class: "live", test: "live" });
const { fill, attempt, act, follow, say } = openFrame("board", words, live);
const steps = el("ul", { class: "steps", aria: { label: words.images } });
const people = mountPeopleTable((hold, name) =>
  act(() => api.takeBack(hold), words.takenBack(hold.image_id, name)),
);
const campaigns = mountCampaigns(({ id, name }) =>
  act(() => api.endCampaign(id), words.campaigns.ended(name)),
);
const stuck = mountStuck((id, state) => act(() => api.settle(id, state), words.stuck.settled(id)));
const shares = mountShares((wanted) =>
  act(() => api.saveShares(wanted).finally(shares.forget), words.sharesSaved),
);
const steer = mountSteer((change) =>
  act(async () => api.saveQueue(change(await api.queue())), words.planSaved),
);
const [classes, hours, reasons, seconds, agreement, suggestions, verifying, jobs, ways, presence] =
  Array.from({ length: 10 }, () => el("div"));
/** The newest answers, shown again when a class is searched. @type {{board: Board | null, agreement: Agreement | null}} */
const newest = { board: null, agreement: null };
const again = () => {
  if (newest.board) showClasses(newest.board);
  if (newest.agreement) showAgreed(newest.agreement);
};
const [classSearch, secondsSearch, agreementSearch] = Array.from({ length: 3 }, () =>
  makeClassSearch({ onInput: again }),
);
const suggestionCard = card(null, words.suggestions.title, [suggestions], words.suggestions.note);
suggestionCard.hidden = true;
const verifyingCard = card(null, words.verifying.title, [verifying], words.verifying.note, "wide");
verifyingCard.hidden = true;
const presenceCard = card(null, words.presence.title, [presence], words.presence.note, "wide");
presenceCard.hidden = byId("board").dataset.asks !== "questions";
const cards = [
  stuck.element,
  campaigns.element,
  card("classes", words.plots.classes, [classSearch.element, classes], words.classesNote),
  el(
    "div",
    { class: "stack" },
    card("progress", words.plots.hours, [hours]),
    card("images", words.discardedTitle, [reasons]),
  ),
  card("people", words.people, [people.element], words.peopleNote, "wide"),
  card("seconds", words.plots.seconds, [secondsSearch.element, seconds], words.secondsNote),
  card("agreement", words.plots.agreement, [agreementSearch.element, agreement], words.agreementNote),
  suggestionCard,
  verifyingCard,
  presenceCard,
  card(null, words.jobsTitle, [jobs], `${words.jobsNote} ${texts.countsAge}`),
  card(null, words.steerTitle, [shares.element, steer.element, ways]),
];
const newestAgreement = createNewest();
const newestPresence = createNewest();
const askAgreement = () =>
  attempt(async () => {
    await updateAgreement();
    if (!presenceCard.hidden) await showPresence();
  });

fill(steps, el("div", { class: "cards" }, ...cards));
await follow(() => api.board(zone), show, EVERY_SECS);
await askAgreement();
setInterval(() => document.hidden || void askAgreement(), AGREEMENT_EVERY_MS);

/** @param {Board} board */
function show(board) {
  const { progress } = board;
  live.textContent = [words.live(clockSecs(board.at), board.per_hour), ...sayEnds(board)].join(" · ");
  steps.replaceChildren(...STEPS.map(([name, states]) => step(board, name, states)));
  reasons.replaceChildren(listReasons(board));
  const drawn = () => [drawProgress(progress, board.at), quiet(words.bins(progress.bin_secs, progress.zone))];
  hours.replaceChildren(...(progress.bins.length ? drawn() : [quiet(words.nothingYet)]));
  newest.board = board;
  showClasses(board);
  jobs.replaceChildren(...listJobs(board));
  people.show(board);
  campaigns.show(board.campaigns);
  stuck.show(board.stuck);
  shares.show(board.shares);
  steer.show(board);
  fillOnce(ways, board.findings, () => listWays(board.findings));
}

/** Of many classes those that lack most of their target come first. @param {Board} board */
function showClasses(board) {
  const done = (/** @type {ClassProgress} */ { images, target }) => (target > 0 ? images / target : Infinity);
  const ordered = hasMany(board)
    ? board.classes.toSorted((first, second) => done(first) - done(second) || second.images - first.images)
    : board.classes;
  const sayOf = (/** @type {ClassProgress} */ progress) => sayForecast(progress, board);
  classes.replaceChildren(drawClasses(classSearch.pick(ordered), sayOf));
  const timed = secondsSearch.pick(board.class_secs.map((row) => ({ ...wordsOf(row.class), ...row })));
  seconds.replaceChildren(board.class_secs.length ? drawSeconds(timed) : quiet(words.nothingYet));
}

/** The name and the synonyms by which people search for a class. @param {string} id */
function wordsOf(id) {
  const spec = newest.board?.classes.find((spec) => spec.id === id);
  return spec && { name: spec.name, synonyms: spec.synonyms };
}

/** @param {Agreement} answer */
function showAgreed(answer) {
  const has = answer.cells.length > 0;
  agreement.replaceChildren(
    ...(has ? [drawAgreement(answer), listClasses(answer)] : [quiet(words.nobodyTwice)]),
  );
}

/** An answer that a later request overtook is not shown. */
async function updateAgreement() {
  const answer = await newestAgreement(api.agreement);
  if (answer) showAgreement(answer);
}

/** @param {Agreement} answer */
function showAgreement(answer) {
  people.showAgreement(answer);
  newest.agreement = answer;
  showAgreed(answer);
  suggestionCard.hidden = answer.suggestions === null;
  if (answer.suggestions) suggestions.replaceChildren(...listSuggestions(answer.suggestions));
  verifyingCard.hidden = answer.verification === null;
  if (answer.verification) {
    verifying.replaceChildren(...listVerification(answer.verification, (person) => void takeBack(person)));
  }
}

async function showPresence() {
  const status = await newestPresence(api.questionStatus);
  if (!status) return;
  presence.replaceChildren(...listPresence(status, (person) => void takePresenceBack(person)));
}

/** The same of a person's answers on the page Presence. @param {Verifier} person */
async function takePresenceBack({ id, name, version }) {
  if (!(await askSure(words.verifying.sure(name), words.presence.takeBack, [words.presence.then]))) return;
  await attempt(async () => {
    const taken = await api.takePersonsPresenceBack(id, version);
    await showPresence();
    say(sayTakenBack(taken));
  });
}

/** All answers of a person count no more, once the organiser says so. @param {Verifier} person */
async function takeBack({ id, name, version }) {
  const { sure, takeBack: yes, then, takenBack } = words.verifying;
  if (!(await askSure(sure(name), yes, [then]))) return;
  await attempt(async () => {
    const { undone, images } = await api.takeAnswersBack(id, version);
    await updateAgreement();
    say(takenBack(undone, images.join(", ")));
  });
}

/**
 * The data of a table can be fetched as CSV and JSON.
 * @param {string | null} table
 * @param {string} title
 * @param {HTMLElement[]} content
 * @param {string} [note]
 * @param {string} [kind]
 */
function card(table, title, content, note = "", kind = "") {
  const data = (/** @type {string} */ path, /** @type {string} */ text) =>
    el("a", { href: `/api/v1/board${path}?${new URLSearchParams({ zone })}`, text });
  const links = table && [
    data(`/${table}.csv`, "CSV"),
    data(table === "agreement" ? "/agreement" : "", "JSON"),
  ];
  const head = el("header", {}, el("h2", { text: title }), links && el("span", { class: "data" }, ...links));
  return el(
    "section",
    { class: `card ${kind}`, data: { card: table ?? "" } },
    head,
    ...content,
    note ? quiet(note) : null,
  );
}

/**
 * @param {Board} board
 * @param {string} name
 * @param {readonly string[]} states
 */
function step({ images, holds }, name, states) {
  const count = states.reduce((sum, state) => sum + (images[state] ?? 0), 0);
  const reserved = holds.filter((hold) => !hold.is_opened).length;
  const [annotating, checking] = states.map((state) => images[state] ?? 0);
  const detail = name === "leased" ? words.leasedDetail(annotating - reserved, checking, reserved) : "";
  const link = imagesLink({ state: states.join() }, grouped(count), `step:${name}`);
  const title = el("span", { text: words.steps[name] ?? name });
  return el("li", { data: { step: name } }, link, title, el("small", { text: detail }));
}

/** @param {Board} board */
function listReasons({ discarded }) {
  if (discarded.length === 0) return quiet(words.nothingYet);
  const most = Math.max(...discarded.map((row) => row.images));
  const rows = discarded.map((row) => {
    const link = imagesLink({ state: "discarded", reason: row.reason }, grouped(row.images));
    return bar(el("span", { text: row.display }), row.images / most, link);
  });
  return el("ul", { class: "reasons" }, ...rows);
}

/** The classes on which people agree least come first. @param {Agreement} agreement */
function listClasses({ classes }) {
  const rows = agreementSearch
    .pick(
      classes
        .map((row) => ({ ...wordsOf(row.id), ...row }))
        .toSorted((first, second) => first.both.value - second.both.value),
    )
    .map(({ id, display, both }) =>
      bar(
        imagesLink({ class: id }, display),
        both.value,
        el("span", { text: percent(both), title: words.ofObjects(both.count) }),
      ),
    );
  return el("ul", { class: "reasons", test: "agreement-classes" }, ...rows);
}

/**
 * @param {HTMLElement} name
 * @param {number} share
 * @param {HTMLElement} value
 */
function bar(name, share, value) {
  const fill = el("span", { class: "bar-fill" });
  fill.style.width = `${share * 100}%`;
  return el("li", {}, name, el("span", { class: "bar" }, fill), value);
}

/** When all images will be annotated and checked at the present pace. @param {Board} board */
function sayEnds({ images, per_hour: drawn, checks_per_hour: checked }) {
  const count = (/** @type {string} */ states) =>
    states.split(" ").reduce((sum, state) => sum + (images[state] ?? 0), 0);
  const waiting = count("pool annotating returned");
  const unchecked = waiting + count("annotated checking");
  return [words.ends.annotated(waiting, waiting / drawn), words.ends.checked(unchecked, unchecked / checked)];
}

/**
 * How many images of the target there are, and in how many hours the rest: or why that is not known.
 * @type {(progress: ClassProgress, board: Board) => string}
 */
function sayForecast({ images, target, forecast }, board) {
  if (target === 0) return grouped(images);
  const count = `${grouped(images)} / ${grouped(target)}`;
  if (images >= target) return `${count}  ✓`;
  if (forecast.hours !== null) return `${count}  ${words.inHours(forecast.hours)}`;
  const done = DONE.reduce((sum, state) => sum + (board.images[state] ?? 0), 0);
  return `${count}  ${images === 0 && done > 0 ? words.noneIn(done) : words.noForecast}`;
}

/** @param {Board} board */
function listJobs({ at, images, jobs }) {
  const { photos } = jobs;
  const all = Object.values(photos).reduce((sum, value) => sum + value, 0);
  const gone = (photos["gone"] ?? 0) + (photos["broken"] ?? 0);
  const collecting = words.collecting(
    grouped(all),
    grouped(photos["fetched"] ?? 0),
    grouped(photos["found"] ?? 0),
    grouped(gone),
  );
  const deduping = /** @type {const} */ ([
    ["fetched", jobs.to_hash],
    ["hashed", jobs.to_compare],
    ["duplicate", jobs.duplicates],
  ]);
  return [
    el("h3", { text: words.collect }),
    showProgress(jobs.usable, jobs.target_images, words.collected),
    el("p", { text: jobs.imported === 0 ? collecting : `${collecting} ${words.imported(jobs.imported)}` }),
    el("p", {
      class: "quiet",
      text: words.lastSigns(words.ago(jobs.searched_at, at), words.ago(jobs.fetched_at, at), jobs.fetching),
    }),
    ...jobs.pauses.map((pause) =>
      el("p", { class: "warn", text: words.pause(pause.host, clock(pause.until)) }),
    ),
    el("h3", { text: words.dedup }),
    showProgress(jobs.images - jobs.to_hash - jobs.to_compare, jobs.images, words.compared),
    el(
      "p",
      {},
      ...deduping.flatMap(([state, number]) => [
        // With imported labels among them, they are not all in that state.
        number === (images[state] ?? 0) ? imagesLink({ state }, grouped(number)) : grouped(number),
        ` ${words.deduping[state]} `,
      ]),
    ),
    el("p", { class: "quiet", text: words.lastCompared(words.ago(jobs.compared_at, at)) }),
  ];
}

/**
 * @param {number} done
 * @param {number} all
 * @param {(done: string, all: string) => string} say
 */
function showProgress(done, all, say) {
  const label = say(grouped(done), grouped(all));
  const max = Math.max(all, 1);
  const bar = el("progress", { max, value: Math.min(done, max), aria: { label } });
  return el("p", { class: "progress" }, bar, el("b", { text: label }));
}

/** @param {Board["findings"]} findings */
function listWays(findings) {
  const open = SEVERITIES.filter((severity) => findings[severity]).flatMap((severity) => {
    const number = findings[severity];
    const link = imagesLink({ finding: severity, state: OPEN }, grouped(number), `open:${severity}`);
    return [" · ", link, ` ${words.openFindings(severity, number)}`];
  });
  return [
    el("p", {}, el("a", { href: "/queue", text: words.toQueue })),
    el("p", {}, el("a", { href: "/findings", text: words.findings }), ...open),
    el("p", {}, imagesLink({ state: "released", finding: "any" }, words.onReleased)),
  ];
}

/** @param {string} text */
function quiet(text) {
  return el("p", { class: "quiet", text });
}
