// Finds the declared objects that decide the check of another, such as the user of a recipient.
import type { JsonValue } from "../../core/json.ts";
import { withDependencies } from "./implied-dependencies.ts";
import type { DesiredObject } from "./index.ts";

/** Returns the address of an object that decides a check; undefined if there is none. */
type DeciderLookup = (checked: DesiredObject) => string | undefined;

/** Returns a lookup of the first of these objects that decides the check of another of them. Takes linear time. */
export function checkDeciders(objects: readonly DesiredObject[]): DeciderLookup {
  const fields = new Map<string, Set<string>>();
  for (const { dependsOn } of new Set(objects.flatMap(({ kind }) => kind.check ?? []))) {
    if (dependsOn === undefined) continue;
    const { kind, field } = dependsOn;
    fields.set(kind, (fields.get(kind) ?? new Set<string>()).add(field));
  }
  const deciders = new Map<string, string>();
  for (const { kind, spec, address } of objects) {
    for (const field of fields.get(kind.name) ?? []) {
      const key = valueKey(kind.name, field, spec[field]);
      if (!deciders.has(key)) deciders.set(key, address);
    }
  }
  return ({ kind, spec }) => {
    const { dependsOn } = kind.check ?? {};
    if (dependsOn === undefined) return undefined;
    const { field, own: ownField = field } = dependsOn;
    return deciders.get(valueKey(dependsOn.kind, field, spec[ownField]));
  };
}

function valueKey(kind: string, field: string, value: JsonValue | undefined): string {
  return JSON.stringify([kind, field, value]);
}

/** Lets an object depend on a declared object that it names by a plain value, if the server requires that object. */
export function withCheckDependencies(objects: readonly DesiredObject[]): readonly DesiredObject[] {
  const deciderOf = checkDeciders(objects);
  return objects.map((object) => {
    const isRequired = object.kind.check?.dependsOn?.required === true;
    return isRequired ? withDependencies(object, [deciderOf(object)]) : object;
  });
}
