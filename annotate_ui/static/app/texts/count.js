/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
export const count = (count, one, many) => `${count} ${count === 1 ? one : many}`;
