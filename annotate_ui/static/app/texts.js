/** Every word that the pages say to people, in one folder, so that they can be translated. */

import { annotating } from "./texts/annotating.js";
import { checking } from "./texts/checking.js";
import { clusters } from "./texts/clusters.js";
import { keeping } from "./texts/keeping.js";
import { keys } from "./texts/keys.js";
import { organising } from "./texts/organising.js";
import { party } from "./texts/party.js";

export const texts = {
  ...annotating,
  ...checking,
  ...clusters,
  ...keeping,
  ...keys,
  ...organising,
  ...party,
};
