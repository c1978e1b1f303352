// Decides which answers of other services justify another request.

/** Returns whether a status means that a service fails temporarily: it is overloaded, limits its callers or has an error. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
