/** People: invite by link and QR, set roles, renew or end links, open sign-up for walk-ins. */

import { openApi } from "./api.js";
import { showStopped } from "./view/stopped.js";
import { openFrame } from "./organising.js";
import { texts } from "./texts.js";
import { byId, el, fillOnce, makeOptions, sureButton, syncList } from "./view/dom.js";
import { clock } from "./view/words.js";

/** @import {Code, Invited, Member, Members} from "./types.js" */

const EVERY_SECS = 5;
const words = texts.people;
const api = openApi(showStopped);
const { person: self } = await api.session();
const { fill, say, act, follow } = openFrame("people", words);
const [link, name, hours, most] = ["link", "name", "hours", "most"].map(
  (id) => /** @type {HTMLInputElement} */ (byId(id)),
);
const role = /** @type {HTMLSelectElement} */ (byId("role"));

role.append(...makeOptions(words.roles, "annotator"));
byId("invite").onsubmit = (event) => {
  event.preventDefault();
  const invited = name.value;
  const invite = act(async () => showLink(await api.invite(invited, role.value)));
  void invite.then((isInvited) => isInvited && name.value === invited && (name.value = ""));
};
byId("offer").onsubmit = (event) => {
  event.preventDefault();
  void act(() => api.openCode(Number(hours.value), Number(most.value)));
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
fill();
await follow(api.people, show, EVERY_SECS);

/** @param {Members} answer */
function show({ people, codes }) {
  byId("offer").hidden = codes.length > 0;
  byId("door").hidden = codes.length === 0;
  fillOnce(byId("door"), codes, () => makeDoor(codes));
  syncList(byId("members"), people, {
    keyOf: (member) => String(member.id),
    make: () => el("tr"),
    fill: fillRow,
  });
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
  const ago = member.ended_at ? words.ended : texts.board.ago(member.seen_at, new Date().toISOString());
  if (seen.textContent !== ago) seen.textContent = ago;
}

/** @param {Member} member */
function makeCells(member) {
  const { id, name, version } = member;
  const isSelf = id === self.id;
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
  const renew = () => act(async () => showLink(await api.renewLink(id, version)), words.renewed(name));
  const end = () => act(() => api.endLink(id, version), words.endedNow(name));
  let planned = Promise.resolve("");
  /** Says what an undo would set aside; the undo is of that, or the server refuses. */
  const plan = () => {
    const answer = api.planUndo(id);
    planned = answer.then(
      ({ version }) => version,
      () => "",
    );
    return act(async () => say((await answer).lines.join(" ")));
  };
  const undo = () => act(async () => say((await api.undoPerson(id, await planned)).lines.join(" ")));
  const label = `${words.renew}: ${name}`;
  return [
    el("td", {}, name, member.walked_in ? el("small", { class: "quiet", text: ` ${words.walkedIn}` }) : null),
    el("td", {}, role),
    el("td", { class: "seen" }),
    el("td", { text: member.trained_at ? "✓" : "" }),
    el(
      "td",
      {},
      isSelf
        ? null
        : el("button", { text: words.renew, test: `renew:${name}`, aria: { label }, on: { click: renew } }),
    ),
    el(
      "td",
      {},
      isSelf || member.ended_at ? null : sureButton(`end:${name}`, [words.end, words.sure], end, { name }),
    ),
    el(
      "td",
      {},
      isSelf ? null : sureButton(`undo:${name}`, [words.undo, words.sureUndo], undo, { name, first: plan }),
    ),
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
