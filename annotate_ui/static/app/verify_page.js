/** The verification page: crops of one class, a key for each answer; then whether images show another one. */

import { createSequence, openApi } from "./api.js";
import { attempt, openTiles, showClasses, showKeys, showTiles, tell } from "./judging.js";
import { boxOf, moveBy, setCorner, startBox } from "./state/box_by_hand.js";
import { texts } from "./texts.js";
import { byId, el } from "./view/dom.js";
import { openBoxDrawing } from "./view/box_drawing.js";
import { boxed, drawOn } from "./view/image_card.js";
import { showStopped } from "./view/stopped.js";

/** @import {Refused} from "./api.js" */
/** @import {Tile} from "./judging.js" */
/** @import {AskedRow, KeyRow, VerifyState} from "./types.js" */

const LONGEST_MS = 60_000; // longer is a break
const KEYS = /** @type {const} */ ({
  box: ["right", "part", "large", "several", "wrong"],
  more: ["no", "yes"],
  draw: [],
});
const ARROWS = /** @type {const} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});

const api = openApi(showStopped);
const words = texts.verify;
const inSequence = createSequence();
/** @type {ReturnType<typeof api.training> | null} */
let training = null;
const party = await api.party();
/** The classes whose examples were shown in this visit. @type {Set<string>} */
const known = new Set();
/** The picture on which a box is drawn. @type {ReturnType<typeof openBoxDrawing> | null} */
let drawing = null;
/** When the current question came in front of the person. */
let since = performance.now();

const tiles = openTiles(
  /** @type {VerifyState} */ ({
    classes: [],
    taken: null,
    questions: [],
    answers: new Map(),
    last: [],
    examples: null,
    drawn: null,
    isBusy: false,
    place: 0,
  }),
  {
    count: ({ questions, examples }) => (examples ? 0 : questions.length),
    listKeys: (state) => [...listKeys(state), ...listUndo()],
  },
);
const { get, set, at, goTo } = tiles;

document.addEventListener("visibilitychange", () => (since = performance.now()));
tiles.subscribe(show);
await attempt(loadClasses);

async function loadClasses() {
  set(await api.verifyClasses());
}

/** The examples of a class come first, once in a visit. @param {string} name */
function take(name) {
  return inSequence(async () => {
    if (known.has(name)) return takeNow(name);
    await attempt(async () => {
      training ??= api.training();
      const { examples } = await training;
      set({ taken: name, questions: [], answers: new Map(), examples: examples[name] ?? [], place: 0 });
    });
  });
}

/** @param {string} name */
async function takeNow(name) {
  await attempt(async () => {
    const { questions } = await api.takeQuestions(name);
    const first = questions[0]?.kind === "draw" ? questions[0] : null;
    drawing = null;
    const drawn = first && startBox(first);
    set({ taken: name, questions, answers: new Map(), examples: null, drawn, place: 0 });
    since = performance.now();
    await loadClasses();
  });
}

function begin() {
  const { taken, examples } = get();
  if (taken === null || examples === null) return;
  known.add(taken);
  void alone(() => takeNow(taken));
}

/** The answer to the question in front is sent at once, and the next one is in front. @param {string} said */
function answer(said) {
  const { questions, answers, isBusy } = get();
  const question = questions[at()];
  if (!question || isBusy || !isSeen()) return;
  const tookMs = Math.round(Math.min(performance.now() - since, LONGEST_MS));
  since = performance.now();
  const changed = new Map(answers).set(question.id, said);
  const isLast = questions.every(({ id }) => changed.has(id));
  set({ answers: changed, place: findOpen(questions, changed, at()), isBusy: isLast });
  void send(question, said, tookMs, answers.get(question.id)).then((isSent) =>
    isLast ? endScreen(isSent) : undefined,
  );
}

/** Whether the picture in front is there: nothing is answered unseen. */
function isSeen() {
  const picture = byId("tiles").querySelector("[aria-current] img");
  return !(picture instanceof HTMLImageElement) || picture.complete;
}

/**
 * Whether the server has the answer; else the question shows what it has.
 * @param {AskedRow} question
 * @param {string} said
 * @param {number} tookMs
 * @param {string | undefined} before
 */
async function send(question, said, tookMs, before) {
  const { id } = question;
  let isSent = false;
  const keep = async () => {
    const { answer_id: number } = await api.answerQuestion(question, said, tookMs);
    isSent = true;
    if (number === null) return tell(words.late);
    set({ last: [...get().last.filter((one) => one.question !== id), { question: id, answer: number }] });
  };
  await inSequence(async () => {
    const refused = await attempt(keep);
    if (!isSent) setAnswer(id, before);
    await lookAgain(refused);
  });
  return isSent;
}

/** What is asked now, where an answer was refused because the page showed something else. @param {Refused | null} refused */
async function lookAgain(refused) {
  const { taken } = get();
  if (refused?.code !== "stale" || taken === null) return;
  await takeNow(taken);
  tell(refused.message);
}

/**
 * @param {number} id
 * @param {string | undefined} said
 */
function setAnswer(id, said) {
  const answers = new Map(get().answers);
  if (said === undefined) answers.delete(id);
  else answers.set(id, said);
  set({ answers });
}

/** All questions are answered: the next ones come, unless the server lacks an answer. @param {boolean} isSent */
async function endScreen(isSent) {
  const { taken, questions, answers } = get();
  const isDone = isSent && questions.every(({ id }) => answers.has(id));
  if (isDone && taken !== null) await inSequence(() => takeNow(taken));
  set({ isBusy: false });
}

/**
 * The first question without an answer, from the place on and then from the start.
 * @param {readonly AskedRow[]} questions
 * @param {ReadonlyMap<number, string>} answers
 * @param {number} place
 */
function findOpen(questions, answers, place) {
  const isOpen = (/** @type {AskedRow} */ { id }) => !answers.has(id);
  const after = questions.findIndex((question, index) => index > place && isOpen(question));
  if (after >= 0) return after;
  const first = questions.findIndex(isOpen);
  return first >= 0 ? first : place;
}

/** Sets the next corner of the box, or saves it once it has both; the next question comes. */
function putCorner() {
  const { drawn, questions, taken, isBusy } = get();
  const question = questions[0];
  if (!drawn || !question || taken === null || isBusy || !isDrawable()) return;
  const box = drawn.isDone ? boxOf(drawn) : null;
  if (box === null) return set({ drawn: setCorner(drawn) });
  const tookMs = Math.round(Math.min(performance.now() - since, LONGEST_MS));
  const draw = async () => {
    const { answer_id: number } = await api.drawAnswer(question, box, tookMs);
    if (number === null) tell(words.late);
    else set({ last: [...get().last, { question: question.id, answer: number }] });
    await takeNow(taken);
  };
  void alone(async () => lookAgain(await attempt(draw)));
}

/** Whether the picture is there: nothing is drawn unseen. */
function isDrawable() {
  const picture = byId("tiles").querySelector("img");
  return picture instanceof HTMLImageElement && picture.complete;
}

/** One change at a time: what is pressed until it is answered does nothing. @param {() => Promise<void>} change */
async function alone(change) {
  set({ isBusy: true });
  await inSequence(change);
  set({ isBusy: false });
}

/** The last answer is taken back, also one that is on its way, and its question is in front again. */
function undo() {
  if (get().isBusy) return;
  void alone(() => attempt(undoNow).then(() => {}));
}

async function undoNow() {
  const { last, taken } = get();
  const gone = last.at(-1);
  if (!gone) return;
  const { images } = await api.undoAnswers([gone.answer]);
  set({ last: get().last.filter((one) => one !== gone) });
  setAnswer(gone.question, undefined);
  const place = get().questions.findIndex(({ id }) => id === gone.question);
  if (place >= 0) goTo(place);
  else if (taken !== null) await takeNow(taken);
  since = performance.now();
  tell(images.length > 0 ? words.drawn(images.join(", ")) : words.undone);
}

/** @param {VerifyState} state */
function show(state) {
  const { display, empty } = showClasses(words, state, take);
  const { questions, answers, examples, taken } = state;
  const kind = questions[0]?.kind ?? "box";
  byId("tiles").classList.toggle("whole", examples === null && kind === "more");
  byId("tiles").classList.toggle("draw", state.drawn !== null);
  byId("tiles").setAttribute("aria-busy", String(state.isBusy));
  const titles = { more: words.askMore, draw: words.askToDraw, box: words.ask };
  const title = titles[kind](display);
  const isAsking = examples === null && questions.length > 0;
  byId("facts").replaceChildren(
    ...(isAsking
      ? [
          el("h2", { text: title, test: "question" }),
          el("span", {
            class: "quiet",
            test: "answered",
            text: state.drawn ? "" : words.answered(answers.size, questions.length),
          }),
        ]
      : []),
    ...(state.last.length
      ? [el("button", { test: "undo", on: { click: undo } }, `${words.undo} `, el("kbd", { text: "U" }))]
      : []),
  );
  if (state.drawn && isAsking) return showDrawing(state.drawn, questions[0], listKeys(state));
  showTiles(
    isAsking ? questions.map((question, place) => makeTile(question, place, answers.get(question.id))) : [],
    { onPick: goTo, empty, keys: isAsking ? listKeys(state) : [] },
  );
  if (examples !== null && taken !== null) showExamples(taken, display, examples);
}

/**
 * The picture on which the box is drawn, made once for a question.
 * @param {NonNullable<VerifyState["drawn"]>} drawn
 * @param {AskedRow} question
 * @param {readonly KeyRow[]} keys
 */
function showDrawing(drawn, question, keys) {
  if (!drawing) {
    const hand = {
      get: () => get().drawn ?? drawn,
      set: (/** @type {typeof drawn} */ now) => set({ drawn: now }),
    };
    drawing = openBoxDrawing(question, hand);
  }
  const { figure, update } = drawing;
  if (figure.parentElement !== byId("tiles")) byId("tiles").replaceChildren(figure);
  update(drawn);
  showKeys(keys);
  document.body.dataset.screen = "work";
}

/**
 * What the class is, before its first crops: the rule, examples, and what each answer says.
 * @param {string} taken
 * @param {string} display
 * @param {NonNullable<VerifyState["examples"]>} examples
 */
function showExamples(taken, display, examples) {
  const rule = party.classes.find(({ id }) => id === taken)?.short_rule ?? "";
  const shots = examples.map((example) => {
    const objects = example.objects.filter((object) => object.class === taken);
    return boxed({ ...example, objects }, [taken]);
  });
  const meanings = KEYS.box.map((said, place) =>
    el(
      "li",
      {},
      el("kbd", { text: String(place + 1) }),
      el("b", { text: ` ${words.said[said]}: ` }),
      words.meanings[said],
    ),
  );
  const button = el("button", { class: "main", test: "begin", on: { click: begin } }, `${words.begin} `);
  button.append(el("kbd", { text: words.space }));
  byId("tiles").replaceChildren(
    el(
      "article",
      { class: "examples", test: "examples" },
      el("h2", { text: display }),
      el("p", {}, `${rule} `, el("a", { href: "/guidelines", text: words.guidelines })),
      shots.length
        ? el("div", { class: "shots" }, ...shots)
        : el("p", { class: "quiet", text: words.noExample }),
      el("ul", {}, ...meanings),
      el("p", {}, button),
    ),
  );
  document.body.dataset.screen = "work";
}

/**
 * @param {VerifyState} state
 * @returns {KeyRow[]}
 */
function listKeys({ questions, examples, drawn }) {
  if (examples !== null) return [{ words: words.begin, key: "Space", run: begin }];
  if (drawn) return listDrawKeys(drawn);
  const looks = { right: "ok", no: "ok", wrong: "bad" };
  return KEYS[questions[0]?.kind ?? "box"].map((said, place) => ({
    words: words.said[said],
    key: String(place + 1),
    run: () => answer(said),
    kind: said in looks ? looks[/** @type {keyof typeof looks} */ (said)] : "",
    test: `say-${said}`,
  }));
}

/**
 * What is drawn with: the first ones have a button.
 * @param {NonNullable<VerifyState["drawn"]>} drawn
 * @returns {KeyRow[]}
 */
function listDrawKeys(drawn) {
  const step = drawn.isDone ? "save" : drawn.from ? "second" : "first";
  const arrows = Object.entries(ARROWS).flatMap(([key, direction]) =>
    ["", "Shift+"].map((before) => ({
      words: "",
      key: before + key,
      run: () => set({ drawn: moveBy(get().drawn ?? drawn, direction, before !== "") }),
      repeats: true,
    })),
  );
  return [
    { words: words.corner[step], key: "Space", run: putCorner, kind: "ok", test: "corner" },
    { words: words.again, key: "Escape", run: () => set({ drawn: startBox(drawn) }), test: "again" },
    { words: words.nothingToDraw, key: "N", run: () => answer("no"), kind: "bad", test: "none" },
    ...arrows,
  ];
}

/** @returns {KeyRow[]} */
function listUndo() {
  return ["U", "Ctrl+Z", "Backspace"].map((key) => ({ words: words.undo, key, run: undo }));
}

/**
 * @param {AskedRow} question
 * @param {number} place
 * @param {string | undefined} said
 * @returns {Tile}
 */
function makeTile(question, place, said) {
  const { id, version, kind, image_url: picture, others } = question;
  const marks = others.map((box) => ({ box, looks: "hue-0", title: "" }));
  return {
    key: `${id} ${version}`,
    picture: kind === "box" ? picture : null,
    ...(kind === "more" && { makeFigure: () => drawOn(question, marks) }),
    words: "",
    mark: said
      ? {
          text: words.said[/** @type {keyof typeof words.said} */ (said)],
          kind: said === "right" || said === "no" ? "right" : "",
        }
      : null,
    kind: said ? "judged" : "",
    isCurrent: place === at(),
  };
}
