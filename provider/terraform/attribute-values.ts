// Between attributes and the values of the bridge: names, JSON texts, absent and null, and where in a configuration a field is.
import type { JsonValue } from "../../core/json.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import type { Finding } from "../bridge/validate-inputs.ts";
import { type Inputs, isKnownObject, Unknown, type Value } from "../bridge/unknown-values.ts";
import type { Attribute, Form } from "./schema.ts";
import type { Type } from "./wire/cty.ts";

/** Attributes by name. */
export type AttributeValues = Inputs;

/** The type of an object of these attributes. */
export function typeOf(attributes: readonly Attribute[]): Type {
  return [
    "object",
    Object.fromEntries(attributes.map(({ name, form }) => [name, typeOfForm(form)])),
  ];
}

/** The type of a form. */
export function typeOfForm(form: Form): Type {
  switch (form.is) {
    case "json":
      return "string";
    case "list":
    case "set":
    case "map":
      return [form.is, typeOfForm(form.of)];
    case "nested": {
      const object = typeOf(form.attributes);
      return form.nesting === "single" ? object : [form.nesting, object];
    }
    default:
      return form.is;
  }
}

/** The fields of one part, and what could not be read. */
export interface Converted {
  readonly inputs: Inputs;
  readonly findings: readonly Finding[];
}

/** The fields of `part` that attributes give; what is null is left out. */
export function toInputs(
  attributes: readonly Attribute[],
  values: AttributeValues,
  part: "spec" | "status" = "spec",
): Converted {
  const findings: Finding[] = [];
  const chosen = attributes.filter((one) => one.part === part);
  const inputs = attributesToInputs(chosen, values, { steps: [], findings });
  return { inputs, findings };
}

interface ConversionContext {
  readonly steps: readonly (string | number)[];
  readonly findings: Finding[];
}

function attributesToInputs(
  attributes: readonly Attribute[],
  values: AttributeValues,
  at: ConversionContext,
): Inputs {
  const found = attributes.flatMap(({ name, field, form }): [string, Value][] => {
    const value = values[name];
    if (value === undefined || value === null) return [];
    return [[field, valueToInput(form, value, { ...at, steps: [...at.steps, field] })]];
  });
  return Object.fromEntries(found);
}

function valueToInput(form: Form, value: Value, at: ConversionContext): Value {
  if (value === null || value instanceof Unknown) return value;
  if (form.is === "json") return parseJsonText(value, at);
  const inner = (item: Value, step: string | number): Value => {
    const inside = { ...at, steps: [...at.steps, step] };
    if ("of" in form) return valueToInput(form.of, item, inside);
    if (form.is === "nested" && isKnownObject(item))
      return attributesToInputs(form.attributes, item, inside);
    return item;
  };
  if (Array.isArray(value)) return value.map((item: Value, index) => inner(item, index));
  if (!isKnownObject(value)) return value;
  if (form.is === "nested" && form.nesting === "single")
    return attributesToInputs(form.attributes, value, at);
  const entries = Object.entries(value).map(([key, item]) => [key, inner(item ?? null, key)]);
  return Object.fromEntries(entries) as Value;
}

function parseJsonText(value: Value, { steps, findings }: ConversionContext): Value {
  try {
    return typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
  } catch {
    findings.push({
      code: "wrong-type",
      severity: "error",
      path: joinPointer(steps),
      message: "must be JSON text",
      remedy: "Write the value in jsonencode().",
    });
    // Nothing more is said of it.
    return new Unknown();
  }
}

/** The value of an attribute that stands for what a field holds; `null` where it holds nothing. */
export function fromField(form: Form, held: JsonValue | undefined): Value {
  if (held === undefined || (held === null && form.is !== "json")) return null;
  if (form.is === "json") return held === null ? null : JSON.stringify(held);
  if ("of" in form) {
    // A `null` inside a collection is a value of its own.
    const item = (one: JsonValue | undefined): Value =>
      form.of.is === "json" ? JSON.stringify(one ?? null) : fromField(form.of, one);
    if (Array.isArray(held)) return held.map(item);
    if (!isObject(held)) return null;
    return Object.fromEntries(Object.entries(held).map(([key, one]) => [key, item(one)]));
  }
  if (form.is !== "nested") return held;
  const object = (one: JsonValue | undefined): Value =>
    isObject(one) ? fromMembers(form.attributes, one) : null;
  if (form.nesting === "single") return object(held);
  if (Array.isArray(held)) return held.map(object);
  if (!isObject(held)) return null;
  return Object.fromEntries(Object.entries(held).map(([key, one]) => [key, object(one)]));
}

function fromMembers(attributes: readonly Attribute[], held: JsonObject): AttributeValues {
  return Object.fromEntries(
    attributes.map(({ name, field, form }) => [name, fromMember(form, held[field])]),
  );
}

/** Inside an item, a `null` that is there differs from a member that is not. */
function fromMember(form: Form, held: JsonValue | undefined): Value {
  return form.is === "json" && held === null ? "null" : fromField(form, held);
}

/** One step into a configuration, as the protocol spells it. */
export type Step =
  | { readonly attributeName: string }
  | { readonly elementKeyString: string }
  | { readonly elementKeyInt: number };

/** Where a field is: for the engine, as far as it can be told, and for people, whole. */
export interface Location {
  readonly steps: readonly Step[];
  /** `widgets[0].position.x`. */
  readonly label: string;
}

/** Engines find the line of an attribute and of what lies in it by one index; a longer path leads them to the whole block. */
const maxAttributePathSteps = 2;

/** The place in a configuration of the field at a JSON Pointer of the spec. */
export function locationOf(attributes: readonly Attribute[], pointer: string): Location {
  let label = "";
  const steps: Step[] = [];
  let members: readonly Attribute[] | undefined = attributes;
  let form: Form | undefined;
  let exact = true;
  for (const step of splitPointer(pointer)) {
    const attribute: Attribute | undefined = members?.find(({ field }) => field === step);
    if (attribute !== undefined) {
      const { name } = attribute;
      if (exact)
        steps.push(steps.length === 0 ? { attributeName: name } : { elementKeyString: name });
      label += `${label === "" ? "" : "."}${attribute.name}`;
      form = attribute.form;
      members = form.is === "nested" && form.nesting === "single" ? form.attributes : undefined;
      continue;
    }
    label += /^\d+$/.test(step) ? `[${step}]` : `${label === "" ? "" : "."}${step}`;
    const holder: string | undefined = form?.is === "nested" ? form.nesting : form?.is;
    if (holder === "list" && exact) steps.push({ elementKeyInt: Number(step) });
    else if (holder === "map" && exact) steps.push({ elementKeyString: step });
    else exact = false;
    members = form?.is === "nested" ? form.attributes : undefined;
    form = form !== undefined && "of" in form ? form.of : undefined;
  }
  return { steps: steps.slice(0, maxAttributePathSteps), label };
}
