/** The guidelines one step after the other, with examples; then the training images, then work. */

import { explain, openApi } from "./api.js";
import { texts } from "./texts.js";
import { byId, el, readRichText } from "./view/dom.js";
import { boxed, nameObjects } from "./view/image_card.js";

const api = openApi();
const words = texts.training;
const [party, training] = await Promise.all([api.party(), api.training()]);
const display = (/** @type {string} */ name) => party.classes.find((one) => one.name === name)?.display ?? name;
const steps = [...split(readRichText(party.guidelines_html).childNodes), null];
const said = el("p", { class: "said", role: "status", test: "said" });
const place = byId("training");
let at = training.trials.length > 0 ? steps.length - 1 : 0;
addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") go(at + 1);
  if (event.key === "ArrowLeft") go(at - 1);
});
show();

/** @param {number} step */
function go(step) {
  at = Math.min(Math.max(step, 0), steps.length - 1);
  show();
  scrollTo(0, 0);
}

function show() {
  const step = steps[at];
  const isLast = at === steps.length - 1;
  const bar = el("progress", { max: steps.length, value: at + 1, aria: { label: words.step(at + 1, steps.length) } });
  place.replaceChildren(
    el("header", { class: "board-head" }, el("h1", { text: words.title }), said),
    bar,
    el("article", { class: "guidelines card", test: "step" }, ...(step ? showStep(step) : showEnd())),
    el(
      "p",
      { class: "acts" },
      el("button", { text: words.back, disabled: at === 0, test: "back", on: { click: () => go(at - 1) } }),
      isLast ? null : el("button", { class: "main", text: words.next, test: "next", on: { click: () => go(at + 1) } }),
      el("span", { class: "quiet", text: words.step(at + 1, steps.length) }),
      isLast || !training.is_done ? null : beginButton(words.begin, "aside"),
    ),
  );
  place.dataset.ready = "true";
}

/** @param {Element[]} step */
function showStep(step) {
  const heading = step[0]?.textContent ?? "";
  const found = party.classes.find((one) => one.display === heading || one.name === heading);
  const examples = found ? (training.examples[found.name] ?? []) : [];
  const names = party.classes.map((one) => one.name);
  const shots = examples.map((one) =>
    el("li", { class: "shot" }, boxed(one, names), el("p", { class: "what", text: nameObjects(one.objects, display) })),
  );
  return [...step, ...(shots.length ? [el("h4", { text: words.examples }), el("ul", { class: "wall few" }, ...shots)] : [])];
}

function showEnd() {
  const trials = training.trials.map((one) =>
    el(
      "li",
      {},
      el("b", { text: words.trial(one.is_passed) }),
      el("span", { text: ` ${one.says.join(" ") || words.allRight}` }),
      one.note ? el("p", { class: "quiet", text: `${texts.feedback.note}: ${one.note}` }) : null,
    ),
  );
  const needed = training.needed > 0 ? words.needed(training.needed, training.passed) : words.noneNeeded;
  const label = training.is_done ? words.begin : words.toTraining;
  return [
    el("h2", { text: words.last }),
    el("p", { text: needed }),
    ...(trials.length ? [el("ul", { test: "trials" }, ...trials)] : []),
    beginButton(label),
  ];
}

/** The way on to the work; aside while there is more to read. @param {string} label @param {"main" | "aside"} rank */
function beginButton(label, rank = "main") {
  return el("button", { class: rank, text: label, test: "begin", on: { click: () => void begin() } });
}

async function begin() {
  try {
    if (training.is_done) await api.finishTraining();
    location.assign("/annotate");
  } catch (error) {
    said.textContent = explain(error, words.noServer);
  }
}

/** The guidelines, parted at their headings. @param {Iterable<Node>} nodes @returns {Element[][]} */
function split(nodes) {
  const parts = /** @type {Element[][]} */ ([]);
  for (const node of nodes) {
    if (!(node instanceof Element)) continue;
    const isHead = /^H[1-3]$/.test(node.tagName);
    const last = parts.at(-1);
    const isBareHead = last?.length === 1 && /^H[12]$/.test(last[0]?.tagName ?? "") && node.tagName === "H3";
    if (!last || (isHead && !isBareHead)) parts.push([node]);
    else last.push(node);
  }
  return parts;
}
