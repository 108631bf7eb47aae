/** Gold and training images with how people did, and who waits to begin. */

import { createNewest, openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./texts.js";
import { makeNumber, sayPercent } from "./view/board_settings.js";
import { askSure } from "./view/dialog.js";
import { el, imagesLink, makeTable } from "./view/dom.js";
import { makeEmpty, wayTo } from "./view/empty.js";
import { makeGoldForm } from "./view/gold.js";
import { boxed, captioned, nameObjects } from "./view/image_card.js";
import { makeRowMenu } from "./view/row_menu.js";

/** @import {GoldAnswer, GoldChoice, GoldPage, GoldRow, Share} from "./types.js" */

const words = texts.gold;
/** So many answers say something about the reference. */
const FEW = 2;
const api = openApi(showStopped);
const { ids, display } = nameClasses(await api.party());
const { fill, say, attempt, act, refresh, follow } = openFrame(
  "gold",
  words,
  el("p", { class: "quiet", text: words.lead }),
);
const wished = el("section", { test: "wished" });
const list = el("div", { test: "gold-images" });
const side = el("aside");
const asked = Number(new URLSearchParams(location.search).get("image"));

fill(el("div", { class: "gold-columns" }, el("div", {}, wished, list), side));
const newestWish = createNewest();
await follow(api.gold, show);
if (asked > 0) await attempt(async () => showWished(await api.goldOf(asked)));

/** @param {GoldPage} page */
function show(page) {
  const kinds = [page.images.filter((row) => row.is_training), page.images.filter((row) => !row.is_training)];
  const sections = kinds.flatMap((rows) =>
    rows[0]
      ? [el("h2", { text: `${words.chosen[kindOf(rows[0])]} (${rows.length})` }), ...rows.map(makeRow)]
      : [],
  );
  const none = () => makeEmpty("star", words.none, wayTo(words.find, "/images?state=checked"));
  list.replaceChildren(...(sections.length > 0 ? sections : [none()]));
  side.replaceChildren(makeTrainees(page), makePeople(page), makeShares(page));
}

/** The image that another page sent here. @param {GoldChoice} choice */
function showWished({ gold, image_id: id, annotation_id, version, objects, warnings, ...picture }) {
  if (gold && !gold.is_changed) return edit(gold);
  const close = () => {
    wished.replaceChildren();
    history.replaceState(null, "", "/gold");
  };
  const form = makeGoldForm(gold ?? { is_training: false, note: "" }, {
    onSave: (choice) => void choose(id, { annotation_id, version }, choice).then(close),
    onCancel: close,
  });
  const title = el("h2", {}, imagesLink({ id: String(id) }, words.imageTitle(id)));
  const facts = el("div", { class: "facts" }, title, el("span", { text: nameObjects(objects, display) }));
  const body = objects.length > 0 ? form : el("p", { class: "problem", text: words.noObjects });
  const warned = warnings.map((text) => el("p", { class: "warn", text, test: "warning" }));
  const card = el(
    "article",
    { class: "card wished" },
    boxed({ ...picture, objects }, ids),
    el("div", {}, facts, ...warned, body),
  );
  wished.replaceChildren(card);
}

/** @param {GoldRow} row */
function kindOf({ is_training }) {
  return is_training ? "training" : "gold";
}

/** @param {GoldRow} row */
function makeRow(row) {
  const { image_id: id, answers } = row;
  const passed = answers.filter((answer) => answer.is_passed).length;
  const pictures = el("div", { class: "before-after" }, showReference(row));
  const title = el("h3", {}, imagesLink({ id: String(id) }, words.imageTitle(id)), " ");
  const facts = [
    title,
    el("span", { text: nameObjects(row.objects, display) }),
    el("b", { class: `tag ${kindOf(row)}`, text: words.chosen[kindOf(row)], test: "kind" }),
    row.is_changed ? el("span", { class: "waits", text: words.changed, test: "changed" }) : null,
  ];
  const isDoubted = answers.length >= FEW && 2 * passed < answers.length;
  const about = [
    el("div", { class: "facts" }, ...facts, makeRowMenu(words.imageTitle(id), listActions(row))),
    row.note ? el("p", { class: "note typed", text: row.note }) : null,
    el("p", { text: words.passed(passed, answers.length), test: "passed" }),
    isDoubted ? el("p", { class: "warn", text: words.doubt, test: "doubt" }) : null,
    listAnswers(row, pictures),
    el("div", { class: "asked" }),
  ];
  const looks = { class: "card case", test: `gold:${id}`, data: { kind: kindOf(row) } };
  return el("article", looks, pictures, el("div", { class: "told" }, ...about));
}

/** @param {GoldRow} row */
function listActions(row) {
  const { image_id: id, version } = row;
  const useNewest = () =>
    attempt(async () => {
      const task = await newestWish(() => api.goldOf(id));
      if (!task) return;
      showWished(task);
      wished.scrollIntoView({ block: "nearest" });
    });
  const end = async () => {
    if (!(await askSure(words.sure(id), words.end, [words.thenEnded]))) return;
    await act(() => api.endGold(id, version), words.ended);
  };
  return [
    { text: words.edit, test: `edit:${id}`, act: () => edit(row) },
    ...(row.is_changed ? [{ text: words.refresh, test: `refresh:${id}`, act: () => void useNewest() }] : []),
    { text: words.end, test: `end:${id}`, act: () => void end() },
  ];
}

/** @param {GoldRow} row */
function showReference(row) {
  return captioned(row, boxed(row, ids), words.reference(row.chosen_by), "before");
}

/**
 * Who did how; a press shows what they drew beside the reference that it was compared with, another press no more.
 * @param {GoldRow} row
 * @param {HTMLElement} pictures
 */
function listAnswers(row, pictures) {
  let shown = /** @type {GoldAnswer | null} */ (null);
  const list = el("ul", { class: "answers" });
  const newest = createNewest();
  /**
   * @param {GoldAnswer | null} answer
   * @param {readonly HTMLElement[]} figures
   */
  function showAnswer(answer, figures) {
    shown = answer;
    for (const [at, button] of list.querySelectorAll("button").entries())
      button.ariaPressed = String(row.answers[at] === answer);
    pictures.replaceChildren(...figures);
    say("");
  }
  /** @param {GoldAnswer} answer */
  async function toggle(answer) {
    if (shown === answer) return showAnswer(null, [showReference(row)]);
    const figures = await newest(() => loadDrawn(row, answer));
    if (figures) showAnswer(answer, figures);
  }
  const lines = row.answers.map((answer) => {
    const props = {
      text: words.answer(answer),
      class: answer.is_passed ? "passed" : "",
      title: words.compare,
    };
    const on = { click: () => void attempt(() => toggle(answer)) };
    const test = `answer:${answer.person.name}`;
    return el("li", {}, el("button", { ...props, test, aria: { pressed: "false" }, on }));
  });
  list.append(...lines);
  return list;
}

/**
 * The reference of an answer and what was drawn, as two figures.
 * @param {GoldRow} row
 * @param {GoldAnswer} answer
 */
async function loadDrawn(row, { person, annotation_id, reference_id }) {
  if (annotation_id === null || reference_id === null) return [showReference(row)];
  const { changes, same } = await api.compareRevisions(row.image_id, reference_id, annotation_id);
  const isNow = reference_id === row.annotation_id;
  const captions = {
    before: isNow ? words.reference(row.chosen_by) : words.earlier,
    after: words.drawn(person.name),
  };
  const sides = /** @type {const} */ (["before", "after"]);
  return sides.map((side) => {
    const objects = [...same, ...changes.flatMap((change) => change[side] ?? [])];
    return captioned(row, boxed({ ...row, objects }, ids), captions[side], side);
  });
}

/** What is saved is about the boxes that the page shows. @param {GoldRow} row */
function edit(row) {
  const place = list.querySelector(`[data-testid="gold:${row.image_id}"] .asked`);
  if (!place) return void refresh();
  const form = makeGoldForm(row, {
    onSave: (choice) => void choose(row.image_id, row, choice),
    onCancel: refresh,
  });
  place.replaceChildren(form);
  form.scrollIntoView({ block: "nearest" });
  form.querySelector("textarea")?.focus();
}

/**
 * @param {number} id of the image
 * @param {{annotation_id: number | null, version: string}} shown
 * @param {{is_training: boolean, note: string}} choice
 */
async function choose(id, { annotation_id, version }, { is_training, note }) {
  if (annotation_id === null) return;
  await act(() => api.chooseGold(id, { annotation_id, version, is_training, note }), words.saved);
}

/** @param {GoldPage} page */
function makeShares({ shares, images: rows }) {
  const images = makeNumber("training-images", 1, String(shares.training_images));
  const share = makeNumber("gold-share", 0.1, sayPercent(shares.gold_share));
  const submit = () => {
    const wanted = {
      ...shares,
      training_images: Number(images.value),
      gold_share: Number(share.value) / 100,
    };
    void act(() => api.saveShares(wanted), words.saved);
  };
  const hint = words.tooFew(shares.training_images, rows.filter((row) => row.is_training).length);
  const fields = [
    el("label", {}, el("span", { text: words.asked }), images),
    el("label", {}, el("span", { text: words.share }), share),
    hint ? el("p", { class: "warn", text: hint, test: "too-few" }) : null,
    el("p", { class: "acts" }, el("button", { type: "submit", text: words.save, test: "save-shares" })),
  ];
  return el("section", { class: "card" }, el("form", { class: "ask-shares", on: { submit } }, ...fields));
}

/** @param {GoldPage} page */
function makeTrainees({ trainees }) {
  const rows = trainees.map((trainee) => {
    const { id, name } = trainee.person;
    const stuck = trainee.is_stuck ? el("span", { class: "stuck", text: ` · ${words.stuck}` }) : null;
    const info = el(
      "span",
      { class: "info" },
      el("span", { class: "quiet", text: words.trainee(trainee) }),
      stuck,
    );
    const click = () => act(() => api.letBegin(id, trainee.version), words.letIn(name));
    const button = el("button", { class: "push", text: words.letBegin, test: "let-begin", on: { click } });
    return el("li", { test: `trainee:${name}` }, el("b", { text: name }), info, button);
  });
  const list = rows.length ? el("ul", {}, ...rows) : el("p", { class: "quiet", text: words.noTrainees });
  return el("section", { class: "card" }, el("h2", { text: words.trainees }), list);
}

/** @param {GoldPage} page */
function makePeople({ people }) {
  const percent = (/** @type {Share | null} */ share) => (share ? `${Math.round(share[0] * 100)} %` : "");
  const rows = people.map((record) => {
    const cells = [record.images, record.passed, percent(record.recall), percent(record.precision)];
    const numbers = cells.map((cell) => el("td", { class: "number", text: String(cell) }));
    return el("tr", {}, el("th", { text: record.person.name }), ...numbers);
  });
  const table = makeTable("", words.heads, el("tbody", {}, ...rows), (at) => at > 0);
  const none = el("p", { class: "quiet", text: words.noPeople });
  return el("section", { class: "card" }, el("h2", { text: words.people }), rows.length ? table : none);
}
