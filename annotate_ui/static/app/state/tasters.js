/** Images for one task alone, Layout or Action: which class people draw on them, and what a person still lacks. */

/** @import {ClassSpec, Party, Task} from "../types.js" */
/** @import {Objects} from "./types.js" */

/** The class of all objects on such an image; null in a party without it. @param {Party} party */
export function findPerson(party) {
  return party.classes.find(({ name }) => name === "person") ?? null;
}

/** @typedef {"empty" | "class" | "parts" | "actions" | "point" | "other_task"} Lack */

/**
 * The first object that the server would refuse on an image for one task, and why; null where there is none.
 * @type {(party: Party, task: Task, objects: Objects) => {key: string | null, lack: Lack} | null}
 */
export function findLack(party, { taster }, objects) {
  if (!taster) return null;
  if (objects.length === 0) return { key: null, lack: "empty" };
  const person = findPerson(party);
  for (const object of objects) {
    const lack = lackOf(person, taster, object);
    if (lack) return { key: object.key, lack };
  }
  return null;
}

/**
 * @param {ClassSpec | null} person
 * @param {NonNullable<Task["taster"]>} taster
 * @param {Objects[number]} object
 * @returns {Lack | null}
 */
function lackOf(person, taster, { class: name, actions, point, parts }) {
  if (name !== person?.id) return "class";
  if (taster === "layout") {
    if (actions.length > 0 || point !== null) return "other_task";
    return parts.length === 0 ? "parts" : null;
  }
  if (parts.length > 0) return "other_task";
  if (actions.length === 0) return "actions";
  return point === null ? "point" : null;
}
