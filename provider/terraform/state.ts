// The state of a resource as it is written: live values in place of what was unknown, and after a refresh where they differ.
import { compare } from "../../core/diff.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import { joinPointer } from "../../core/pointer.ts";
import { isKnownObject, Unknown, type Value } from "../bridge/unknown-values.ts";
import { fromField, type AttributeValues } from "./attribute-values.ts";
import { objectName, specFromState } from "./plan.ts";
import type { Attribute, Form } from "./schema.ts";

/** Where state is made from: the kind, its attributes, the object as it is seen, and the secret that it came with. */
export interface StateSource {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  readonly observed: ObservedObject;
  readonly generatedSecret?: string | undefined;
}

/** The planned state with everything that was unknown filled in; what was planned stays as it was planned. */
export function stateAfterApply(source: StateSource, planned: AttributeValues): AttributeValues {
  const entries = source.attributes.map((one): [string, Value] => [
    one.name,
    fillUnknowns(one.form, planned[one.name] ?? null, liveValue(source, one, planned)),
  ]);
  return Object.fromEntries(entries);
}

function fillUnknowns(form: Form, planned: Value, live: Value): Value {
  if (planned instanceof Unknown) return live;
  if (form.is !== "nested" || form.nesting !== "single" || !isKnownObject(planned)) return planned;
  const held = isKnownObject(live) ? live : {};
  const entries = form.attributes.map(({ name, form: inner }): [string, Value] => [
    name,
    fillUnknowns(inner, planned[name] ?? null, held[name] ?? null),
  ]);
  return Object.fromEntries(entries);
}

/**
 * The state after a refresh: a value that says the same as the live one keeps its spelling, one that the API does not show
 * keeps what was applied.
 */
export function stateAfterRefresh(source: StateSource, prior: AttributeValues): AttributeValues {
  const { kind, attributes, observed: sight } = source;
  const wish = specFromState(kind, attributes, prior);
  const changes = compare(kind, wish, sight.spec as JsonObject).filter(
    ({ reason }) => reason !== "unverified",
  );
  const differs = (pointer: string): boolean =>
    changes.some(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
  const entries = attributes.map((one): [string, Value] => {
    const before = prior[one.name] ?? null;
    const live = liveValue(source, one, prior);
    if (one.part !== "spec") return [one.name, one.part === "status" ? live : (live ?? before)];
    if (one.writeOnly) return [one.name, null];
    if (one.hidden) return [one.name, before];
    return [
      one.name,
      mergeValue(one.form, { before, live, pointer: joinPointer([one.field]), differs }),
    ];
  });
  return Object.fromEntries(entries);
}

interface MergeContext {
  readonly before: Value;
  readonly live: Value;
  readonly pointer: string;
  readonly differs: (pointer: string) => boolean;
}

function mergeValue(form: Form, { before, live, pointer, differs }: MergeContext): Value {
  if (before === null) return live;
  const isObjectForm = form.is === "nested" && form.nesting === "single";
  if (!isObjectForm || !isKnownObject(before) || !isKnownObject(live)) {
    return differs(pointer) ? live : before;
  }
  const entries = form.attributes.map((one): [string, Value] => {
    const inner = {
      before: before[one.name] ?? null,
      live: live[one.name] ?? null,
      pointer: `${pointer}${joinPointer([one.field])}`,
      differs,
    };
    return [one.name, mergeValue(one.form, inner)];
  });
  return Object.fromEntries(entries);
}

/** The state of an object that nothing is known of yet: all that can be seen of it. */
export function importedState(source: StateSource): AttributeValues {
  const entries = source.attributes.map((one): [string, Value] => [
    one.name,
    liveValue(source, one, {}),
  ]);
  return Object.fromEntries(entries);
}

function liveValue(
  { kind, observed: sight, generatedSecret: minted }: StateSource,
  attribute: Attribute,
  state: AttributeValues,
): Value {
  const { part, field, form, name } = attribute;
  const held = (values: Readonly<Record<string, unknown>>): JsonValue | undefined =>
    isObject(values) ? values[field] : undefined;
  switch (part) {
    case "spec":
      if (attribute.writeOnly) return null;
      return fromField(form, held(sight.spec));
    case "status":
      return fromField(form, held(sight.status));
    case "minted":
      return minted ?? null;
    case "version":
      return state[name] instanceof Unknown ? null : (state[name] ?? null);
    default:
      return objectName(kind, sight.spec, part) ?? null;
  }
}
