// Which answers of other services are worth another request.

/** Returns whether a status tells that a service fails at the moment: it is overloaded, limits its callers or has an error. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
