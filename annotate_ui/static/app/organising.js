/** The frame of an organiser's page: its heading, the line that says what was done, and asking again. */

import { createNewest, explain, Refused } from "./api.js";
import { byId, el } from "./view/dom.js";

/**
 * Fills the element `id`. `attempt` says what fails, and answers whether nothing did; `act` also says what was done
 * and refreshes; `follow` shows an answer now and every few seconds while the page is looked at.
 * @param {string} id
 * @param {{title: string | HTMLElement, noServer: string, stale?: string}} words
 * @param {...(HTMLElement | null)} head
 */
export function openFrame(id, { title, noServer, stale }, ...head) {
  const place = byId(id);
  const said = el("p", { class: "said", role: "status", test: "said" });
  const newest = createNewest();
  let isLost = false;
  let refresh = async () => {};

  /**
   * @param {string} text
   * @param {boolean} isRefusal
   */
  function say(text, isRefusal = false) {
    said.textContent = text;
    said.classList.toggle("refusal", isRefusal);
    isLost = false;
  }

  /** @param {() => Promise<unknown>} step */
  async function attempt(step) {
    try {
      await step();
      return true;
    } catch (error) {
      const isStale = stale && error instanceof Refused && error.code === "stale";
      say(isStale ? stale : explain(error, noServer), true);
      return false;
    }
  }

  /**
   * @param {() => Promise<unknown>} step
   * @param {string} [done] none where the step says it
   */
  async function act(step, done) {
    const isDone = await attempt(step);
    if (isDone && done) say(done);
    await refresh();
    return isDone;
  }

  /**
   * An answer that a later request overtook is not shown; without `everySecs` it asks only after an action.
   * @template T
   * @param {() => Promise<T>} ask
   * @param {(answer: T) => void} show
   * @param {number} [everySecs]
   */
  async function follow(ask, show, everySecs) {
    refresh = async () => {
      const isFresh = await attempt(async () => {
        const answer = await newest(ask);
        if (answer !== null) show(answer);
      });
      if (isFresh && isLost) say("");
      isLost = !isFresh;
      place.dataset.fresh = String(isFresh);
      place.dataset.ready = "true";
    };
    await refresh();
    if (everySecs) setInterval(() => document.hidden || void refresh(), everySecs * 1000);
  }

  return {
    place,
    say,
    attempt,
    act,
    refresh: () => refresh(),
    follow,
    /** Before what the template has. @param {...HTMLElement} content */
    fill(...content) {
      const heading = typeof title === "string" ? el("h1", { text: title }) : el("h1", {}, title);
      place.prepend(el("header", { class: "board-head" }, heading, ...head, said), ...content);
    },
  };
}
