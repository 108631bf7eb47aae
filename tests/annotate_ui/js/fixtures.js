/** A party and objects to test with. */

import { openEditor } from "../../../annotate_ui/static/app/state/editor.js";
import { startModel } from "../../../annotate_ui/static/app/state/model.js";
import { DEFAULTS } from "../../../annotate_ui/static/app/state/preferences.js";
import { newObject } from "../../../annotate_ui/static/app/state/objects.js";

/** @typedef {import("../../../annotate_ui/static/app/types.js").Party} Party */
/** @typedef {import("../../../annotate_ui/static/app/types.js").ClassSpec} ClassSpec */
/** @typedef {import("../../../annotate_ui/static/app/geometry/pixels.js").VocBox} VocBox */
/** @typedef {import("../../../annotate_ui/static/app/geometry/pixels.js").Size} Size */

/** @type {Size} */
export const SIZE = [500, 375];

/**
 * @param {string} name
 * @param {Partial<ClassSpec>} [rest]
 * @returns {ClassSpec}
 */
export function makeClass(name, rest = {}) {
  return {
    name,
    display: name,
    groups: [],
    short_rule: "",
    has_views: true,
    has_parts: false,
    has_actions: false,
    ...rest,
  };
}

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
  views: ["Unspecified", "Frontal", "Rear", "Left", "Right"].map((name) => ({
    name,
    display: name.toLowerCase(),
  })),
  flags: ["truncated", "occluded", "difficult"],
  parts: [
    { name: "head", display: "head", most: 1 },
    { name: "hand", display: "hand", most: 2 },
    { name: "foot", display: "foot", most: 2 },
  ],
  actions: [
    { name: "jumping", display: "jumping", excludes_others: false },
    { name: "phoning", display: "phoning", excludes_others: false },
    {
      name: "playinginstrument",
      display: "playing a musical instrument",
      excludes_others: false,
    },
    { name: "reading", display: "reading", excludes_others: false },
    { name: "ridingbike", display: "riding a bicycle or motorcycle", excludes_others: false },
    { name: "ridinghorse", display: "riding a horse", excludes_others: false },
    { name: "running", display: "running", excludes_others: false },
    { name: "takingphoto", display: "taking a photograph", excludes_others: false },
    { name: "usingcomputer", display: "using a computer", excludes_others: false },
    { name: "walking", display: "walking", excludes_others: false },
    { name: "other", display: "other", excludes_others: true },
  ],
  discard_reasons: [{ name: "no_object", display: "no object of the classes" }],
  min_box_px: 4,
  max_objects: 1000,
  lease_secs: 600,
  images_ahead: 2,
  guidelines_html: "",
  guidelines_number: 0,
};

/**
 * @param {string} key
 * @param {VocBox} box
 * @param {string} [className]
 */
export function makeObject(key, box, className = "person") {
  return newObject(key, className, box, { size: SIZE, flags: PARTY.flags });
}

/** @param {import("../../../annotate_ui/static/app/state/objects.js").Objects} objects */
export function makeEditor(objects = []) {
  return openEditor(PARTY, SIZE, objects, "person");
}

export function makeModel() {
  const person = { id: 3, name: "ann", role: "annotator" };
  return startModel("annotate", person, PARTY, DEFAULTS);
}

/**
 * @param {import("../../../annotate_ui/static/app/types.js").SentObject[] | null} objects
 * @param {number} [revisionId]
 * @returns {import("../../../annotate_ui/static/app/types.js").Task}
 */
export function makeTask(objects = null, revisionId = 31) {
  const annotation = objects && {
    id: revisionId,
    parent_id: null,
    saved_at: "2026-01-31T12:00:00Z",
    finished: false,
    discard_reason: null,
    comment: "",
    unsure_classes: [],
    objects,
  };
  return {
    image_id: 12,
    kind: "annotate",
    image_url: "/images/0.jpg",
    width: SIZE[0],
    height: SIZE[1],
    photo: null,
    lease: { id: 7, expires_at: "2026-01-31T12:10:00Z" },
    annotation,
    review: null,
  };
}
