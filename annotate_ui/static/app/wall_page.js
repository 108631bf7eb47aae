/** The wall: looks for new annotations by itself; comment, return or talk with one click. */

import { openApi, Refused } from "./api.js";
import { mergeWall } from "./state/wall.js";
import { texts } from "./texts.js";
import { createNewest } from "./turns.js";
import { clockSecs } from "./view/clock.js";
import { byId, el } from "./view/dom.js";
import { mountWall } from "./view/wall_view.js";

const EVERY_MS = 5000;
const MOST_SHOWN = 240;

const api = openApi();
const { classes } = await api.party();
const live = el("p", { class: "live", test: "live" });
const said = el("p", { class: "said", role: "status", test: "said" });
const grid = el("ul", { class: "wall", test: "wall" });
const older = el("button", { type: "button", text: texts.wall.older, on: { click: () => void showOlder() } });
byId("wall").replaceChildren(
  el("header", { class: "board-head" }, el("h1", { text: texts.wall.title }), live, said),
  grid,
  older,
);
const view = mountWall(grid, classes, {
  remark: (item, text) =>
    act(() => api.remarkOn(item.annotation_id, text), texts.wall.told(item.author.name)),
  sendBack: (item, text) =>
    act(() => api.returnFromWall(item.annotation_id, text), texts.wall.returned(item.author.name)),
});
const newest = createNewest();
let items = /** @type {import("./state/wall.js").WallItem[]} */ ([]);
await refresh();
setInterval(() => document.hidden || void refresh(), EVERY_MS);

async function refresh() {
  try {
    const wall = await newest(() => api.wall());
    if (!wall) return;
    live.textContent = texts.wall.live(clockSecs(wall.at));
    live.dataset.fresh = "true";
    show(wall.items);
  } catch (error) {
    live.dataset.fresh = "false";
    said.textContent = error instanceof Refused ? error.message : texts.wall.noServer;
  }
}

async function showOlder() {
  const last = items.at(-1);
  try {
    if (last) show((await api.wall(last.annotation_id)).items);
  } catch (error) {
    said.textContent = error instanceof Refused ? error.message : texts.wall.noServer;
  }
}

/** @param {import("./state/wall.js").WallItem[]} fresh */
function show(fresh) {
  items = mergeWall(items, fresh).slice(0, MOST_SHOWN);
  older.hidden = items.length < 24;
  view.show(items);
  byId("wall").dataset.ready = "true";
}

/**
 * @param {() => Promise<unknown>} step
 * @param {string} done
 */
async function act(step, done) {
  try {
    await step();
    said.textContent = done;
    await refresh();
    return true;
  } catch (error) {
    said.textContent = error instanceof Refused ? error.message : texts.wall.noServer;
    return false;
  }
}
