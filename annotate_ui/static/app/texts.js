/** Every word that the pages say to people, in one folder, so that they can be translated. */

import { annotating } from "./texts/annotating.js";
import { board } from "./texts/board.js";
import { checking } from "./texts/checking.js";
import { clusters } from "./texts/clusters.js";
import { editing } from "./texts/editing.js";
import { gold } from "./texts/gold.js";
import { history } from "./texts/history.js";
import { images } from "./texts/images.js";
import { keys } from "./texts/keys.js";
import { people } from "./texts/people.js";
import { queue } from "./texts/queue.js";
import { segment } from "./texts/segmenting.js";
import { training } from "./texts/training.js";

export const texts = {
  ...annotating,
  ...keys,
  ...checking,
  ...clusters,
  ...history,
  ...queue,
  ...gold,
  ...training,
  ...people,
  ...images,
  ...board,
  ...editing,
  segment,
  screens: { ...annotating.screens, ...segment.screens },
  commands: { ...keys.commands, ...segment.commands },
  ofView: keys.view,
  arrows: { ...keys.arrows, ...segment.arrows },
};
