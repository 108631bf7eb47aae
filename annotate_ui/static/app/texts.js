/** Every word that the pages say to people, in one folder, so that they can be translated. */

import { annotating } from "./texts/annotating.js";
import { checking } from "./texts/checking.js";
import { organising } from "./texts/organising.js";
import { segment } from "./texts/segmenting.js";

export const texts = {
  ...annotating,
  ...checking,
  ...organising,
  segment,
  screens: { ...annotating.screens, ...segment.screens },
  commands: { ...annotating.commands, ...segment.commands },
  arrows: { ...annotating.arrows, ...segment.arrows },
};
