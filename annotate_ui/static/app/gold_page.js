/** Gold and training images with how people did, and who waits to begin. */

import { explain, openApi, Refused } from "./api.js";
import { texts } from "./texts.js";
import { byId, el, imagesLink } from "./view/dom.js";
import { makeGoldForm, makeGoldSide } from "./view/gold.js";
import { boxed, nameObjects } from "./view/image_card.js";

/** @import {GoldChoice, GoldRow} from "./state/organiser.js" */

const words = texts.gold;
const api = openApi();
const { classes } = await api.party();
const names = classes.map((one) => one.name);
const display = (/** @type {string} */ name) => classes.find((one) => one.name === name)?.display ?? name;
const said = el("p", { class: "said", role: "status", test: "said" });
const wished = el("section", { test: "wished" });
const list = el("div", { test: "gold-images" });
const side = el("aside");

byId("gold").replaceChildren(
  el("header", { class: "board-head" }, el("h1", { text: words.title }), el("p", { class: "quiet", text: words.lead }), said),
  el("div", { class: "gold-columns" }, el("div", {}, wished, list), side),
);
await refresh();
const asked = Number(new URLSearchParams(location.search).get("image"));
if (asked > 0) await attempt(async () => showWished(await api.goldOf(asked)));
byId("gold").dataset.ready = "true";

async function refresh() {
  await attempt(async () => {
    const page = await api.gold();
    list.replaceChildren(
      ...(page.images.length ? page.images.map(makeRow) : [el("p", { class: "quiet", text: words.none, test: "none" })]),
    );
    side.replaceChildren(
      ...makeGoldSide(page, {
        onLetBegin: ({ id, name }) => act(() => api.letBegin(id), words.letIn(name)),
        onShares: (shares) => act(() => api.saveShares(shares), words.saved),
      }),
    );
  });
}

/** The image that another page sent here. @param {GoldChoice} choice */
function showWished(choice) {
  if (choice.gold) return edit(choice.image_id);
  const close = () => (wished.replaceChildren(), history.replaceState(null, "", "/gold"));
  const body =
    choice.objects.length > 0
      ? makeGoldForm(
          { is_training: false, note: "" },
          { onSave: (said) => void choose(choice.image_id, said).then(close), onCancel: close },
        )
      : el("p", { class: "problem", text: words.noObjects });
  wished.replaceChildren(
    el(
      "article",
      { class: "card settle" },
      boxed(choice, names),
      el("div", {}, el("div", { class: "facts" }, el("h2", {}, imagesLink({ id: String(choice.image_id) }, words.imageTitle(choice.image_id))), el("span", { text: nameObjects(choice.objects, display) })), body),
    ),
  );
}

/** @param {GoldRow} row */
function makeRow(row) {
  const { image_id, is_training, answers } = row;
  const kind = is_training ? "training" : "gold";
  const passed = answers.filter((one) => one.is_passed).length;
  const open = () => edit(image_id);
  return el(
    "article",
    { class: "card settle", test: `gold:${image_id}`, data: { kind } },
    boxed(row, names),
    el(
      "div",
      { class: "about" },
      el(
        "div",
        { class: "facts" },
        el("b", { class: `tag ${kind}`, text: words.chosen[kind], test: "kind" }),
        el("h2", { text: nameObjects(row.objects, display) }),
        el("span", { text: words.by(row.chosen_by) }),
        row.is_changed ? el("span", { class: "waits", text: words.changed, test: "changed" }) : null,
      ),
      row.note ? el("p", { class: "note", text: row.note }) : null,
      el("p", { text: words.passed(passed, answers.length), test: "passed" }),
      el(
        "ul",
        { class: "answers" },
        ...answers.map((one) => el("li", { class: one.is_passed ? "passed" : "", text: words.answer(one) })),
      ),
      el(
        "p",
        { class: "acts" },
        el("button", { text: words.edit, test: "edit", on: { click: open } }),
        row.is_changed
          ? el("button", { text: words.refresh, test: "refresh", on: { click: () => void choose(image_id, row) } })
          : null,
        endButton(image_id),
      ),
    ),
  );
}

/** @param {number} imageId */
function endButton(imageId) {
  const button = el("button", { text: words.end, test: "end" });
  button.addEventListener("click", () => {
    if (button.dataset.sure) return void act(() => api.endGold(imageId), words.ended);
    button.dataset.sure = "true";
    button.textContent = words.sure;
  });
  return button;
}

/** @param {number} imageId */
function edit(imageId) {
  void attempt(async () => {
    const { gold } = await api.goldOf(imageId);
    const acts = list.querySelector(`[data-testid="gold:${imageId}"] .acts`);
    if (!gold || !acts) return await refresh();
    const form = makeGoldForm(gold, {
      onSave: (choice) => void choose(imageId, choice),
      onCancel: () => void refresh(),
    });
    acts.replaceWith(form);
    form.scrollIntoView({ block: "nearest" });
    form.querySelector("textarea")?.focus();
  });
}

/** @param {number} imageId @param {{is_training: boolean, note: string}} choice */
async function choose(imageId, { is_training, note }) {
  await act(() => api.chooseGold(imageId, { is_training, note }), words.saved);
}

/** @param {() => Promise<unknown>} step @param {string} done */
async function act(step, done) {
  await attempt(async () => {
    await step();
    said.textContent = done;
  });
  await refresh();
}

/** @param {() => Promise<void>} work */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    const isStale = error instanceof Refused && error.code === "stale";
    said.textContent = isStale ? words.stale : explain(error, words.noServer);
  }
}
