// Lets objects depend on those that their create implies.
import { impliedObjectOf } from "../../core/kind/cascades.ts";
import { address } from "../../core/kind/identity.ts";
import type { DesiredObject } from "./index.ts";

/** Lets an object depend on the declared object that its create would imply, so that the latter is created and owned first. */
export function withImpliedDependencies(
  objects: readonly DesiredObject[],
): readonly DesiredObject[] {
  const kinds = new Map(objects.map(({ kind }) => [kind.name, kind]));
  const addresses = new Map(
    objects.map((object) => [address(object.kind.name, object.key), object.address]),
  );
  return objects.map((object) => {
    const implied = impliedObjectOf(object.kind, object.spec, kinds);
    return withDependencies(object, [implied && addresses.get(implied.objectAddress)]);
  });
}

/** Returns the object with more dependencies; undefined ones are ignored. */
export function withDependencies(
  object: DesiredObject,
  more: readonly (string | undefined)[],
): DesiredObject {
  const added = more.filter((name) => name !== undefined && !object.dependsOn.includes(name));
  if (added.length === 0) return object;
  return {
    ...object,
    dependsOn: [...object.dependsOn, ...added.filter((name) => name !== undefined)].toSorted(),
  };
}
