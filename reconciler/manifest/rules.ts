// What a schema cannot say of `metadata.lifecycle`.
import { parseAddress } from "../../core/identity.ts";
import type { JsonValue } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import type { LifecycleRules } from "../../core/lifecycle-rules.ts";
import { member } from "../../core/schema.ts";
import type { Mistake } from "./violations.ts";

/** The rules in the metadata of a document, as far as there are any; of wrong ones the document is refused anyway. */
export function rulesIn(metadata: JsonValue): LifecycleRules | undefined {
  const rules = isObject(metadata) ? member(metadata, "lifecycle") : undefined;
  return isObject(rules) ? (rules as LifecycleRules) : undefined;
}

/** Mistakes in rules that have the right form, for a document of this kind and name. */
export function ruleMistakes(
  kind: Kind,
  name: string,
  { movedFrom }: LifecycleRules,
): readonly Mistake[] {
  const from = movedFrom === undefined ? undefined : parseAddress(movedFrom);
  if (from === undefined) return [];
  const said = { code: "out-of-bounds", path: "/metadata/lifecycle/movedFrom", inKey: false };
  if (from.kind !== kind.name) {
    const summary = `an object of kind ${from.kind} cannot become one of kind ${kind.name}`;
    return [{ ...said, code: "out-of-bounds", summary, remedy: `Name a former ${kind.name}.` }];
  }
  if (from.name !== name) return [];
  const summary = "the document is said to have moved from its own address";
  return [{ ...said, code: "out-of-bounds", summary, remedy: "Remove movedFrom." }];
}
