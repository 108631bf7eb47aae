/** Gold and training images with how people did, and who waits to begin. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { nameClasses } from "./state/party.js";
import { texts } from "./texts.js";
import { makeNumber, sayPercent } from "./view/board_settings.js";
import { el, imagesLink, makeTable, sureButton } from "./view/dom.js";
import { makeGoldForm } from "./view/gold.js";
import { boxed, nameObjects } from "./view/image_card.js";

/** @import {GoldChoice, GoldPage, GoldRow, Share} from "./types.js" */

const words = texts.gold;
const api = openApi(showStopped);
const { ids, display } = nameClasses(await api.party());
const { fill, attempt, act, refresh, follow } = openFrame(
  "gold",
  words,
  el("p", { class: "quiet", text: words.lead }),
);
const wished = el("section", { test: "wished" });
const list = el("div", { test: "gold-images" });
const side = el("aside");
const asked = Number(new URLSearchParams(location.search).get("image"));

fill(el("div", { class: "gold-columns" }, el("div", {}, wished, list), side));
await follow(api.gold, show);
if (asked > 0) await attempt(async () => showWished(await api.goldOf(asked)));

/** @param {GoldPage} page */
function show(page) {
  const none = el("p", { class: "quiet", text: words.none, test: "none" });
  list.replaceChildren(...(page.images.length ? page.images.map(makeRow) : [none]));
  side.replaceChildren(makeShares(page), makeTrainees(page), makePeople(page));
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
    { class: "card settle" },
    boxed({ ...picture, objects }, ids),
    el("div", {}, facts, ...warned, body),
  );
  wished.replaceChildren(card);
}

/** @param {GoldRow} row */
function makeRow(row) {
  const { image_id: id, answers } = row;
  const kind = row.is_training ? "training" : "gold";
  const passed = answers.filter((answer) => answer.is_passed).length;
  const lines = answers.map((answer) =>
    el("li", { class: answer.is_passed ? "passed" : "", text: words.answer(answer) }),
  );
  const useNewest = () =>
    void attempt(async () => {
      showWished(await api.goldOf(id));
      wished.scrollIntoView({ block: "nearest" });
    });
  const facts = [
    el("b", { class: `tag ${kind}`, text: words.chosen[kind], test: "kind" }),
    el("h2", { text: nameObjects(row.objects, display) }),
    el("span", { text: words.by(row.chosen_by) }),
    row.is_changed ? el("span", { class: "waits", text: words.changed, test: "changed" }) : null,
  ];
  const acts = [
    el("button", { text: words.edit, test: "edit", on: { click: () => edit(row) } }),
    row.is_changed ? el("button", { text: words.refresh, test: "refresh", on: { click: useNewest } }) : null,
    sureButton(
      "end",
      [words.end, words.sure],
      () => void act(() => api.endGold(id, row.version), words.ended),
    ),
  ];
  const about = [
    el("div", { class: "facts" }, ...facts),
    row.note ? el("p", { class: "note", text: row.note }) : null,
    el("p", { text: words.passed(passed, answers.length), test: "passed" }),
    el("ul", { class: "answers" }, ...lines),
    el("p", { class: "acts" }, ...acts),
  ];
  const looks = { class: "card settle", test: `gold:${id}`, data: { kind } };
  return el("article", looks, boxed(row, ids), el("div", { class: "about" }, ...about));
}

/** What is saved is about the boxes that the page shows. @param {GoldRow} row */
function edit(row) {
  const acts = list.querySelector(`[data-testid="gold:${row.image_id}"] .acts`);
  if (!acts) return void refresh();
  const form = makeGoldForm(row, {
    onSave: (choice) => void choose(row.image_id, row, choice),
    onCancel: refresh,
  });
  acts.replaceWith(form);
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
