// The token of a credential as clients of the data API send it.

const tokenPattern = /^(?:[A-Za-z-]+ +)?([\x21-\x7e]+) *$/;

/** Returns the token of a credential, which is sent bare or after a scheme; undefined for other text. */
export function tokenIn(credential: string): string | undefined {
  return tokenPattern.exec(credential)?.[1];
}
