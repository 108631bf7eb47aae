/** People: invite by link and QR, set roles, renew or end links, open sign-up for walk-ins. */

import { openApi } from "./api.js";
import { openFrame } from "./organising.js";
import { texts } from "./texts.js";
import { createSlot, el, makeTable, sureButton, syncList } from "./view/dom.js";
import { clock } from "./view/words.js";

/** @import {Code, Invited, Member, Members} from "./types.js" */

const EVERY_SECS = 5;
const words = texts.people;
const api = openApi();
const { person: self } = await api.session();
const { fill, say, act, follow } = openFrame("people", words);
const link = el("section", { class: "card link-card", hidden: true, test: "link-card" });
const door = createSlot(makeDoor, el("section", { class: "card", test: "door" }));
const body = el("tbody");

fill(
  el("div", { class: "cards" }, el("section", { class: "card" }, el("h2", { text: words.invite }), makeInvitation()), door.element),
  link,
  el("div", { class: "scroll card" }, makeTable("people", words.heads, body)),
);
await follow(api.people, show, EVERY_SECS);

/** @param {Members} answer */
function show({ people, codes }) {
  door.show(codes);
  syncList(body, people, { keyOf: (one) => String(one.id), make: () => el("tr"), fill: fillRow });
}

function makeInvitation() {
  const name = el("input", { name: "name", maxlength: 100, required: true, test: "invite-name" });
  const role = roleChoice("annotator", "invite-role");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void act(async () => showLink(await api.invite(name.value, role.value)));
    name.value = "";
  };
  return el(
    "form",
    { class: "invite", on: { submit } },
    el("label", {}, el("span", { text: words.name }), name),
    el("label", {}, el("span", { text: words.role }), role),
    el("button", { type: "submit", class: "main", text: words.add, test: "invite" }),
  );
}

/** @param {Invited} invited */
function showLink({ person, link: { url, qr } }) {
  const address = el("code", { text: url, test: "link" });
  const copy = el("button", { text: words.copy, test: "link-copy" });
  copy.addEventListener("click", async () => {
    await copyText(address);
    copy.textContent = words.copied;
  });
  const hide = () => {
    link.hidden = true;
    link.replaceChildren();
  };
  say("");
  link.replaceChildren(
    el("img", { class: "qr", src: qr, alt: words.linkOf(person.name) }),
    el(
      "div",
      {},
      el("h2", { text: words.linkOf(person.name) }),
      el("p", { class: "link" }, address),
      el("p", { class: "quiet", text: words.linkNote }),
      el("p", { class: "acts" }, copy, el("button", { text: words.done, test: "link-done", on: { click: hide } })),
    ),
  );
  link.hidden = false;
}

/** A page served over http has no clipboard: there the text is selected first. @param {HTMLElement} shown */
async function copyText(shown) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(shown.textContent ?? "");
  getSelection()?.selectAllChildren(shown);
  document.execCommand("copy");
}

/**
 * A row is made anew where it says something else, so that no click meets a new button; when the
 * person was here last changes all the time.
 * @param {HTMLElement} row
 * @param {Member} one
 */
function fillRow(row, one) {
  row.className = one.ended_at ? "ended" : "";
  createSlot(makeCells, row).show(one, { ...one, seen_at: null });
  const seen = /** @type {HTMLElement} */ (row.querySelector("td.seen"));
  const ago = one.ended_at ? words.ended : texts.board.ago(one.seen_at, new Date().toISOString());
  if (seen.textContent !== ago) seen.textContent = ago;
}

/** @param {Member} one */
function makeCells(one) {
  const { id, name } = one;
  const isSelf = id === self.id;
  const role = roleChoice(one.role, `role:${name}`);
  role.disabled = isSelf;
  role.addEventListener("change", () =>
    act(() => api.setRole(id, role.value), words.roleSet(name, words.roles[role.value] ?? role.value)),
  );
  const renew = () => act(async () => showLink(await api.renewLink(id)), words.renewed(name));
  const end = () => act(() => api.endLink(id), words.endedNow(name));
  const undo = (/** @type {boolean} */ isDryRun) => () =>
    act(async () => say((await api.undoPerson(id, isDryRun)).lines.join(" ")));
  const label = `${words.renew}: ${name}`;
  return [
    el("td", {}, name, one.walked_in ? el("small", { class: "quiet", text: ` ${words.walkedIn}` }) : null),
    el("td", {}, role),
    el("td", { class: "seen" }),
    el("td", { text: one.trained_at ? "✓" : "" }),
    el("td", {}, isSelf ? null : el("button", { text: words.renew, test: `renew:${name}`, aria: { label }, on: { click: renew } })),
    el("td", {}, isSelf || one.ended_at ? null : sureButton(`end:${name}`, [words.end, words.sure], end, { name })),
    el("td", {}, isSelf ? null : sureButton(`undo:${name}`, [words.undo, words.sureUndo], undo(false), { name, first: undo(true) })),
  ];
}

/** @param {readonly Code[]} codes */
function makeDoor([code]) {
  return [el("h2", { text: words.codeTitle }), ...(code ? showCode(code) : offerCode())];
}

function offerCode() {
  const hours = el("input", { type: "number", value: 4, min: 0.5, max: 168, step: 0.5, required: true });
  const most = el("input", { type: "number", value: 30, min: 1, max: 1000, step: 1, required: true });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    void act(() => api.openCode(Number(hours.value), Math.round(Number(most.value))));
  };
  return [
    el("p", { class: "quiet", text: `${words.codeOff} ${words.codeNote}` }),
    el(
      "form",
      { class: "invite", on: { submit } },
      el("label", {}, el("span", { text: words.hours }), hours),
      el("label", {}, el("span", { text: words.most }), most),
      el("button", { type: "submit", text: words.open, test: "door-open" }),
    ),
  ];
}

/** @param {Code} code */
function showCode({ id, code, people, most_people, expires_at, url, qr }) {
  const until = expires_at ? words.until(clock(expires_at)) : "";
  const close = () => act(() => api.endCode(id), words.closed);
  const enlarge = () => void shown.requestFullscreen?.();
  const shown = el(
    "div",
    { class: "door-open" },
    el("img", { class: "qr", src: qr, alt: url }),
    el(
      "div",
      {},
      el("p", { class: "code", text: `${code.slice(0, 4)} ${code.slice(4)}`, test: "code" }),
      el("p", { class: "link" }, el("code", { text: url.split("?")[0] ?? "" })),
      el("p", { class: "quiet", text: `${words.codeState(people, most_people)}, ${until}` }),
      el(
        "p",
        { class: "acts" },
        el("button", { text: words.full, on: { click: enlarge } }),
        el("button", { text: words.close, test: "door-close", on: { click: close } }),
      ),
    ),
  );
  return [shown];
}

/** @param {string} chosen @param {string} test */
function roleChoice(chosen, test) {
  const choice = el("select", { test, aria: { label: words.role } });
  choice.append(...Object.entries(words.roles).map(([value, text]) => el("option", { value, text })));
  choice.value = chosen;
  return choice;
}
