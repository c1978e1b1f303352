// The type of the values of a schema, read-only.
import type { Static, TSchema } from "typebox";
import type { JsonValue } from "./json.ts";

/** The type of the values of a schema, read-only throughout. Optional members may be `undefined`. */
export type ReadonlyStatic<Schema extends TSchema> = Immutable<Static<Schema>>;

type Immutable<T> = [JsonValue] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Immutable<T[Key]> | OptionalValue<T, Key> }
      : T;

type OptionalValue<T, Key extends keyof T> = object extends Pick<T, Key> ? undefined : never;
