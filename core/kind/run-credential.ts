// Which objects the credential of a run depends on: the key or trust that it is, and its user.
import type { JsonObject, JsonValue } from "../json.ts";
import { canonical, isObject } from "../json.ts";

/** The credential of a run, as the server describes it. */
export interface RunCredential {
  /** ID of the user that it belongs to. */
  readonly userId: string;
  readonly type: string | undefined;
  /** Name of the API key, or of the workload trust with the subject of the token. */
  readonly name: string | undefined;
}

/** A live object that a plan changes. */
interface ChangedObject {
  readonly id: string | undefined;
  /** Its key fields. */
  readonly key: JsonObject;
}

/** A field that a plan changes. */
export interface ChangedField {
  readonly field: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** Declares that a credential can depend on an object of a kind. Deleting the object ends the credential. */
export interface CredentialRole {
  /** Names the object, for messages: `the API key that svc uses`. */
  readonly what: string;
  /** Returns whether the credential of the run depends on the object. */
  isOf(credential: RunCredential, object: ChangedObject): boolean;
  /** Returns whether the change of a field takes rights from the credential. */
  takesRights(change: ChangedField): boolean;
}

/** Returns whether a list that limits a credential allows less than before. Without a list, nothing is limited. */
export function allowsLess({ before, after }: Pick<ChangedField, "before" | "after">): boolean {
  if (!Array.isArray(after)) return false;
  if (!Array.isArray(before)) return true;
  const kept = new Set(after.map(canonical));
  return before.some((one) => !kept.has(canonical(one)) && !kept.has(canonical(withWrite(one))));
}

/** Returns the access to a state that includes another: `write` includes `read`. */
function withWrite(one: JsonValue): JsonValue {
  return isObject(one) && "access" in one ? { ...one, access: "write" } : one;
}
