/** Beside the gold images: what is asked of new people, who waits, and how people did. */

import { texts } from "../texts.js";
import { el } from "./dom.js";

/** @typedef {import("../state/gold.js").GoldPage} GoldPage */
/** @typedef {import("../state/board.js").Shares} Shares */
/** @typedef {{onLetBegin: (who: import("../state/gold.js").Who) => void, onShares: (shares: Shares) => void}} Listener */

const words = texts.gold;

/**
 * @param {GoldPage} page
 * @param {Listener} listener
 */
export function makeGoldSide(page, listener) {
  const offered = page.images.filter((one) => one.is_training).length;
  return [makeShares(page.shares, offered, listener), makeTrainees(page, listener), makePeople(page)];
}

/**
 * @param {Shares} shares
 * @param {number} offered
 * @param {Listener} listener
 */
function makeShares(shares, offered, { onShares }) {
  const images = number("training-images", shares.training_images, 1);
  const share = number("gold-share", Math.round(shares.gold_share * 1000) / 10, 0.1);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onShares({ ...shares, training_images: Number(images.value), gold_share: Number(share.value) / 100 });
  };
  const hint = words.tooFew(shares.training_images, offered);
  return el(
    "section",
    { class: "card" },
    el(
      "form",
      { class: "ask-shares", on: { submit } },
      el("label", {}, el("span", { text: words.asked }), images),
      el("label", {}, el("span", { text: words.share }), share),
      hint ? el("p", { class: "warn", text: hint, test: "too-few" }) : null,
      el("p", { class: "acts" }, el("button", { type: "submit", text: words.save, test: "save-shares" })),
    ),
  );
}

/**
 * @param {string} test
 * @param {number} value
 * @param {number} step
 */
function number(test, value, step) {
  const input = el("input", { type: "number", test });
  Object.assign(input, { min: 0, max: 100, step, required: true });
  input.value = String(value);
  return input;
}

/**
 * @param {GoldPage} page
 * @param {Listener} listener
 */
function makeTrainees({ trainees }, { onLetBegin }) {
  const rows = trainees.map((one) =>
    el(
      "li",
      { test: `trainee:${one.person.name}` },
      el("b", { text: one.person.name }),
      el(
        "span",
        { class: "info" },
        el("span", { class: "quiet", text: words.trainee(one) }),
        one.is_stuck ? el("span", { class: "stuck", text: ` · ${words.stuck}` }) : null,
      ),
      el("button", {
        class: "push",
        type: "button",
        text: words.letBegin,
        test: "let-begin",
        on: { click: () => onLetBegin(one.person) },
      }),
    ),
  );
  return el(
    "section",
    { class: "card" },
    el("h2", { text: words.trainees }),
    rows.length ? el("ul", {}, ...rows) : el("p", { class: "quiet", text: words.noTrainees }),
  );
}

/** @param {GoldPage} page */
function makePeople({ people }) {
  const percent = (/** @type {import("../state/gold.js").Share | null} */ share) =>
    share ? `${Math.round(share[0] * 100)} %` : "";
  const rows = people.map((one) =>
    el(
      "tr",
      {},
      el("th", { text: one.person.name }),
      ...[one.images, one.passed, percent(one.found), percent(one.right)].map((value) =>
        el("td", { class: "number", text: String(value) }),
      ),
    ),
  );
  const heads = words.heads.map((text, at) => el(text ? "th" : "td", { class: at ? "number" : "", text }));
  return el(
    "section",
    { class: "card" },
    el("h2", { text: words.people }),
    rows.length
      ? el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows))
      : el("p", { class: "quiet", text: words.noPeople }),
  );
}
