/** Markup that the server made from an organiser's Markdown, reduced to what text needs. */

const ALLOWED = new Set(
  "H1 H2 H3 H4 H5 H6 P UL OL LI TABLE THEAD TBODY TR TH TD STRONG EM CODE PRE BLOCKQUOTE BR HR A DEL".split(
    " ",
  ),
);

/**
 * The text as nodes: other elements leave their words behind, attributes are dropped but for the
 * addresses of links.
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function readRichText(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const fragment = document.createDocumentFragment();
  fragment.append(...[...parsed.body.childNodes].flatMap(clean));
  return fragment;
}

/**
 * @param {Node} node
 * @returns {Node[]}
 */
function clean(node) {
  if (node instanceof Text) return [document.createTextNode(node.data)];
  if (!(node instanceof Element)) return [];
  const children = [...node.childNodes].flatMap(clean);
  if (!ALLOWED.has(node.tagName)) return children;
  const kept = document.createElement(node.tagName);
  if (kept instanceof HTMLAnchorElement) keepAddress(kept, node.getAttribute("href") ?? "");
  kept.append(...children);
  return [kept];
}

/**
 * @param {HTMLAnchorElement} link
 * @param {string} address
 */
function keepAddress(link, address) {
  if (!/^https?:\/\//.test(address)) return;
  link.href = address;
  link.target = "_blank";
  link.rel = "noreferrer noopener";
}
