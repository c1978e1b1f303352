// Text in HTML.

/** Escapes a text for HTML, also in an attribute between double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Returns the id of the element of an address, which also follows `#` in a link. */
export function anchorOf(address: string): string {
  return encodeURIComponent(address.toWellFormed()).replaceAll("%", ".");
}
