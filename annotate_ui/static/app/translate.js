/** The language of the page: English, or another one whose sentences the page loads before its modules. */

/** Each English sentence with its translation; `{0}`, `{1}` stand for values. @type {Record<string, string>} */
const sentences = Reflect.get(globalThis, "translation") ?? {};

/** The language's code, as `toLocaleString` takes it. */
export const language = globalThis.document?.documentElement.lang || "en";

/**
 * A tag of template strings, t`${number} left`: the sentence in the page's language.
 * @param {readonly string[]} parts
 * @param {...(string | number)} values
 */
export function t(parts, ...values) {
  const english = parts.reduce((text, part, at) => `${text}{${at - 1}}${part}`);
  const sentence = sentences[english] ?? english;
  return sentence.replace(/\{(\d)\}/g, (_, at) => sayValue(values[Number(at)] ?? ""));
}

/** A number with so many decimal places, in the page's language. @param {number} value @param {number} places */
export function decimal(value, places) {
  return value.toLocaleString(language, { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** Whole numbers stay as they are, since many are names of images. @param {string | number} value */
function sayValue(value) {
  return typeof value === "string" || Number.isInteger(value)
    ? String(value)
    : value.toLocaleString(language);
}
