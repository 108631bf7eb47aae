/** The words of the pages that list work: those of every page, and more that the pages of drawing need not load. */

import { texts as shared } from "./texts.js";
import { board } from "./texts/board.js";
import { clusters } from "./texts/clusters.js";
import { history } from "./texts/history.js";
import { images } from "./texts/images.js";

export const texts = { ...shared, ...board, ...clusters, ...history, ...images };
