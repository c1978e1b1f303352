// Decides whether an object that an upsert wrote may belong to another actor.
import { compare } from "../core/spec/diff.ts";
import { Failure } from "../core/errors.ts";
import { keyOf } from "../core/kind/identity.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind } from "../core/kind/kind.ts";
import type { IndexedWrite } from "./call-batches.ts";
import type { ObservedObjects } from "./observe.ts";

/** A write by an operation that creates or changes an object and does not say which. */
export interface UpsertedWrite extends IndexedWrite {
  /** Fields that are empty in a new object unless the request sets them. */
  readonly emptyFields: readonly string[];
}

/** Returns why an upserted object does not count as created; undefined if it is as the request describes it. */
export function upsertFailure(
  kind: Kind,
  { write: { spec }, emptyFields }: UpsertedWrite,
  observed: ObservedObjects | Failure,
): Failure | undefined {
  if (observed instanceof Failure) return observed;
  const live = observed.byKey.get(keyOf(kind, spec))?.spec;
  if (live === undefined) return notListedFailure(kind);
  const isChanged = compare(kind, spec, live).some(({ reason }) => reason === "differs");
  const isFilled = emptyFields.some((name) => spec[name] == null && live[name] != null);
  return isChanged || isFilled ? existingFailure(kind, spec) : undefined;
}

/** Returns the failure of a create by upsert that found an object. */
export function existingFailure(kind: Kind, spec: JsonObject): Failure {
  const name = `${kind.name} ${keyOf(kind, spec)}`;
  return new Failure("conflict", `${name} already exists, and may belong to another client.`, {
    remedy: existingRemedy,
  });
}

const existingRemedy = "Adopt or import it, or choose another name.";

/** Returns the failure of a create without a readable response, which the server refuses if the object exists: it may have. */
export function uncertainOwnerFailure(kind: Kind, spec: JsonObject, cause: Failure): Failure {
  // An outage makes many of these: without names they are equal, so that reports group them.
  const summary =
    "The response of the create did not arrive or was not readable. The object exists now, and may belong to another client.";
  const remedy = lostSecretRemedy(kind, spec) ?? existingRemedy;
  return new Failure("conflict", summary, { cause, remedy });
}

/**
 * Returns the remedy for an object whose generated secret was in the lost response; undefined for kinds without one.
 */
function lostSecretRemedy({ generatedSecret }: Kind, spec: JsonObject): string | undefined {
  if (generatedSecret === undefined) return undefined;
  const { name, rotation } = generatedSecret;
  const again = "delete it and create it again";
  const own =
    rotation === undefined
      ? again
      : `adopt or import it and generate another ${name} with \`${rotation(spec)}\`, or ${again}`;
  return `If it is yours, its ${name} is lost: ${own}. If it is not, choose another name.`;
}

/** Returns the failure of a create whose object the server does not list. */
export function notListedFailure(kind: Kind): Failure {
  return new Failure(
    "unexpected_answer",
    `the server created the ${kind.name} but does not list it, so its other fields cannot be set`,
  );
}
