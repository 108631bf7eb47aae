/** Every word that the pages say to people, in one folder, so that they can be translated. */

import { annotating, keeping, keys } from "./texts/annotating.js";
import { checking, clusters } from "./texts/checking.js";
import { history } from "./texts/history.js";
import { organising, party } from "./texts/organising.js";

export const texts = {
  ...annotating,
  ...checking,
  ...clusters,
  ...history,
  ...keeping,
  ...keys,
  ...organising,
  ...party,
};
