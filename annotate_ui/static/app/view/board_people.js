/** The table of people on the board: what they do, how well, and what they hold. */

import { agoSecs, grouped, orderPeople, percent, stuckSecs, unusualPace } from "../state/board.js";
import { texts } from "../organising_texts.js";
import { askSure } from "./dialog.js";
import { el, imagesLink, makeTable, syncList } from "./dom.js";

/** @import {Agreement, Board, Hold, Interval, PersonProgress} from "../state/types.js" */

const HERE_SECS = 600;

/** @param {(hold: Hold, name: string) => void} takeBack */
export function mountPeopleTable(takeBack) {
  const words = texts.board;
  const body = el("tbody");
  let shown = /** @type {Board | null} */ (null);
  let order = /** @type {number[]} */ ([]);
  let agreeing = /** @type {Map<number, Interval>} */ (new Map());
  const isNumber = (/** @type {number} */ place) => place > 1 && place < 8;
  const element = el("div", { class: "scroll" }, makeTable("people", words.heads, body, isNumber));
  return {
    element,
    /** @param {Agreement} answer */
    showAgreement: ({ people }) => {
      agreeing = new Map(people.map((person) => [person.id, person.both]));
      if (shown) show(shown);
    },
    show,
  };

  /** @param {Board} board */
  function show(board) {
    shown = board;
    // The rows keep their places while the pointer is over them.
    const isFree = body.childElementCount === 0 || !element.matches(":hover, :focus-within");
    if (isFree) order = orderPeople(board.people, board.at).map(({ id }) => id);
    const rows = board.people.map((person) => ({ person, place: order.indexOf(person.id) >>> 0 }));
    rows.sort((first, second) => first.place - second.place);
    syncList(body, rows, {
      keyOf: ({ person }) => String(person.id),
      make: () => el("tr"),
      fill: (row, { person }) => fill(row, person, board),
    });
  }

  /**
   * @param {HTMLElement} row
   * @param {PersonProgress} person
   * @param {Board} board
   */
  function fill(row, person, board) {
    const secs = agoSecs(person.seen_at, board.at);
    row.className = person.is_ended ? "ended" : secs !== null && secs < HERE_SECS ? "here" : "";
    const cells = [
      paceOf(person, board),
      words.active(person.active_secs),
      percent(agreeing.get(person.id)),
      percent(person.fixed),
    ];
    const holds = board.holds.filter((hold) => hold.person_id === person.id);
    // What can be pressed stays the same element, so that no click meets a new button.
    const holding = row.querySelector("td.holds") ?? row.appendChild(el("td", { class: "holds" }));
    syncList(/** @type {HTMLElement} */ (holding), holds, {
      keyOf: (hold) => String(hold.lease_id),
      make: (hold) => makeChip(hold, person.name),
      fill: (chip, hold) => fillChip(chip, hold, board.at),
    });
    const counts = [
      imagesLink({ annotator: person.name }, grouped(person.images)),
      imagesLink({ checker: person.name }, grouped(person.checked), `checked:${person.name}`),
    ];
    for (const cell of row.querySelectorAll("td:not(.holds)")) cell.remove();
    row.prepend(
      el("td", {}, el("i", { class: "dot" }), imagesLink({ annotator: person.name }, person.name)),
      el("td", {
        class: "quiet",
        text: person.is_ended ? words.ended : (texts.people.roles[person.role] ?? ""),
      }),
      ...counts.map((link) => el("td", { class: "number" }, link)),
      ...cells.map((cell) => el("td", { class: "number" }, cell)),
      el(
        "td",
        { text: words.ago(person.seen_at, board.at) },
        person.slowed_at
          ? el("small", { class: "slowed", text: ` ${words.slowed(words.ago(person.slowed_at, board.at))}` })
          : null,
      ),
    );
  }

  /**
   * Images an hour, marked where the pace is unusual.
   * @param {PersonProgress} person
   * @param {Board} board
   */
  function paceOf(person, { people }) {
    const times = unusualPace(person, people);
    const pace = person.per_hour === null ? "–" : grouped(person.per_hour);
    return times === null
      ? pace
      : el("span", {}, el("small", { class: "warn", text: `${words.unusual(times)} ` }), pace);
  }

  /**
   * @param {Hold} hold
   * @param {string} name
   */
  function makeChip(hold, name) {
    const isSure = () => askSure(words.takeBackSure(hold.image_id, name), words.takeBack);
    const click = async () => (await isSure()) && takeBack(hold, name);
    const button = el("button", { test: `take-back:${hold.lease_id}`, on: { click } });
    return el("span", {}, imagesLink({ id: String(hold.image_id) }, String(hold.image_id)), " ", button);
  }

  /**
   * @param {HTMLElement} place
   * @param {Hold} hold
   * @param {string} at
   */
  function fillChip(place, hold, at) {
    const chip = /** @type {HTMLElement} */ (place.lastElementChild);
    chip.className = hold.is_opened ? "chip" : "chip reserved";
    chip.title = words.takeBackTitle(hold, agoSecs(hold.last_sign_at, at) ?? 0);
    const stuck = stuckSecs(hold, at);
    chip.classList.toggle("stuck", stuck !== null);
    chip.textContent = stuck === null ? words.hold(hold) : words.idle(Math.round(stuck / 60));
  }
}
