/** Boxes that lie on one another, pair by pair: one key says whether both are right or which one stays. */

import { createSequence, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { attempt, fillSide, openTiles, showTiles, tell } from "./judging.js";
import { texts } from "./texts.js";
import { listConfused } from "./view/confused.js";
import { byId, el } from "./view/dom.js";

/** @import {Tile} from "./judging.js" */
/** @import {Keep, KeyRow, PairRow, PairsState} from "./types.js" */

const LONGEST_MS = 60_000; // longer is a break
const CHECKS = ["same_class_overlap", "confusable_overlap", "other_class_overlap"];

const api = openApi(showStopped);
const words = texts.pairs;
const inSequence = createSequence();
const more = el("button", { class: "more", test: "more", on: { click: loadMore } });
const asked = new URLSearchParams(location.search).get("check");
/** When the current pair came in front of the person. */
let since = performance.now();

const tiles = openTiles(
  /** @type {PairsState} */ ({
    pairs: [],
    next: null,
    waiting: 0,
    elsewhere: 0,
    records: [],
    check: CHECKS.includes(asked ?? "") ? asked : null,
    said: [],
    place: 0,
  }),
  { count: ({ pairs }) => pairs.length, listKeys },
);
const { get, set, at, goTo } = tiles;

byId("tiles").after(more);
document.addEventListener("visibilitychange", () => (since = performance.now()));
tiles.subscribe(show);
await attempt(load);

/** Asked for behind the decisions under way, which it would lack. */
async function load() {
  const { check } = get();
  const answer = await inSequence(() => api.pairs(check));
  if (check !== get().check) return; // an answer to an earlier choice
  set({ ...answer, said: [], place: 0 });
  since = performance.now();
  set({ records: (await api.confusedClasses()).records });
}

async function loadMore() {
  const { pairs, next, check } = get();
  if (next === null) return;
  await attempt(async () => {
    const answer = await api.pairs(check, next);
    if (check !== get().check) return;
    const known = new Set(pairs.map(({ id }) => id));
    set({ ...answer, pairs: [...get().pairs, ...answer.pairs.filter(({ id }) => !known.has(id))] });
  });
}

/** @param {string | null} check */
function choose(check) {
  set({ check });
  history.replaceState(null, "", check ? `/pairs?check=${check}` : "/pairs");
  void attempt(load);
}

/** The decision is sent at once, and the next pair is in front. @param {Keep} keep */
function decide(keep) {
  const pair = get().pairs[at()];
  if (!pair || pair.kept === keep || !isSeen()) return;
  if (pair.kept !== null) return tell(words.undoFirst);
  const tookMs = Math.round(Math.min(performance.now() - since, LONGEST_MS));
  since = performance.now();
  put(pair.id, { kept: keep });
  set({ said: [...get().said, pair.id], place: findOpen(at()) });
  void send(pair.id, keep, tookMs, words.saved);
  if (at() >= get().pairs.length - 6) void loadMore();
}

/** Whether both pictures in front are there: nothing is decided unseen. */
function isSeen() {
  const pictures = byId("tiles").querySelectorAll("[aria-current] img");
  return [...pictures].every((picture) => picture instanceof HTMLImageElement && picture.complete);
}

/** The next pair without a decision behind the place, else the one behind it. @param {number} place */
function findOpen(place) {
  const open = get().pairs.findIndex(({ kept }, index) => index > place && kept === null);
  return open >= 0 ? open : place + 1;
}

/** The last decision is taken back, also one that is on its way, and its pair is in front again. */
function undo() {
  const { said, pairs } = get();
  const place = pairs.findIndex(({ id }) => id === said.at(-1));
  if (place < 0) return tell(words.nothingToUndo);
  set({ said: said.slice(0, -1), place });
  since = performance.now();
  void send(pairs[place].id, null, 0, words.taken);
}

/**
 * Sends what is decided in the order of the keys; where the server refuses, the pair shows what it has.
 * @param {number} id
 * @param {Keep | null} keep
 * @param {number} tookMs
 * @param {string} done
 */
async function send(id, keep, tookMs, done) {
  const work = async () => {
    const pair = get().pairs.find((other) => other.id === id);
    if (!pair) return;
    const decided = await api.decidePair(id, keep, pair.version, tookMs);
    put(id, decided);
    set({ waiting: Math.max(get().waiting + (decided.kept === null ? 1 : -1), 0) });
    tell(done);
  };
  await inSequence(() =>
    attempt(work, (refused) => {
      const said = get().said.filter((other) => other !== id);
      set({ said });
      if (refused?.code !== "stale" || !refused.head) {
        put(id, {
          kept: keep === null ? (get().pairs.find((other) => other.id === id)?.kept ?? null) : null,
        });
        return;
      }
      put(id, refused.head);
      return words.meanwhile;
    }),
  );
}

/** @param {number} id @param {Partial<PairRow>} change */
function put(id, change) {
  set({ pairs: get().pairs.map((pair) => (pair.id === id ? { ...pair, ...change } : pair)) });
}

/** Leaves once all decisions are sent: those on their way would be lost with this page. */
function openImage() {
  const pair = get().pairs[at()];
  if (!pair) return;
  const back = encodeURIComponent(location.pathname + location.search);
  void inSequence(async () => location.assign(`/check?image=${pair.image_id}&back=${back}`));
}

/** @param {PairsState} state */
function show(state) {
  const { pairs, waiting, elsewhere, records, check, next } = state;
  const choices = [null, ...CHECKS].map((name) =>
    el(
      "li",
      {},
      el(
        "button",
        {
          test: `check-${name ?? "all"}`,
          aria: /** @type {Record<string, string>} */ (name === check ? { current: "true" } : {}),
          on: { click: () => choose(name) },
        },
        el("span", { class: "name", text: name === null ? words.all : words.checks[name] }),
      ),
    ),
  );
  fillSide(words, choices);
  const confused = listConfused(records);
  if (confused) byId("side").append(confused);
  byId("facts").replaceChildren(
    el("h2", { text: words.waiting(waiting), test: "waiting" }),
    ...(elsewhere > 0
      ? [el("span", { class: "quiet", text: words.elsewhere(elsewhere), test: "elsewhere" })]
      : []),
  );
  showTiles(pairs.map(makeTile), { onPick: goTo, empty: words.none, keys: listKeys(state) });
  more.hidden = next === null;
  more.textContent = words.more(pairs.length);
}

/**
 * @param {PairsState} state
 * @returns {KeyRow[]}
 */
function listKeys({ pairs, place }) {
  const pair = pairs[Math.min(place, pairs.length - 1)];
  if (!pair) return [];
  const { larger } = pair;
  const same = larger && {
    words: words.same,
    key: "S",
    run: () => decide(larger),
    kind: "bad",
    test: "keep-larger",
  };
  return [
    {
      words: words.first(pair.first.display),
      key: "1",
      run: () => decide("first"),
      kind: "bad",
      test: "keep-first",
    },
    {
      words: words.second(pair.second.display),
      key: "2",
      run: () => decide("second"),
      kind: "bad",
      test: "keep-second",
    },
    ...(same ? [same] : []),
    { words: words.both, key: "B", run: () => decide("both"), kind: "ok", test: "keep-both" },
    { words: words.undo, key: "U", run: undo, test: "undo" },
    { words: words.open, key: "O", run: openImage, test: "open" },
  ];
}

/**
 * @param {PairRow} pair
 * @param {number} place
 * @returns {Tile}
 */
function makeTile(pair, place) {
  const { kept, first, second } = pair;
  const shots = [first, second].map((box, index) => {
    const isGone = kept !== null && kept !== "both" && kept !== ["first", "second"][index];
    return el(
      "span",
      { class: isGone ? "shot gone" : "shot" },
      el("img", { alt: "", src: box.crop_url, loading: "lazy" }),
      el("span", { text: words.size(box.display, box.width, box.height) }),
    );
  });
  return {
    key: String(pair.id),
    picture: null,
    makeFigure: () => el("span", { class: "pair" }, ...shots),
    words: "",
    mark: kept ? { text: words.kept[kept], kind: kept === "both" ? "right" : "wrong" } : null,
    kind: kept ? "judged" : "",
    isCurrent: place === at(),
  };
}
