/** Look-ups in the party's settings, which never change while a page is open. */

/** @import {ClassSpec, Named, Party} from "../types.js" */

/**
 * The class that an id counts as today.
 * @param {Party} party
 * @param {string} id
 */
export function findClass(party, id) {
  const today = followClass(party, id);
  return party.classes.find((spec) => spec.id === today) ?? null;
}

/**
 * The id that a class counts as since it was merged or split.
 * @param {Party} party
 * @param {string} id
 */
export function followClass({ moved_classes: moved }, id) {
  return moved[id] ?? id;
}

/** What people call it; else its name. @type {(list: readonly Named[], name: string) => string} */
export function displayIn(list, name) {
  return list.find((spec) => spec.name === name)?.display ?? name;
}

/**
 * What people call a class, also one that is retired.
 * @param {Party} party
 * @param {string} id
 */
export function displayOfClass(party, id) {
  const today = followClass(party, id);
  return findClass(party, id)?.display ?? party.retired_classes[today] ?? id;
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
 * The classes whose name holds the typed letters, those that begin with them first.
 * @type {(classes: readonly ClassSpec[], typed: string) => ClassSpec[]}
 */
export function filterClasses(classes, typed) {
  const wanted = typed.trim().toLowerCase();
  const words = (/** @type {ClassSpec} */ spec) => [spec.display.toLowerCase(), spec.name];
  const begins = classes.filter((spec) => words(spec).some((word) => word.startsWith(wanted)));
  const holds = classes.filter((spec) => words(spec).some((word) => word.includes(wanted)));
  return [...new Set([...begins, ...holds])];
}
