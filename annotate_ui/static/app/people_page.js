/** People: invite by link and QR, set roles, renew or end links, open sign-up for walk-ins. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { texts } from "./organising_texts.js";
import { askSure } from "./view/dialog.js";
import { byId, el, fillOnce, makeOptions, syncList } from "./view/dom.js";
import { makeEmpty } from "./view/empty.js";
import { makeRowMenu } from "./view/row_menu.js";
import { clock, dayAndClock } from "./view/words.js";

/** @import {Code, Invited, Member, Members} from "./types.js" */

const EVERY_SECS = 5;
/** So many people are searched rather than read. */
const MANY = 8;
const words = texts.people;
const api = openApi(showStopped);
const find = el("input", {
  type: "search",
  class: "find",
  placeholder: words.find,
  test: "find",
  hidden: true,
  aria: { label: words.find },
});
const { place, fill, say, attempt, act, follow } = openFrame("people", words, find);
const [link, name, hours, most] = ["link", "name", "hours", "most"].map(
  (id) => /** @type {HTMLInputElement} */ (byId(id)),
);
const role = /** @type {HTMLSelectElement} */ (byId("role"));

role.append(...makeOptions(words.roles, "annotator"));
byId("invite").onsubmit = (event) => {
  event.preventDefault();
  const invited = name.value;
  void act(async () => {
    showLink(await api.invite(invited, role.value));
    if (name.value === invited) name.value = "";
  });
};
byId("offer").onsubmit = (event) => {
  event.preventDefault();
  void act(async () => {
    await api.openCode(Number(hours.value), Number(most.value));
    byId("offer").hidden = true; // not pressed again until the page has asked for the code
  });
};
byId("copy").onclick = async () => {
  const shown = /** @type {HTMLElement} */ (link.querySelector("code"));
  if (navigator.clipboard) await navigator.clipboard.writeText(shown.textContent ?? "");
  else {
    // A page served over http has no clipboard: there the text is selected first.
    getSelection()?.selectAllChildren(shown);
    document.execCommand("copy");
  }
  byId("copy").textContent = words.copied;
};
byId("done").onclick = () => {
  link.hidden = true;
  /** @type {HTMLElement} */ (link.querySelector("code")).textContent = "";
};
find.oninput = showFound;
/** Those who stand for an import. */
let importIds = new Set();
fill();
place.hidden = false; // its forms are listened to by now
await follow(api.people, show, EVERY_SECS);

/** @param {Members} answer */
function show({ people, imports, codes }) {
  importIds = new Set(imports);
  byId("offer").hidden = codes.length > 0;
  byId("door").hidden = codes.length === 0;
  fillOnce(byId("door"), codes, () => makeDoor(codes));
  syncList(byId("members"), people, {
    keyOf: (member) => String(member.id),
    make: () => el("tr"),
    fill: fillRow,
  });
  find.hidden = people.length < MANY;
  showFound();
}

/** Hides the rows of other people than those looked for, and says so where nobody is left. */
function showFound() {
  const rows = [...byId("members").children].filter((row) => row instanceof HTMLElement);
  const wanted = find.hidden ? "" : find.value.trim().toLocaleLowerCase();
  for (const row of rows) {
    const shown = row.querySelector("b")?.textContent ?? "";
    row.hidden = !shown.toLocaleLowerCase().includes(wanted);
  }
  const isAlone = rows.length === 1;
  const isNobody = rows.every((row) => row.hidden);
  const invite = el("button", { class: "main", text: words.invite, on: { click: () => name.focus() } });
  byId("no-members").hidden = !isAlone && !isNobody;
  fillOnce(byId("no-members"), isAlone, () => [
    isAlone ? makeEmpty("people", words.none, invite) : el("p", { class: "quiet", text: words.nobody }),
  ]);
}

/** @param {Invited} invited */
function showLink({ person, link: { url, qr } }) {
  const text = words.linkOf(person.name);
  Object.assign(/** @type {HTMLImageElement} */ (link.querySelector("img")), { src: qr, alt: text });
  /** @type {HTMLElement} */ (link.querySelector("h2")).textContent = text;
  /** @type {HTMLElement} */ (link.querySelector("code")).textContent = url;
  byId("copy").textContent = words.copy;
  say("");
  link.hidden = false;
}

/**
 * Fills the row only if something but the last visit changed, so that no click meets a new button.
 * @param {HTMLElement} row
 * @param {Member} member
 */
function fillRow(row, member) {
  row.className = member.ended_at ? "ended" : "";
  fillOnce(row, { ...member, seen_at: null }, () => makeCells(member));
  const seen = /** @type {HTMLElement} */ (row.querySelector("td.seen"));
  const ago = sayLast(member);
  if (seen.textContent !== ago) seen.textContent = ago;
}

/** When the person was seen, or why nobody can be. @param {Member} member */
function sayLast({ id, ended_at, seen_at }) {
  if (importIds.has(id)) return words.imported;
  return ended_at ? words.ended : texts.board.ago(seen_at, new Date().toISOString());
}

/** @param {Member} member */
function makeCells(member) {
  const { id, name, version } = member;
  const isSelf = id === api.openedFor.person_id;
  const setRole = async () => {
    const wanted = role.value;
    const isSet = await act(
      () => api.setRole(id, wanted, version),
      words.roleSet(name, words.roles[wanted] ?? wanted),
    );
    if (!isSet) role.value = member.role;
  };
  const looks = {
    test: `role:${name}`,
    aria: { label: words.role },
    disabled: isSelf,
    on: { change: setRole },
  };
  const role = el("select", looks, ...makeOptions(words.roles, member.role));
  return [
    el(
      "td",
      {},
      el("b", { text: name }),
      member.walked_in ? el("small", { class: "quiet", text: ` ${words.walkedIn}` }) : null,
    ),
    el("td", {}, role),
    el("td", { class: "seen" }),
    el("td", member.trained_at ? { text: "✓", title: words.trained(dayAndClock(member.trained_at)) } : {}),
    el("td", { class: "acts" }, isSelf ? null : makeRowMenu(name, listActions(member))),
  ];
}

/** @param {Member} member */
function listActions({ id, name, version, ended_at }) {
  const renew = async () => {
    if (!(await askSure(words.sureRenew(name), words.renew, [words.thenRenewed]))) return;
    await act(async () => showLink(await api.renewLink(id, version)), words.renewed(name));
  };
  const end = async () => {
    if (!(await askSure(words.sure(name), words.end, [words.thenEnded]))) return;
    await act(() => api.endLink(id, version), words.endedNow(name));
  };
  /** Says what an undo would set aside; the undo is of that, or the server refuses. */
  const undo = () =>
    attempt(async () => {
      const plan = await api.planUndo(id);
      if (!(await askSure(words.sureUndo(name), words.undo, plan.lines))) return;
      await act(async () => say((await api.undoPerson(id, plan.version)).lines.join(" ")));
    });
  return [
    ...(importIds.has(id) ? [] : [{ text: words.renew, test: `renew:${name}`, act: () => void renew() }]),
    ...(ended_at ? [] : [{ text: words.end, test: `end:${name}`, act: () => void end() }]),
    { text: words.undo, test: `undo:${name}`, act: () => void undo() },
  ];
}

/** @param {readonly Code[]} codes */
function makeDoor(codes) {
  return codes.slice(0, 1).flatMap(({ id, code, people, most_people, expires_at, url, qr }) => {
    const until = expires_at ? words.until(clock(expires_at)) : "";
    const close = () => act(() => api.endCode(id), words.closed);
    const enlarge = () => void byId("door").requestFullscreen?.();
    const full = el("button", { text: words.full, on: { click: enlarge } });
    const about = [
      el("p", { class: "code", text: `${code.slice(0, 4)} ${code.slice(4)}`, test: "code" }),
      el("p", { class: "link" }, el("code", { text: url.split("?")[0] ?? "" })),
      el("p", { class: "quiet", text: `${words.codeState(people, most_people)}, ${until}` }),
      el(
        "p",
        { class: "acts" },
        full,
        el("button", { text: words.close, test: "door-close", on: { click: close } }),
      ),
    ];
    return [el("img", { class: "qr", src: qr, alt: url }), el("div", {}, ...about)];
  });
}
