/** The images reserved behind the open one, fetched and decoded one after the other before they are needed. */

/** @import {Task} from "./types.js" */

/** @typedef {{take: () => Task | null, replace: (tasks: readonly Task[]) => void}} Ahead */

/**
 * `take` gives the next of them, or null; `replace` says anew which they are; `onHere` hears how
 * many of them need no network any more.
 * @param {(count: number) => void} onHere
 * @returns {Ahead}
 */
export function createAhead(onHere) {
  /** @type {Task[]} */
  let tasks = [];
  /** Held so that the browser keeps what it decoded. @type {Map<string, HTMLImageElement>} */
  let images = new Map();
  let last = Promise.resolve();
  const tell = () => {
    const here = tasks.filter(({ image_url }) => isWhole(images.get(image_url)));
    onHere(here.length);
  };

  /** One that does not come is asked for again when it is opened, and told then. @param {string} url */
  const load = (url) => {
    const image = new Image();
    last = last.then(() => {
      image.src = url;
      return image.decode().then(tell, () => {});
    });
    return image;
  };

  return {
    take() {
      const task = tasks.shift() ?? null;
      tell();
      return task;
    },
    replace(next) {
      tasks = [...next];
      const known = images;
      images = new Map(
        tasks.map(({ image_url }) => [image_url, known.get(image_url) ?? load(image_url)]),
      );
      tell();
    },
  };
}

/**
 * Whether all of it came, and can be shown: one that is on its way has its width already.
 * @param {HTMLImageElement | undefined} image
 */
function isWhole(image) {
  return image !== undefined && image.complete && image.naturalWidth > 0;
}

