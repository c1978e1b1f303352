// Decides about attributes that a configuration no longer has. Private state lists those that it had.
import { isObject, type JsonObject } from "../../core/json.ts";
import { joinPointer, splitPointer, valueAt } from "../../core/pointer.ts";
import { removalRefused, removedFields } from "../../core/spec/removed-rights.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import { type PlanInputs, specFromState } from "./plan.ts";
import { type AttributeValues, fromField, locationOf, toInputs } from "./attribute-values.ts";
import { type Diagnostic, errorAt, warningAt } from "./diagnostics.ts";

type Configured = Pick<PlanInputs, "kind" | "attributes" | "config" | "privateState">;

/** Returns the values that take the rights away, by attribute name. They count as configured. */
export function takenRights(configured: Configured): AttributeValues {
  const taken = fullyKnownFields(removedFrom(configured).taken);
  const entries = specAttributes(configured).flatMap(({ name, field, form }) =>
    Object.hasOwn(taken, field) ? [[name, fromField(form, taken[field])] as const] : [],
  );
  return Object.fromEntries(entries);
}

/**
 * Returns an error for each attribute that must stay, because rights could grow without it, and a warning about those whose
 * values the server keeps.
 */
export function removedFieldDiagnostics(
  configured: Configured,
  prior: AttributeValues,
): readonly Diagnostic[] {
  const { kind, attributes } = configured;
  const { refused, kept } = removedFrom(configured);
  const label = (pointer: string): string => locationOf(attributes, pointer).label;
  const errors = refused.map(label).map((name) => {
    const detail = `${name} ${removalRefused}. Keep it, or declare another resource without it.`;
    return errorAt("Rights could grow", detail, name.split(".")[0]);
  });
  const live = specFromState(kind, attributes, prior);
  const names = kept
    .filter((pointer) => (valueAt(live, splitPointer(pointer)) ?? null) !== null)
    .map(label);
  if (names.length === 0) return errors;
  const detail = `The server keeps the value of ${names.join(", ")}. Set another value to change it.`;
  return [
    ...errors,
    warningAt("An argument is no longer configured", detail, names[0]?.split(".")[0]),
  ];
}

/** Returns the JSON Pointers of the members that a spec sets. */
export function configuredIn(spec: JsonObject, parent = ""): readonly string[] {
  return Object.entries(spec).flatMap(([name, value]) => {
    if ((value ?? null) === null) return [];
    const pointer = `${parent}${joinPointer([name])}`;
    return [pointer, ...(isObject(value) ? configuredIn(value, pointer) : [])];
  });
}

function removedFrom({ kind, attributes, config, privateState }: Configured) {
  const before: Record<string, unknown> = {};
  for (const pointer of privateState.configuredFields) {
    const segments = splitPointer(pointer);
    const last = segments.at(-1) ?? "";
    let holder = before;
    for (const segment of segments.slice(0, -1)) {
      const inner = holder[segment];
      holder = isObject(inner) ? inner : (holder[segment] = {});
    }
    holder[last] = true;
  }
  return removedFields(kind, before, toInputs(attributes, config).inputs);
}

function specAttributes({ attributes }: Configured) {
  return attributes.filter(({ part }) => part === "spec");
}
