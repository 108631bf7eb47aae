/** A search for images as text: filters such as class:bird, a range of dates, and words. */

/** @import {Filters, SearchField, Suggestion} from "../types.js" */

/** Other names of filters, as other tools call them. @type {Record<string, string>} */
const ALIASES = { by: "annotator", is: "state" };
/**
 * A filter or a word; in quotes where it has blanks, and a quote inside is doubled. A blank may follow the colon,
 * unless another filter does.
 */
const TOKEN = /(?:([^\s:"]+):(?:\s+(?![^\s:"]+:))?)?(?:"((?:[^"]|"")*)"?|([^\s"]+))/g;
/** The end of a search: a filter or a word that may still go on. */
const LAST_WORD = /(?:[^\s:"]+:)?(?:"(?:[^"]|"")*|[^\s"]*)$/;
const DATE = "date";
const RANGE = /^(\d{4}(?:-\d\d){0,2})?(\.\.)?(\d{4}(?:-\d\d){0,2})?$/;
const MOST_SUGGESTED = 12;
/** Of a name with blanks, which is completed as a whole. */
const MOST_WORDS = 4;

/** A word as it is compared: "To check", "to-check" and "to_check" are the same. @param {string} word */
export function fold(word) {
  return word
    .trim()
    .toLocaleLowerCase()
    .replace(/[\s_-]+/g, "-");
}

/**
 * The filters that a search asks for; what names no filter is a text to look for.
 * @param {string} search
 * @param {readonly SearchField[]} fields
 * @returns {Filters}
 */
export function readSearch(search, fields) {
  /** @type {Filters} */
  const filters = {};
  /** @type {string[]} */
  const words = [];
  for (const [token, name, quoted, plain] of search.matchAll(TOKEN)) {
    const value = (quoted?.replaceAll('""', '"') ?? plain ?? "").trim();
    const field = name ? findField(name, fields) : null;
    if (name && fold(name) === DATE) Object.assign(filters, readDates(value));
    else if (field && value) filters[field.name] = findValue(field, value);
    else if (!field && !isUnfinished(token, fields)) words.push(name ? token : value);
  }
  const text = [filters["text"], ...words].filter(Boolean).join(" ");
  if (text) filters["text"] = text;
  return filters;
}

/** Whether it is a filter that has no value yet. @type {(token: string, fields: readonly SearchField[]) => boolean} */
function isUnfinished(token, fields) {
  const name = token.slice(0, -1);
  return token.endsWith(":") && (fold(name) === DATE || findField(name, fields) !== null);
}

/**
 * The filter of that name, in either language.
 * @param {string} name
 * @param {readonly SearchField[]} fields
 */
function findField(name, fields) {
  const wanted = ALIASES[fold(name)] ?? fold(name);
  return fields.find((field) => field.name === wanted || fold(field.label) === wanted) ?? null;
}

/**
 * What the filter takes for the word; another word is left for the server to refuse. Several are divided by commas.
 * @param {SearchField} field
 * @param {string} text
 */
function findValue({ values }, text) {
  const find = (/** @type {string} */ word) =>
    values.find(({ value, label }) => fold(value) === fold(word) || fold(label) === fold(word))?.value;
  const findEach = () => text.split(",").map((word) => find(word) ?? word);
  return find(text) ?? findEach().join(",");
}

/**
 * "2026-01..2026-03" from the first day to the last one; one date alone is both. Also years and days.
 * @param {string} text
 * @returns {Filters}
 */
function readDates(text) {
  const [, first, dots, last] = RANGE.exec(text) ?? [];
  if (!first && !last) return { since: text }; // which the server refuses, and says what it expects
  const until = last ?? (dots ? null : first);
  return {
    ...(first && { since: first.padEnd(10, "-01-01".slice(first.length - 4)) }),
    ...(until && { until: findLastDay(until) }),
  };
}

/** The last day of a year or month; a day is its own. @param {string} date */
function findLastDay(date) {
  if (date.length === 4) return `${date}-12-31`;
  if (date.length === 10) return date;
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5));
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return `${date}-${days}`;
}

/**
 * A filter as text that readSearch reads.
 * @param {string} name
 * @param {string} value
 */
export function writeFilter(name, value) {
  return `${name}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value}`;
}

/**
 * The end of a search, which is being written, and what stands before it.
 * @param {string} search
 * @param {readonly SearchField[]} fields
 */
export function splitLast(search, fields) {
  const last = findLast(search, fields);
  return { before: search.slice(0, search.length - last.length), last };
}

/**
 * The last word, or the last words where a name goes on with them: "dining ta" becomes "dining table".
 * @param {string} search
 * @param {readonly SearchField[]} fields
 */
function findLast(search, fields) {
  const word = LAST_WORD.exec(search)?.[0] ?? "";
  const isComplete = /[^\s:]\s+$/.test(search);
  if (isComplete || word.includes('"')) return word;
  const starts = [...search.matchAll(/(?<!\S)\S/g)].slice(-MOST_WORDS);
  const ends = starts.map(({ index }) => search.slice(index));
  return ends.find((end) => canGoOn(end, fields)) ?? word;
}

/** Whether a value begins so, of the filter that is named or of any; or a filter. @type {(end: string, fields: readonly SearchField[]) => boolean} */
function canGoOn(end, fields) {
  const [isRead, name, start = ""] = /^(?:([^\s:"]+):)?\s*([^:"]*)$/.exec(end) ?? [];
  const hasValue = (/** @type {SearchField | null} */ field) =>
    field?.values.some(({ value, label }) => begins(label, start) || begins(value, start)) ?? false;
  if (isRead === undefined) return false;
  if (name) return hasValue(findField(name, fields));
  return fields.some((field) => begins(field.label, start) || hasValue(field));
}

/**
 * How the search can go on: filters that begin so, or values of the filter that is named, or values of any filter.
 * @param {string} search
 * @param {readonly SearchField[]} fields
 * @returns {Suggestion[]}
 */
export function suggest(search, fields) {
  const { last } = splitLast(search, fields);
  const colon = last.indexOf(":");
  if (colon > 0) {
    const field = findField(last.slice(0, colon), fields);
    const word = last
      .slice(colon + 1)
      .trimStart()
      .replace(/^"/, "")
      .replaceAll('""', '"');
    return field ? suggestValues(field, word).slice(0, MOST_SUGGESTED) : [];
  }
  const named = fields.filter(({ name, label }) => [name, label].some((word) => begins(word, last)));
  const values = last ? fields.flatMap((field) => suggestValues(field, last).slice(0, 3)) : [];
  const filters = named.map(({ name, label, hint }) => ({ field: name, value: null, label, hint }));
  return [...(last ? values : []), ...filters].slice(0, last ? MOST_SUGGESTED : fields.length);
}

/**
 * Values that begin with the word come before those that hold it.
 * @param {SearchField} field
 * @param {string} word
 * @returns {Suggestion[]}
 */
function suggestValues({ name, label, values }, word) {
  const first = values.filter((value) => begins(value.label, word) || begins(value.value, word));
  const others = values.filter((value) => !first.includes(value) && fold(value.label).includes(fold(word)));
  return [...first, ...others].map((value) => ({
    field: name,
    value: value.value,
    label: value.label,
    hint: label,
  }));
}

/** @type {(word: string, start: string) => boolean} */
const begins = (word, start) => fold(word).startsWith(fold(start));
