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
  return sentence.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)]));
}
