/** When a magnified part of the image stands beside the hand. */

/** Below this, a pixel of the image is smaller than one of the screen. */
const SMALL_BELOW = 1;

/**
 * Whether the magnifier would show while the hand draws: as the person chose, else under a finger,
 * which covers what it draws, and where the image is shown smaller than it is.
 * @param {Pick<import("./model.js").Model, "preferences" | "pointer" | "viewport">} model
 */
export function showsMagnifier({ preferences, pointer, viewport }) {
  if (preferences.magnifier !== "auto") return preferences.magnifier === "on";
  return pointer === "touch" || viewport.scale < SMALL_BELOW;
}
