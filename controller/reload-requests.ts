// Requests to read the configuration of a controller again. One that arrives while nothing can act on it is remembered.

/** The requests of one run. */
export class ReloadRequests {
  #isPending = false;
  #act: (() => void) | undefined;

  /** Requests a reload; several that wait for the same moment are one. */
  readonly request = (): void => {
    this.#isPending = true;
    this.#deliver();
  };

  /** Calls `act` for a request that waits and for each later one, until the returned function is called. */
  listen(act: () => void): () => void {
    this.#act = act;
    this.#deliver();
    return () => {
      this.#act = undefined;
    };
  }

  #deliver(): void {
    if (!this.#isPending || this.#act === undefined) return;
    this.#isPending = false;
    this.#act();
  }
}
