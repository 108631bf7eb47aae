/** In image coordinates where nothing else is said. */
export type Point = readonly [x: number, y: number];
/** Of an image, in pixels. */
export type Size = readonly [width: number, height: number];
export type VocBox = readonly [xmin: number, ymin: number, xmax: number, ymax: number];
export type Edges = { left: number; top: number; right: number; bottom: number };
export type Side = "xmin" | "ymin" | "xmax" | "ymax";
export type Handle = "nw" | "n" | "ne" | "e" | "se" | "s" | "sw" | "w";

/** Which part of the image the screen shows: screen = image * scale + offset. */
export type Viewport = { scale: number; x: number; y: number };
/** A rectangle on the screen. */
export type Frame = { x: number; y: number; width: number; height: number };
/** A box, and how wide its name is. */
export type Wanted = { frame: Frame; width: number };

/** Six numbers a, b, c, d, e, f as a canvas takes them: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [number, number, number, number, number, number];
