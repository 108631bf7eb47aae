/** Copies or shares the personal link that the page shows. */

const link = /** @type {HTMLElement} */ (document.getElementById("link"));
const copy = /** @type {HTMLButtonElement} */ (document.getElementById("copy"));
const share = /** @type {HTMLButtonElement} */ (document.getElementById("share"));

copy.onclick = async () => {
  if (navigator.clipboard) await navigator.clipboard.writeText(link.textContent ?? "");
  else {
    // A page served over http has no clipboard: there the text is selected first.
    getSelection()?.selectAllChildren(link);
    document.execCommand("copy");
  }
  copy.textContent = copy.dataset.copied ?? "";
};
share.hidden = !("share" in navigator);
share.onclick = () => void navigator.share({ url: link.textContent ?? "" }).catch(() => undefined);
