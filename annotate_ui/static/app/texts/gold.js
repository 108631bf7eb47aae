/** Gold and training images, for organisers. */

import { t } from "../translate.js";
import { count } from "./words.js";

/** @import {GoldAnswer, TraineeRow} from "../types.js" */

export const gold = {
  gold: {
    title: t`Gold and training images`,
    lead: t`Gold images are mixed secretly into everyone's work. New people pass training images first.`,
    choose: t`Make gold`,
    button: t`Gold…`,
    isGold: t`Saved as a gold image.`,
    isTraining: t`Saved as a training image.`,
    chosen: { gold: t`Gold`, training: t`Training` },
    kinds: {
      gold: t`Gold: mixed secretly into everyone's work`,
      training: t`Training: new people pass it before they begin`,
    },
    note: t`Note (trainees read it afterwards)`,
    save: t`Save`,
    cancel: t`Cancel`,
    end: t`End`,
    sure: (/** @type {number} */ id) => t`Stop using image ${id}?`,
    thenEnded: t`Nobody is given it any more. The answers so far are kept.`,
    reference: (/** @type {string} */ name) => t`reference, chosen by ${name}`,
    earlier: t`the earlier reference of this answer`,
    drawn: (/** @type {string} */ name) => t`drawn by ${name}`,
    compare: t`Show beside the reference`,
    doubt: t`Most people fail it: look at the reference.`,
    edit: t`Edit`,
    refresh: t`Use newest revision`,
    changed: t`a newer revision exists; the reference is older`,
    imageTitle: (/** @type {number} */ id) => t`Image ${id}`,
    noObjects: t`This image has no finished annotation with objects. Finish it first; it then serves as the reference.`,
    passed: (/** @type {number} */ passed, /** @type {number} */ all) =>
      all === 0 ? t`not used yet` : t`${passed} of ${all} passed`,
    answer: (/** @type {GoldAnswer} */ answer) =>
      t`${answer.person.name} found ${answer.matched} of ${answer.objects}${answer.drawn > answer.matched ? t`, drew ${answer.drawn}` : ""}`,
    none: {
      title: t`No gold image yet`,
      lead: t`Open a checked image and press “Gold…”; the wall and the findings page offer it too.`,
    },
    find: t`Choose a checked image`,
    saved: t`Saved.`,
    ended: t`Ended. The answers so far are kept.`,
    trainees: t`In training`,
    noTrainees: t`No one is in training.`,
    trainee: (/** @type {TraineeRow} */ trainee) =>
      t`${trainee.passed} of ${trainee.needed} passed${trainee.failed ? t`, ${trainee.failed} failed` : ""}`,
    stuck: t`no training image left to try`,
    letBegin: t`Approve`,
    letIn: (/** @type {string} */ name) => t`${name} can begin now.`,
    asked: t`Training images to pass first`,
    tooFew: (/** @type {number} */ needed, /** @type {number} */ offered) =>
      needed > offered
        ? t`Only ${count(offered, t`training image exists`, t`training images exist`)}, so no more are required. A person who fails one waits for your approval.`
        : needed === offered && needed > 0
          ? t`A person who fails one has no other to try and waits for your approval. Add a few more training images.`
          : "",
    share: t`Gold images in everyone's work (%)`,
    people: t`Results on gold images`,
    noPeople: t`No results yet.`,
    heads: ["", t`images`, t`passed`, t`recall`, t`precision`],
    stale: t`Someone else changed this meanwhile. You see the current state.`,
    noServer: t`The server does not answer. Try again in a moment.`,
  },
};
