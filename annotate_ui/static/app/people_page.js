/** People: invite by link and QR, set roles, renew or end links, open a door for walk-ins. */

import { openApi, Refused } from "./api.js";
import { texts } from "./texts.js";
import { createNewest } from "./turns.js";
import { byId } from "./view/dom.js";
import { mountMembers } from "./view/members_view.js";

const EVERY_MS = 5000;

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

/**
 * @param {() => Promise<unknown> | void} step
 * @param {string} done
 */
async function act(step, done) {
  try {
    await step();
    view.say(done);
  } catch (error) {
    view.say(error instanceof Refused ? error.message : words.noServer);
  }
  await refresh();
}
