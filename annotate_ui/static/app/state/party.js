/** Look-ups in the party's settings, which never change while a page is open. */

/** @import {Annotated, ClassSpec, Named, Party, WordKind} from "../types.js" */

/**
 * The class that an id counts as today.
 * @param {Party} party
 * @param {string} id
 */
export function findClass(party, id) {
  const today = followWord(party, "class", id);
  return party.classes.find((spec) => spec.id === today) ?? null;
}

/** The id that a word counts as since it was merged or split. @type {(party: Party, kind: WordKind, id: string) => string} */
function followWord({ moved }, kind, id) {
  return moved[kind][id] ?? id;
}

/**
 * The object with the ids that its words count as today, also of what is laid aside; each action stands there once.
 * @template {Pick<Annotated, "class" | "view" | "actions" | "parts" | "laidAside">} T
 * @param {Party} party
 * @param {T} object
 * @returns {T}
 */
export function followWords(party, object) {
  const { laidAside } = object;
  return {
    ...object,
    class: followWord(party, "class", object.class),
    ...followFeatures(party, object),
    ...(laidAside && { laidAside: { ...laidAside, ...followFeatures(party, laidAside) } }),
  };
}

/**
 * @param {Party} party
 * @param {Pick<Annotated, "view" | "actions" | "parts">} features
 */
function followFeatures(party, { view, actions, parts }) {
  const followed = actions.map((id) => followWord(party, "action", id));
  return {
    view: followWord(party, "view", view),
    actions: [...new Set(followed)],
    parts: parts.map(({ part, box }) => ({ part: followWord(party, "part", part), box })),
  };
}

/** What people call it; else its id. @type {(list: readonly Named[], id: string) => string} */
export function displayIn(list, id) {
  return list.find((spec) => spec.id === id)?.display ?? id;
}

/**
 * What people call a word, also one that is retired.
 * @type {(party: Party, kind: Exclude<WordKind, "group">, id: string) => string}
 */
export function displayOf(party, kind, id) {
  const lists = { class: party.classes, view: party.views, part: party.parts, action: party.actions };
  const today = followWord(party, kind, id);
  return party.retired[kind][today] ?? displayIn(lists[kind], today);
}

/**
 * What people call a class, also one that is retired.
 * @param {Party} party
 * @param {string} id
 */
export function displayOfClass(party, id) {
  return displayOf(party, "class", id);
}

/** The ids of the classes, and what people call one of them. @param {Party} party */
export function nameClasses(party) {
  const display = (/** @type {string} */ id) => displayOfClass(party, id);
  return { ids: party.classes.map(({ id }) => id), display };
}

/**
 * The classes in the order in which the palette shows them: by topmost group, groups and classes
 * in the party's order, classes without a group in a row of their own.
 * @type {(party: Party) => {group: string | null, classes: ClassSpec[]}[]}
 */
export function groupClasses(party) {
  /** @type {Map<string | null, ClassSpec[]>} */
  const groups = new Map();
  const hasGroup = (/** @type {ClassSpec} */ { groups }) => Number(groups.length > 0);
  for (const spec of party.classes.toSorted((first, second) => hasGroup(first) - hasGroup(second))) {
    const group = spec.groups[0] ?? null;
    groups.set(group, [...(groups.get(group) ?? []), spec]);
  }
  const pathOf = (/** @type {ClassSpec} */ { groups }) => groups.join("/");
  return [...groups].map(([group, classes]) => {
    // Those of one subgroup next to each other, otherwise in the party's order.
    const paths = [...new Set(classes.map(pathOf))];
    return { group, classes: paths.flatMap((path) => classes.filter((spec) => pathOf(spec) === path)) };
  });
}

/**
 * The classes by their whole way down the groups, in the palette's order: what folds where they are many.
 * @type {(party: Party) => {path: string, classes: ClassSpec[]}[]}
 */
export function foldClasses(party) {
  /** @type {Map<string, ClassSpec[]>} */
  const folds = new Map();
  for (const spec of groupClasses(party).flatMap(({ classes }) => classes)) {
    const path = spec.groups.join(" › ");
    const fold = folds.get(path);
    if (fold) fold.push(spec);
    else folds.set(path, [spec]);
  }
  return [...folds].map(([path, classes]) => ({ path, classes }));
}

/**
 * The classes whose name or synonym holds the typed letters, those that begin with them first; without regard to
 * capitals and accents.
 * @template {{display: string, name?: string, synonyms?: readonly string[]}} T
 * @param {readonly T[]} classes
 * @param {string} typed
 * @returns {T[]}
 */
export function filterClasses(classes, typed) {
  const wanted = plainLetters(typed.trim());
  const words = classes.map(({ display, name = display, synonyms = [] }) =>
    [display, name, ...synonyms].map(plainLetters),
  );
  const begins = classes.filter((_, at) => words[at].some((word) => word.startsWith(wanted)));
  const holds = classes.filter((_, at) => words[at].some((word) => word.includes(wanted)));
  return [...new Set([...begins, ...holds])];
}

/** In small letters, and without accents. @param {string} text */
export function plainLetters(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
