// A wrapper for secrets that prints as a mask.
import type { JsonObject } from "./json.ts";

const mask = "•••";

/** Contains a secret. Only {@link Secret.reveal} returns it; every conversion to text returns a mask. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the secret. Use it only for requests and hashes. */
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

/**
 * A secret that the service generates with an object and returns once, in the response of the create. The caller must store it
 * immediately: if the response is lost, the created object is unusable.
 */
export interface GeneratedSecret {
  /** Name of the output. Not a field of the spec or the status. */
  readonly name: string;
  /** Description in one sentence of Markdown. */
  readonly doc: string;
  /** The command that makes another secret of the object with a spec, and keeps the object. Left out where only a new object has one. */
  readonly rotation?: (spec: JsonObject) => string;
  /** The field of the status with the first characters of the secret that is valid now, where the server shows them. */
  readonly prefixField?: string;
  /** The length of the secret, where all have the same one: a file with less of it is damaged. */
  readonly length?: number;
}
