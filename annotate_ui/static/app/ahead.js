/** The images reserved behind the one in hand, fetched and decoded before they are needed. */

/** @typedef {import("./types.js").Task} Task */
/** @typedef {{take: () => Task | null, replace: (tasks: readonly Task[]) => void}} Ahead */

/**
 * `take` gives the next of them, or null; `replace` says anew which they are.
 * @returns {Ahead}
 */
export function createAhead() {
  /** @type {Task[]} */
  let tasks = [];
  /** Held so that the browser keeps what it decoded. @type {Map<string, HTMLImageElement>} */
  let images = new Map();

  return {
    take() {
      return tasks.shift() ?? null;
    },
    replace(next) {
      tasks = [...next];
      const known = images;
      images = new Map(
        tasks.map(({ image_url }) => [image_url, known.get(image_url) ?? load(image_url)]),
      );
    },
  };
}

/** @param {string} url */
function load(url) {
  const image = new Image();
  image.src = url;
  // One that does not come is asked for again when it is opened, and told then.
  image.decode().catch(() => {});
  return image;
}
