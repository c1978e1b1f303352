// Leaves credentials out of texts.

/** Returns a text whose URLs have no user and no password. */
export function withoutUrlCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^/@\s]+@/gu, "$1");
}
