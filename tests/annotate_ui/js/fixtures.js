/** A party and objects to test with. */

import { objectsIn, openEditor, select } from "#app/state/editor.js";
import { startModel } from "#app/state/model.js";
import { newObject } from "#app/state/objects.js";
import { DEFAULTS } from "#app/state/preferences.js";
import { startSaving } from "#app/state/saving.js";

/** @import {Size, VocBox} from "#app/geometry/types.js" */
/** @import {Editor, Entry, Objects, Order} from "#app/state/types.js" */
/** @import {Workspace} from "#app/tools/types.js" */
/** @import {ClassSpec, Journal, Party, Revision, SentObject, Task} from "#app/types.js" */

/** @type {Size} */
export const SIZE = [500, 375];

/** @type {Order} */
export const DONE = { finish: true, discardReason: null, comment: "", isComplete: null };
export const IDLE_CURSOR = { at: null, gesture: null, isByKeys: false, resumes: null };

/**
 * @param {string} name
 * @param {Partial<ClassSpec>} [rest]
 * @returns {ClassSpec}
 */
export function makeClass(name, rest = {}) {
  const has = { has_views: true, has_parts: false, has_actions: false };
  const words = { synonyms: [], examples: [], groups: [], short_rule: "" };
  return { id: name, name, display: name, ...words, ...has, ...rest };
}

const ACTIONS = {
  jumping: "jumping",
  phoning: "phoning",
  playinginstrument: "playing a musical instrument",
  reading: "reading",
  ridingbike: "riding a bicycle or motorcycle",
  ridinghorse: "riding a horse",
  running: "running",
  takingphoto: "taking a photograph",
  usingcomputer: "using a computer",
  walking: "walking",
  other: "other",
};

/** @type {Party} */
export const PARTY = {
  name: "Test party",
  classes: [
    makeClass("aeroplane", { groups: ["Vehicles"] }),
    makeClass("bicycle", { groups: ["Vehicles", "2-wheeled"] }),
    makeClass("bottle", { groups: ["Household"], has_views: false }),
    makeClass("bus", { groups: ["Vehicles", "4-wheeled"] }),
    makeClass("motorbike", { groups: ["Vehicles", "2-wheeled"] }),
    makeClass("person", { has_parts: true, has_actions: true }),
    makeClass("diningtable", { groups: ["Household"], display: "dining table" }),
  ],
  views: ["Unspecified", "Frontal", "Rear", "Left", "Right"].map((id) => ({
    id,
    display: id.toLowerCase(),
  })),
  flags: ["truncated", "occluded", "difficult"],
  parts: [
    { id: "head", display: "head", most: 1 },
    { id: "hand", display: "hand", most: 2 },
    { id: "foot", display: "foot", most: 2 },
  ],
  actions: Object.entries(ACTIONS).map(([id, display]) => ({
    id,
    display,
    excludes_others: id === "other",
  })),
  discard_reasons: [{ id: "no_object", display: "no object of the classes" }],
  min_box_px: 4,
  max_objects: 1000,
  lease_secs: 600,
  images_ahead: 2,
  judge_each_object: false,
  guidelines_html: "",
  guidelines_number: 0,
  classes_number: 0,
  moved: { class: {}, group: {}, view: {}, part: {}, action: {} },
  retired: { class: {}, group: {}, view: {}, part: {}, action: {} },
};

/**
 * @param {string} key
 * @param {VocBox} box
 * @param {string} [className]
 */
export function makeObject(key, box, className = "person") {
  return newObject(key, className, box, { size: SIZE, flags: PARTY.flags });
}

export const HORSE = makeObject("h", [100, 100, 300, 300], "bus");
export const RIDER = makeObject("r", [150, 120, 220, 260]);

/**
 * @param {Objects} objects
 * @param {string} [key] of the object that is selected
 */
export function makeEditor(objects = [], key) {
  const editor = openEditor(PARTY, SIZE, objects, "person");
  return key ? select(editor, { key, part: null }) : editor;
}

/**
 * @param {Editor} editor
 * @returns {Workspace}
 */
export const workspaceWith = (editor) => ({ editor, cursor: IDLE_CURSOR });

/** @param {{editor: Editor}} workspace */
export const boxesOn = ({ editor }) => objectsIn(editor).map((object) => object.box);

export const makeModel = () =>
  startModel("annotate", { id: 3, name: "ann", role: "annotator" }, PARTY, DEFAULTS);

/**
 * @param {SentObject[]} objects
 * @param {Partial<Revision>} [rest]
 * @returns {Revision}
 */
export function makeRevision(objects, rest = {}) {
  const nothing = { parent_id: null, finished: false, discard_reason: null, comment: "", unsure_classes: [] };
  return { id: 31, saved_at: "2026-01-31T12:00:00Z", ...nothing, objects, ...rest };
}

/**
 * @param {SentObject[] | null} objects
 * @param {number} [revisionId]
 * @returns {Task}
 */
export function makeTask(objects = null, revisionId = 31) {
  const [width, height] = SIZE;
  return {
    image_id: 12,
    kind: "annotate",
    image_url: "/images/0.jpg",
    width,
    height,
    photo: null,
    lease: { id: 7, expires_at: "2026-01-31T12:10:00Z" },
    annotation: objects && makeRevision(objects, { id: revisionId }),
    review: null,
  };
}

/**
 * Unsent work of ann on image 12, as the journal keeps it.
 * @param {Partial<Entry>} rest
 * @param {Partial<Entry["saving"]>} saving
 * @returns {Entry}
 */
export function makeEntry(rest = {}, saving = {}) {
  return {
    id: "3:annotate:12",
    personId: 3,
    kind: "annotate",
    imageId: 12,
    objects: [makeObject("a", [10, 10, 50, 50])],
    unsureClasses: [],
    judgements: [],
    activeSecs: 40,
    drawnSecs: [["a", 2.5]],
    ...rest,
    saving: { ...startSaving(31, []), changedAt: 5, ...saving },
  };
}

/**
 * A journal that ends with the test; what it keeps cannot be changed from outside.
 * @param {Entry[]} entries
 * @returns {Journal & {kept: Map<string, Entry>}}
 */
export function makeJournal(entries = []) {
  const kept = new Map(entries.map((entry) => [entry.id, entry]));
  return {
    kept,
    isDurable: true,
    find: async (id) => kept.get(id) ?? null,
    list: async (personId) => [...kept.values()].filter((entry) => entry.personId === personId),
    keep: async (entry) => void kept.set(entry.id, structuredClone(entry)),
    drop: async (id) => void kept.delete(id),
  };
}
