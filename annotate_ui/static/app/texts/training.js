/** What newcomers read and practise. */

import { t } from "../translate.js";
import { count } from "./words.js";

/** Said only where there are keys. @param {string} key */
const orPress = (key) => (key ? t` or press ${key}` : "");

export const training = {
  training: {
    title: t`Before you begin`,
    step: (/** @type {number} */ number, /** @type {number} */ all) => t`${number} of ${all}`,
    back: t`Back`,
    next: t`Next`,
    right: t`Right`,
    wrong: t`Wrong`,
    /** Each with its drawings in lessons.svg. */
    lessons: [
      {
        scene: "many",
        title: t`Draw every object`,
        text: t`Look for each class on the list, also in the background.`,
        right: t`Person, dog, and the car at the back.`,
        wrong: t`The dog and the car are missing.`,
      },
      {
        scene: "pair",
        title: t`One box for each object`,
        text: t`Objects that touch or overlap get a box each.`,
        right: t`Two people, two boxes.`,
        wrong: t`One box around two people.`,
      },
      {
        scene: "tight",
        title: t`The sides touch the object`,
        text: t`All visible pixels are inside the box, and nothing else.`,
        right: t`Nose, paws and tail touch the sides.`,
        wrong: t`Too much space on the left, and the tail is outside.`,
      },
      {
        scene: "seen",
        title: t`Draw only what you see`,
        text: t`Do not guess what is hidden or outside the image.`,
        right: t`The box ends at the wall.`,
        wrong: t`The box guesses where the legs are.`,
      },
      {
        scene: "view",
        title: t`View: the side that you see`,
        text: t`Left and right are those of the image. Anything in between is unspecified.`,
        right: t`Left: the car points to the left edge.`,
        wrong: t`Right: that is the driver's right.`,
      },
      {
        scene: "truncated",
        title: t`Truncated: a part is outside the box`,
        text: t`Set it if more than about 15 % of the object is outside the box.`,
        right: t`Truncated: half of the bus is outside the image.`,
        wrong: t`Truncated, but only the bumper is cut off.`,
      },
      {
        scene: "occluded",
        title: t`Occluded: something hides a part inside the box`,
        text: t`Set it if more than 5 % is hidden. Clothes, mud and snow hide nothing.`,
        right: t`Occluded: a lamp post is in front of the person.`,
        wrong: t`Occluded, but the coat belongs to the dog.`,
      },
      {
        scene: "mirror",
        title: t`Mirrors, glass and posters count`,
        text: t`Draw objects in mirrors, behind glass and on photographic posters.`,
        right: t`The person and the mirror image.`,
        wrong: t`The mirror image is missing.`,
      },
      {
        scene: "tell",
        title: t`Leave out what you cannot tell`,
        text: t`If you cannot tell the class, draw no box. If you are not sure, mark the object unsure.`,
        right: t`Two feet can only be a person's.`,
        wrong: t`A tyre alone could be a lorry's.`,
      },
      {
        scene: "discard",
        title: t`All objects, or discard the image`,
        text: t`Discard images with too many objects, collages and images that are too blurred.`,
        right: t`Too many people: discarded with this reason.`,
        wrong: t`Two people drawn, the others missing.`,
      },
    ],
    classes: t`The classes`,
    last: t`Ready?`,
    noneNeeded: t`The first image is for practice. The guidelines can be opened on the annotation page.`,
    again: t`Practise again`,
    needed: (/** @type {number} */ needed, /** @type {number} */ passed) =>
      t`First pass ${count(needed, t`training image`, t`training images`)}; you have passed ${passed}. They open on the annotation page like any other image.`,
    begin: t`Begin`,
    practise: t`Start with a practice image`,
    rules: t`All rules in detail`,
    toTraining: t`Start training images`,
    trial: (/** @type {boolean} */ isPassed) => (isPassed ? t`Passed` : t`Not passed yet`),
    allRight: t`Everything is right.`,
    noServer: t`The server does not answer. Try again in a moment.`,
  },

  practice: {
    title: t`Practice`,
    step: (/** @type {number} */ number, /** @type {number} */ all) => t`Practice: step ${number} of ${all}`,
    draw: (/** @type {string} */ name, /** @type {boolean} */ isCut) =>
      isCut ? t`Drag a box around: ${name}. The box ends at the wall.` : t`Drag a box around: ${name}.`,
    closer: (/** @type {string} */ name) =>
      t`Not close enough: each side touches the object (${name}). Drag a corner of the box.`,
    class: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`Choose its class: click ${name} in the list${orPress(key)}.`,
    select: (/** @type {string} */ name) => t`Click the box (${name}) to select it.`,
    view: (/** @type {string} */ name, /** @type {string} */ view, /** @type {string} */ key) =>
      t`View of the ${name}: click ${view}${orPress(key)}.`,
    side: (/** @type {string} */ name, /** @type {string} */ view, /** @type {string} */ key) =>
      t`View of the ${name}: click ${view}${orPress(key)}. Left and right are those of the image.`,
    flag: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`A part of it is outside the box (${name}). Click truncated${orPress(key)}.`,
    notTruncated: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`All of it is inside the box (${name}). Click truncated again${orPress(key)}.`,
    notOccluded: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`Nothing is in front of what the box holds (${name}): the wall hides what is outside. That is truncated, not occluded. Click occluded again${orPress(key)}.`,
    nothingInFront: (/** @type {string} */ name, /** @type {string} */ key) =>
      t`Nothing is in front of it (${name}). Click occluded again${orPress(key)}.`,
    extra: (/** @type {number} */ number) =>
      t`Box ${number} in the list is too many: select it and delete it.`,
    noDiscard: t`The practice image shows objects of your classes, so it is not discarded.`,
    finish: (/** @type {string} */ key) => t`Click Finish${orPress(key)}. Read the list, then confirm.`,
    skip: t`Skip practice`,
  },
};
