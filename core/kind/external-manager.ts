// Objects that an identity provider manages: their status names it in `managedBy`, and the API refuses to delete them and to
// change the fields with the trait `readOnlyWhileManaged`.
import { fieldsOf } from "./fields.ts";
import { keyOf, readableKey } from "./identity.ts";
import type { JsonObject } from "../json.ts";
import type { Kind, ObservedObject } from "./kind.ts";

/** Why the API refuses a write, and the alternative. Both start in lowercase and have no full stop. */
export interface ManagerRefusal {
  readonly summary: string;
  readonly remedy: string;
}

const managers: Readonly<Record<string, string>> = { scim: "the identity provider (SCIM)" };

/**
 * Returns the name, for messages, of the manager of an object with this status; undefined if nothing else manages it.
 */
export function managerOf({ managedBy, scimIntegration }: JsonObject): string | undefined {
  if (typeof managedBy !== "string") return undefined;
  return typeof scimIntegration === "string"
    ? `the SCIM integration ${JSON.stringify(scimIntegration)}`
    : (managers[managedBy] ?? managedBy);
}

/**
 * Returns why the API refuses to change fields of a live object, or to delete the object if `fields` is left out;
 * undefined if nothing else manages the object.
 */
export function managerRefusal(
  kind: Kind,
  { spec, status }: ObservedObject,
  fields?: ReadonlySet<string>,
): ManagerRefusal | undefined {
  const manager = managerOf(status);
  if (manager === undefined) return undefined;
  const object = `${kind.name} ${readableKey(keyOf(kind, spec))}`;
  if (fields === undefined)
    return {
      summary: `${manager} manages ${object}, which only it can delete`,
      remedy:
        "Keep the object, or delete it there; to stop managing it here, name it in a Removed document.",
    };
  const managed = fieldsOf(kind)
    .filter(({ name, traits }) => traits.readOnlyWhileManaged === true && fields.has(name))
    .map(({ name }) => name);
  if (managed.length === 0) return undefined;
  return {
    summary: `${manager} manages ${managed.join(", ")} of ${object}`,
    remedy:
      "Make the change there; here, declare the live value or leave the field out, or refer to the object as { external: key }.",
  };
}
