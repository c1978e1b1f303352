// Looks up the texts of fields in all objects that a stack declares.
import type { JsonValue } from "../../core/json.ts";
import type { DeclaredObject } from "../../core/kind/server-checks.ts";
import type { DesiredObject } from "../model/index.ts";

/** Indexes the texts of fields of declared objects, each field when it is first needed. */
export function declaredTexts(
  objects: readonly Pick<DesiredObject, "kind" | "spec">[],
): DeclaredObject["textsOf"] {
  const byKind = Map.groupBy(objects, ({ kind }) => kind.name);
  const indexes = new Map<string, Map<JsonValue | undefined, Set<string>>>();
  return (kind, field, within) => {
    const name = JSON.stringify([kind, field, within?.field]);
    let index = indexes.get(name);
    if (index === undefined) {
      index = new Map<JsonValue | undefined, Set<string>>();
      for (const { spec } of byKind.get(kind) ?? []) {
        const text = spec[field];
        const group = within && spec[within.field];
        const texts = index.get(group) ?? new Set<string>();
        if (typeof text === "string") index.set(group, texts.add(text));
      }
      indexes.set(name, index);
    }
    return index.get(within?.value) ?? new Set();
  };
}
