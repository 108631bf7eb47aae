/** People: invite by link and QR, set roles, renew or end links, open sign-up for walk-ins. */

import { explain, openApi } from "./api.js";
import { createNewest } from "./calls.js";
import { texts } from "./texts.js";
import { byId, el, syncList } from "./view/dom.js";
import { clock } from "./view/words.js";

/** @import {Code, Invited, Member, Members} from "./state/organiser.js" */

const EVERY_MS = 5000;
const SURE_MS = 8000;

const api = openApi();
const { person } = await api.session();
const words = texts.people;
const newest = createNewest();
const view = mountMembers(byId("people"), person.id, {
  invite: (name, role) =>
    act(async () => view.showLink(await api.invite(name, role)), ""),
  renew: (one) =>
    act(async () => view.showLink(await api.renewLink(one.id)), words.renewed(one.name)),
  end: (one) => act(() => api.endLink(one.id), words.endedNow(one.name)),
  undo: (one, isSure) =>
    act(async () => view.say((await api.undoPerson(one.id, !isSure)).lines.join(" ")), null),
  setRole: (one, role) =>
    act(() => api.setRole(one.id, role), words.roleSet(one.name, words.roles[role] ?? role)),
  open: (hours, most) => act(() => api.openCode(hours, most), ""),
  close: (code) => act(() => api.endCode(code.id), words.closed),
});
await refresh();
setInterval(() => document.hidden || void refresh(), EVERY_MS);

async function refresh() {
  const answer = await newest(api.people).catch(() => null);
  if (answer) view.show(answer);
  byId("people").dataset.ready = "true";
}

/** @param {() => Promise<unknown> | void} step @param {string | null} done null where the step says it */
async function act(step, done) {
  try {
    await step();
    if (done !== null) view.say(done);
  } catch (error) {
    view.say(explain(error, words.noServer));
  }
  await refresh();
}

/**
 * @typedef {{invite: (name: string, role: string) => void, renew: (one: Member) => void,
 *   end: (one: Member) => void, undo: (one: Member, isSure: boolean) => void, setRole: (one: Member, role: string) => void,
 *   open: (hours: number, most: number) => void, close: (code: Code) => void}} Listener
 */

/** @param {HTMLElement} place @param {number} ownId @param {Listener} listener */
function mountMembers(place, ownId, listener) {
  const words = texts.people;
  const said = el("p", { class: "said", role: "status", test: "said" });
  const link = el("section", { class: "card link-card", hidden: true, test: "link-card" });
  const door = el("section", { class: "card", test: "door" });
  const body = el("tbody");
  const name = el("input", { name: "name", maxlength: 100, required: true, test: "invite-name" });
  const role = roleChoice("annotator", "invite-role");
  const form = el(
    "form",
    { class: "invite" },
    el("label", {}, el("span", { text: words.name }), name),
    el("label", {}, el("span", { text: words.role }), role),
    el("button", { type: "submit", class: "main", text: words.add, test: "invite" }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    listener.invite(name.value, role.value);
    name.value = "";
  });
  const heads = words.heads.map((text) => el(text ? "th" : "td", { text }));
  place.replaceChildren(
    el("header", { class: "board-head" }, el("h1", { text: words.title }), said),
    el("div", { class: "cards" }, el("section", { class: "card" }, el("h2", { text: words.invite }), form), door),
    link,
    el("div", { class: "scroll card" }, el("table", { class: "people" }, el("thead", {}, el("tr", {}, ...heads)), body)),
  );
  let doorShown = "";
  return {
    /** @param {string} text */
    say: (text) => (said.textContent = text),
    /** @param {Members} answer */
    show({ people, codes }) {
      const fresh = JSON.stringify(codes);
      if (fresh !== doorShown) door.replaceChildren(...showDoor(codes, listener));
      doorShown = fresh;
      syncList(body, people, { keyOf: (one) => String(one.id), make: () => el("tr"), fill: fillOnce });
    },
    /** @param {Invited} invited */
    showLink({ person, link: { url, qr } }) {
      const copy = el("button", { text: words.copy, test: "link-copy" });
      const address = el("code", { text: url, test: "link" });
      copy.addEventListener("click", async () => {
        if (navigator.clipboard) await navigator.clipboard.writeText(url);
        else copyText(address);
        copy.textContent = words.copied;
      });
      const done = el("button", { text: words.done, test: "link-done" });
      done.addEventListener("click", () => {
        link.hidden = true;
        link.replaceChildren();
      });
      link.replaceChildren(
        el("img", { class: "qr", src: qr, alt: words.linkOf(person.name) }),
        el(
          "div",
          {},
          el("h2", { text: words.linkOf(person.name) }),
          el("p", { class: "link" }, address),
          el("p", { class: "quiet", text: words.linkNote }),
          el("p", { class: "acts" }, copy, done),
        ),
      );
      link.hidden = false;
    },
  };

  /**
   * A row is filled anew where it says something else, so that no click meets a new button; when
   * the person was here last changes all the time.
   * @param {HTMLElement} row
   * @param {Member} one
   */
  function fillOnce(row, one) {
    fillRow(row, one);
    const seen = row.querySelector("td.seen");
    const ago = one.ended_at ? words.ended : texts.board.ago(one.seen_at, new Date().toISOString());
    if (seen && seen.textContent !== ago) seen.textContent = ago;
  }

  /** @param {HTMLElement} row @param {Member} one */
  function fillRow(row, one) {
    const now = JSON.stringify({ ...one, seen_at: null });
    if (row.dataset.now === now) return;
    row.dataset.now = now;
    row.className = one.ended_at ? "ended" : "";
    const isOwn = one.id === ownId;
    const choice = roleChoice(one.role, `role:${one.name}`);
    choice.disabled = isOwn;
    choice.addEventListener("change", () => listener.setRole(one, choice.value));
    row.replaceChildren(
      el("td", {}, one.name, one.walked_in ? el("small", { class: "quiet", text: ` ${words.walkedIn}` }) : null),
      el("td", {}, choice),
      el("td", { class: "seen" }),
      el("td", { text: one.trained_at ? "✓" : "" }),
      el("td", {}, isOwn ? null : el("button", { text: words.renew, test: `renew:${one.name}`, aria: { label: `${words.renew}: ${one.name}` }, on: { click: () => listener.renew(one) } })),
      el("td", {}, isOwn || one.ended_at ? null : sureButton(one, "end", [words.end, words.sure], (isSure) => isSure && listener.end(one))),
      el("td", {}, isOwn ? null : sureButton(one, "undo", [words.undo, words.sureUndo], (isSure) => listener.undo(one, isSure))),
    );
  }

  /**
   * A button that does it at the second press.
   * @param {Member} one @param {string} test @param {readonly [string, string]} says first and then
   * @param {(isSure: boolean) => void} press
   */
  function sureButton(one, test, says, press) {
    const button = el("button", { test: `${test}:${one.name}` });
    const say = (/** @type {string} */ text) => {
      button.textContent = text;
      button.ariaLabel = `${text}: ${one.name}`;
    };
    say(says[0]);
    button.addEventListener("click", () => {
      const isSure = Boolean(button.dataset.sure);
      press(isSure);
      if (isSure) return;
      button.dataset.sure = "true";
      say(says[1]);
      setTimeout(() => {
        delete button.dataset.sure;
        say(says[0]);
      }, SURE_MS);
    });
    return button;
  }
}

/** @param {readonly Code[]} codes @param {Listener} listener */
function showDoor(codes, listener) {
  const words = texts.people;
  const code = codes[0];
  if (!code) {
    const hours = el("input", { type: "number", value: 4, min: 0.5, max: 168, step: 0.5, required: true });
    const most = el("input", { type: "number", value: 30, min: 1, max: 1000, step: 1, required: true });
    const form = el(
      "form",
      { class: "invite" },
      el("label", {}, el("span", { text: words.hours }), hours),
      el("label", {}, el("span", { text: words.most }), most),
      el("button", { type: "submit", text: words.open, test: "door-open" }),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      listener.open(Number(hours.value), Math.round(Number(most.value)));
    });
    return [el("h2", { text: words.codeTitle }), el("p", { class: "quiet", text: `${words.codeOff} ${words.codeNote}` }), form];
  }
  const until = code.expires_at ? words.until(clock(code.expires_at)) : "";
  const full = el("button", { text: words.full });
  const shown = el(
    "div",
    { class: "door-open" },
    el("img", { class: "qr", src: code.qr, alt: code.url }),
    el(
      "div",
      {},
      el("p", { class: "code", text: `${code.code.slice(0, 4)} ${code.code.slice(4)}`, test: "code" }),
      el("p", { class: "link" }, el("code", { text: code.url.split("?")[0] ?? "" })),
      el("p", { class: "quiet", text: `${words.codeState(code.people, code.most_people)}, ${until}` }),
      el("p", { class: "acts" }, full, el("button", { text: words.close, test: "door-close", on: { click: () => listener.close(code) } })),
    ),
  );
  full.addEventListener("click", () => void shown.requestFullscreen?.());
  return [el("h2", { text: words.codeTitle }), shown];
}

/** @param {string} chosen @param {string} test */
function roleChoice(chosen, test) {
  const choice = el("select", { test, aria: { label: texts.people.role } });
  choice.append(...Object.entries(texts.people.roles).map(([value, text]) => el("option", { value, text })));
  choice.value = chosen;
  return choice;
}

/**
 * Select the text and copy it, where a page served over http has no clipboard.
 * @param {HTMLElement} shown
 */
function copyText(shown) {
  getSelection()?.selectAllChildren(shown);
  document.execCommand("copy");
}
