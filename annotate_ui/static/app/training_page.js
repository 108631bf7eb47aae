/** The rules in at most twelve steps with drawings, then the classes; then practice, training images, work. */

import { explain, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { createStore } from "./state/model.js";
import { texts } from "./texts.js";
import { makeClassSearch } from "./view/class_search.js";
import { byId, el } from "./view/dom.js";
import { boxed } from "./view/image_card.js";

const api = openApi(showStopped);
const words = texts.training;
const [party, training] = await Promise.all([api.party(), api.training()]);
const lessons = words.lessons.filter(({ scene }) => scene !== "occluded" || party.flags.includes(scene));
const steps = [...lessons.map((lesson) => () => showLesson(lesson)), showClasses, showEnd];
const said = el("p", { class: "said", role: "status", test: "said" });
const page = byId("training");
/** Which step is shown. */
const place = createStore(training.trials.length > 0 ? steps.length - 1 : 0);
addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") go(place.get() + 1);
  if (event.key === "ArrowLeft") go(place.get() - 1);
});
place.follow(show);

/** @param {number} step */
function go(step) {
  place.update(() => Math.min(Math.max(step, 0), steps.length - 1));
}

/** @param {number} at */
function show(at) {
  const isLast = at === steps.length - 1;
  const count = words.step(at + 1, steps.length);
  const acts = [
    el("button", { text: words.back, disabled: at === 0, test: "back", on: { click: () => go(at - 1) } }),
    isLast
      ? null
      : el("button", { class: "main", text: words.next, test: "next", on: { click: () => go(at + 1) } }),
    el("span", { class: "quiet", text: count }),
    isLast || !training.is_done ? null : beginButton(isNew() ? words.practise : words.begin, "aside"),
  ];
  page.replaceChildren(
    el("header", { class: "board-head" }, el("h1", { text: words.title }), said),
    el("progress", { max: steps.length, value: at + 1, aria: { label: count } }),
    el("article", { class: "guidelines card", test: "step" }, ...steps[at]()),
    el("p", { class: "acts" }, ...acts),
  );
  page.dataset.ready = "true";
  scrollTo(0, 0);
}

/** @param {typeof words.lessons[number]} lesson */
function showLesson(lesson) {
  const sides = /** @type {const} */ (["right", "wrong"]).map((side) => {
    const drawing = el("img", {
      src: `/static/lessons.svg#${lesson.scene}-${side}`,
      alt: "",
      width: 400,
      height: 300,
    });
    return el(
      "figure",
      { class: side },
      drawing,
      el("figcaption", {}, el("b", { text: words[side] }), ` ${lesson[side]}`),
    );
  });
  return [
    el("h2", { text: lesson.title }),
    el("p", { text: lesson.text }),
    el("div", { class: "sides" }, ...sides),
  ];
}

function showClasses() {
  const ids = party.classes.map(({ id }) => id);
  const list = el("ul", { class: "of-class" });
  const search = makeClassSearch({ onInput: fill });
  fill();
  return [el("h2", { text: words.classes }), search.element, list];

  function fill() {
    const rows = search.pick(party.classes).map(({ id, display, short_rule }) => {
      const shots = (training.examples[id] ?? []).slice(0, 1).map((example) => boxed(example, ids));
      return el("li", {}, ...shots, el("div", {}, el("b", { text: display }), el("p", { text: short_rule })));
    });
    list.replaceChildren(...rows);
  }
}

function showEnd() {
  const trials = training.trials.map((trial) => {
    const said = el("span", { text: ` ${trial.says.join(" ") || words.allRight}` });
    const note = trial.note
      ? el("p", { class: "typed quiet", text: `${texts.feedback.note}: ${trial.note}` })
      : null;
    return el("li", {}, el("b", { text: words.trial(trial.is_passed) }), said, note);
  });
  const needed = training.needed > 0 ? words.needed(training.needed, training.passed) : words.noneNeeded;
  const label = training.is_done ? words.begin : words.toTraining;
  return [
    el("h2", { text: words.last }),
    el("p", { text: needed }),
    ...(trials.length ? [el("ul", { test: "trials" }, ...trials)] : []),
    el(
      "p",
      { class: "acts" },
      beginButton(isNew() ? words.practise : label),
      el("a", { href: "/guidelines", text: words.rules }),
      isNew() ? null : el("a", { href: "/annotate?practice", text: words.again, test: "practise-again" }),
    ),
  ];
}

function isNew() {
  return training.trained_at === null && training.trials.length === 0;
}

/**
 * The way on to the work; aside while there is more to read.
 * @param {string} label
 * @param {"main" | "aside"} rank
 */
function beginButton(label, rank = "main") {
  return el("button", { class: rank, text: label, test: "begin", on: { click: () => void begin() } });
}

async function begin() {
  try {
    if (training.is_done) await api.finishTraining();
    location.assign(isNew() ? "/annotate?practice" : "/annotate");
  } catch (error) {
    said.textContent = explain(error, words.noServer);
  }
}
