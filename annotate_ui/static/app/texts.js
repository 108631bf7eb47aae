/** The words that every page may show, in one folder, so that they can be translated. */

import { annotating } from "./texts/annotating.js";
import { checking } from "./texts/checking.js";
import { editing } from "./texts/editing.js";
import { gold } from "./texts/gold.js";
import { keys } from "./texts/keys.js";
import { overlay } from "./texts/overlay.js";
import { people } from "./texts/people.js";
import { queue } from "./texts/queue.js";
import { segment } from "./texts/segmenting.js";
import { training } from "./texts/training.js";

export const texts = {
  ...annotating,
  ...keys,
  ...checking,
  ...queue,
  ...gold,
  ...training,
  ...people,
  ...editing,
  overlay,
  segment,
  screens: { ...annotating.screens, ...segment.screens },
  commands: { ...keys.commands, ...segment.commands },
  ofView: keys.view,
  arrows: { ...keys.arrows, ...segment.arrows },
};
