// Computes the state of a resource after an apply, a refresh or an import.
import { compare } from "../../core/spec/diff.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { joinPointer } from "../../core/pointer.ts";
import { isKnownObject, Unknown, type Value } from "../bridge/unknown-values.ts";
import { fromField, type AttributeValues } from "./attribute-values.ts";
import { objectName, specFromState } from "./plan.ts";
import type { Attribute, Form } from "./schema.ts";

/** The input of a state: the kind, its attributes, the observed object and its generated secret. */
export interface StateSource {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  readonly observed: ObservedObject;
  readonly generatedSecret?: string | undefined;
}

/** Returns the planned state with unknown values filled in. Known planned values stay unchanged, as Terraform requires. */
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
  const liveObject = isKnownObject(live) ? live : {};
  const entries = form.attributes.map(({ name, form: inner }): [string, Value] => [
    name,
    fillUnknowns(inner, planned[name] ?? null, liveObject[name] ?? null),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the state after a refresh. A value that equals the live one keeps its form. A value that the API does not return
 * keeps the last-applied value.
 */
export function stateAfterRefresh(source: StateSource, prior: AttributeValues): AttributeValues {
  const { kind, attributes, observed } = source;
  const spec = specFromState(kind, attributes, prior);
  const changes = compare(kind, spec, observed.spec as JsonObject).filter(
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

/** Returns the state of an imported object: every value that the API returns. */
export function importedState(source: StateSource): AttributeValues {
  const entries = source.attributes.map((one): [string, Value] => [
    one.name,
    liveValue(source, one, {}),
  ]);
  return Object.fromEntries(entries);
}

function liveValue(
  { kind, observed, generatedSecret }: StateSource,
  attribute: Attribute,
  state: AttributeValues,
): Value {
  const { part, field, form, name } = attribute;
  const liveObject = (values: Readonly<Record<string, unknown>>): JsonValue | undefined =>
    isObject(values) ? values[field] : undefined;
  switch (part) {
    case "spec":
      if (attribute.writeOnly) return null;
      return fromField(form, liveObject(observed.spec));
    case "status":
      return fromField(form, liveObject(observed.status));
    case "generatedSecret":
      return generatedSecret ?? null;
    case "version":
      return state[name] instanceof Unknown ? null : (state[name] ?? null);
    default:
      return objectName(kind, observed.spec, part) ?? null;
  }
}
