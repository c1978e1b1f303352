// The addresses that a page opens.

/** Returns an address that is safe to open; undefined for `javascript:` and others. */
export function webAddress(text: string): string | undefined {
  return /^(?:https?:\/\/|mailto:|tel:)[^\s]+$/iu.test(text) ? text : undefined;
}
