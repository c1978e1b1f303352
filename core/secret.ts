// A value that must never be shown: it prints as bullets wherever text is made of it.

const mask = "•••";

/** Holds a secret; only {@link Secret.reveal} gives it out, every other way of printing it shows a mask. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself: call it only where it goes onto the wire or into a hash. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return mask;
  }
}
