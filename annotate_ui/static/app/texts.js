/** Every word that the pages say to people, in one folder, so that they can be translated. */

import { annotating, keeping, keys } from "./texts/annotating.js";
import { checking, clusters } from "./texts/checking.js";
import { history } from "./texts/history.js";
import { organising, party } from "./texts/organising.js";
import { segmenting } from "./texts/segmenting.js";

const { segment } = segmenting;

export const texts = {
  ...annotating,
  ...checking,
  ...clusters,
  ...history,
  ...keeping,
  ...keys,
  ...organising,
  ...party,
  segment,
  screens: { ...keeping.screens, ...segment.screens },
  commands: { ...keys.commands, ...segment.commands },
  arrows: { ...keys.arrows, ...segment.arrows },
};
