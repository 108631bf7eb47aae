import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../../../web/static/tokens.css", import.meta.url), "utf-8");
const [LIGHT, DARK] = CSS.split("@media (prefers-color-scheme: dark)").map(readColours);

const HUES = [0, 1, 2, 3, 4, 5, 6];
/** @typedef {[number, number, number]} Triple */

/**
 * How colours look to eyes that lack one kind of cone (Machado, Oliveira and Fernandes 2009,
 * severity 1), in linear RGB.
 * @type {Record<string, number[][]>}
 */
const EYES = {
  "full colour vision": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

for (const [eyes, matrix] of Object.entries(EYES)) {
  test(`the seven class colours stay apart for ${eyes}`, () => {
    const seen = HUES.map((index) => perceive(LIGHT[`class-${index}`], matrix));
    for (const [index, colour] of seen.entries()) {
      for (const other of seen.slice(index + 1)) {
        assert(Math.hypot(...colour.map((value, axis) => value - other[axis])) > 0.115);
      }
    }
  });
}

test("text on the colour of a class is readable", () => {
  for (const index of HUES) assert(contrast(LIGHT[`class-${index}`], LIGHT["class-ink"]) >= 4.5);
});

/** Which inks stand on which grounds. @type {Record<string, string[]>} */
const READ = {
  ink: ["surface", "bg", "sunken", "accent-soft"],
  muted: ["surface", "bg", "sunken"],
  accent: ["surface"],
  "accent-ink": ["accent"],
  danger: ["surface", "danger-soft"],
  ok: ["surface", "ok-soft"],
  warn: ["surface", "warn-soft"],
};
for (const [ink, grounds] of Object.entries(READ)) {
  test(`${ink} on ${grounds.join(", ")} can be read, light and dark`, () => {
    for (const colours of [LIGHT, DARK]) {
      for (const ground of grounds) assert(contrast(colours[ink], colours[ground]) >= 4.5, ground);
    }
  });
}

/**
 * @param {string} css
 * @returns {Record<string, Triple>} linear RGB by the token's name
 */
function readColours(css) {
  const tokens = css.matchAll(/--([a-z0-9-]+): #([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2});/g);
  return Object.fromEntries(
    [...tokens].map(([, name, ...parts]) => [name, /** @type {Triple} */ (parts.map(linear))]),
  );
}

/** @param {string} hex */
function linear(hex) {
  const value = parseInt(hex, 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/**
 * WCAG 2's contrast ratio.
 * @param {Triple} first
 * @param {Triple} second
 */
function contrast(first, second) {
  const [low, high] = [first, second]
    .map((colour) => dot([0.2126, 0.7152, 0.0722], colour))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/**
 * The colour as these eyes see it, in OKLab, where distances are about as large as they look.
 * @param {Triple} colour
 * @param {number[][]} matrix
 */
function perceive(colour, matrix) {
  const seen = matrix.map((row) => Math.min(Math.max(dot(row, colour), 0), 1));
  const cones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map((row) => Math.cbrt(dot(row, seen)));
  return [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map((row) => dot(row, cones));
}

/**
 * @param {readonly number[]} row
 * @param {readonly number[]} vector
 */
function dot(row, vector) {
  return row.reduce((sum, value, index) => sum + value * vector[index], 0);
}
