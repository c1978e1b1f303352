// Examples of a kind, for its reference page and for tests.
import type { JsonObject } from "../json.ts";

/** An example of a kind, shown in the documentation and run as a test. */
export interface Example<Spec = JsonObject> {
  readonly title: string;
  /** `metadata.name` in the example. */
  readonly name: string;
  /** The spec as a user writes it. */
  readonly spec: Partial<Spec>;
  /** New values that conformance tests apply one field at a time; `null` clears a field. Includes fields that force replacement. */
  readonly variations: { readonly [Field in keyof Spec]?: Spec[Field] | null };
}
