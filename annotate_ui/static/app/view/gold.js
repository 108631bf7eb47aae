/** Gold and training images: the question of the kind; the shares, trainees and records at the side. */

import { explain } from "../api.js";
import { texts } from "../texts.js";
import { makeNumber, sayPercent } from "./board_settings.js";
import { ask } from "./dialog.js";
import { el, makeTable } from "./dom.js";

/** @import {Shares} from "../state/types.js" */
/** @import {Api, GoldPage, Share, Who} from "../types.js" */

/** @typedef {{is_training: boolean, note: string}} Choice */
/** @typedef {{onLetBegin: (who: Who) => void, onShares: (shares: Shares) => void}} Listener */

const words = texts.gold;

/** @param {Choice} before @param {{onSave: (choice: Choice) => void, onCancel: () => void}} listener */
export function makeGoldForm(before, { onSave, onCancel }) {
  const kinds = /** @type {const} */ (["gold", "training"]).map((kind) => {
    const checked = (kind === "training") === before.is_training;
    const input = el("input", { type: "radio", name: "kind", value: kind, checked, test: `gold-${kind}` });
    return el("label", { class: "radio line" }, input, el("span", { text: words.kinds[kind] }));
  });
  const note = el("textarea", { class: "field", rows: 2, maxlength: 2000, test: "gold-note" });
  note.value = before.note;
  const submit = () => {
    const is_training = form.querySelector("input[value=training]:checked") !== null;
    onSave({ is_training, note: note.value.trim() });
  };
  const acts = [
    el("button", { class: "button", text: words.cancel, on: { click: onCancel } }),
    el("button", { type: "submit", class: "button main", text: words.save, test: "gold-save" }),
  ];
  const fields = [
    el("fieldset", {}, ...kinds),
    el("label", { class: "stacked" }, el("span", { text: words.note }), note),
    el("p", { class: "acts dialog-choices" }, ...acts),
  ];
  const form = el("form", { class: "ask", test: "gold-form", on: { submit } }, ...fields);
  return form;
}

/**
 * Asks whether an image becomes gold, with its newest revision as the reference, and does it.
 * @param {number | undefined} imageId @param {Pick<Api, "goldOf" | "chooseGold">} api
 * @param {(text: string, tone: "ok" | "warn") => void} tell
 */
export async function chooseGold(imageId, api, tell) {
  if (!imageId) return;
  try {
    const { gold } = await api.goldOf(imageId);
    const otherwise = /** @type {Choice | null} */ (null);
    const choice = await ask({ test: "gold-dialog", title: words.choose, otherwise }, (close) => [
      makeGoldForm(gold ?? { is_training: false, note: "" }, { onSave: close, onCancel: () => close(null) }),
    ]).answer;
    if (!choice) return;
    await api.chooseGold(imageId, choice);
    tell(choice.is_training ? words.isTraining : words.isGold, "ok");
  } catch (error) {
    tell(explain(error, words.noServer), "warn");
  }
}

/** @param {GoldPage} page @param {Listener} listener */
export function makeGoldSide(page, listener) {
  const offered = page.images.filter((one) => one.is_training).length;
  return [makeShares(page.shares, offered, listener), makeTrainees(page, listener), makePeople(page)];
}

/** @param {Shares} shares @param {number} offered @param {Listener} listener */
function makeShares(shares, offered, { onShares }) {
  const images = makeNumber("training-images", 1, String(shares.training_images));
  const share = makeNumber("gold-share", 0.1, sayPercent(shares.gold_share));
  const submit = () =>
    onShares({ ...shares, training_images: Number(images.value), gold_share: Number(share.value) / 100 });
  const hint = words.tooFew(shares.training_images, offered);
  const fields = [
    el("label", {}, el("span", { text: words.asked }), images),
    el("label", {}, el("span", { text: words.share }), share),
    hint ? el("p", { class: "warn", text: hint, test: "too-few" }) : null,
    el("p", { class: "acts" }, el("button", { type: "submit", text: words.save, test: "save-shares" })),
  ];
  return el("section", { class: "card" }, el("form", { class: "ask-shares", on: { submit } }, ...fields));
}

/** @param {GoldPage} page @param {Listener} listener */
function makeTrainees({ trainees }, { onLetBegin }) {
  const rows = trainees.map((one) => {
    const { name } = one.person;
    const stuck = one.is_stuck ? el("span", { class: "stuck", text: ` · ${words.stuck}` }) : null;
    const info = el("span", { class: "info" }, el("span", { class: "quiet", text: words.trainee(one) }), stuck);
    const click = () => onLetBegin(one.person);
    const button = el("button", { class: "push", text: words.letBegin, test: "let-begin", on: { click } });
    return el("li", { test: `trainee:${name}` }, el("b", { text: name }), info, button);
  });
  const list = rows.length ? el("ul", {}, ...rows) : el("p", { class: "quiet", text: words.noTrainees });
  return el("section", { class: "card" }, el("h2", { text: words.trainees }), list);
}

/** @param {GoldPage} page */
function makePeople({ people }) {
  const percent = (/** @type {Share | null} */ share) => (share ? `${Math.round(share[0] * 100)} %` : "");
  const rows = people.map((one) => {
    const cells = [one.images, one.passed, percent(one.found), percent(one.right)];
    const numbers = cells.map((cell) => el("td", { class: "number", text: String(cell) }));
    return el("tr", {}, el("th", { text: one.person.name }), ...numbers);
  });
  const table = makeTable("", words.heads, el("tbody", {}, ...rows), (at) => at > 0);
  const none = el("p", { class: "quiet", text: words.noPeople });
  return el("section", { class: "card" }, el("h2", { text: words.people }), rows.length ? table : none);
}
