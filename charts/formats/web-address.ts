// The addresses that pages and files open.

/** Returns an address that is safe to open; undefined for `javascript:` and others. */
export function webAddress(text: string): string | undefined {
  return /^(?:https?:\/\/|mailto:|tel:)[^\s]+$/iu.test(text) ? text : undefined;
}

/** Returns the address of a page of the web; undefined for any other. */
export function pageAddress(text: string): string | undefined {
  return /^https?:/iu.test(text) ? webAddress(text) : undefined;
}
