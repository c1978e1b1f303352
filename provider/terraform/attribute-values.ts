// Converts Terraform attributes to bridge inputs and back, and maps fields to locations in a configuration.
import type { JsonValue } from "../../core/json.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { jsonLossReason } from "../../core/text/exact-numbers.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import type { Finding } from "../bridge/validate-inputs.ts";
import { type Inputs, isKnownObject, Unknown, type Value } from "../bridge/unknown-values.ts";
import type { Attribute, Form } from "./schema.ts";
import type { Type } from "./wire/cty.ts";

/** Attributes by name. */
export type AttributeValues = Inputs;

/** Returns the object type of a list of attributes. */
export function typeOf(attributes: readonly Attribute[]): Type {
  return [
    "object",
    Object.fromEntries(attributes.map(({ name, form }) => [name, typeOfForm(form)])),
  ];
}

/** Returns the protocol type of a form. */
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

/** The fields of one part, and conversion errors. */
export interface Converted {
  readonly inputs: Inputs;
  readonly findings: readonly Finding[];
}

/** Converts attributes to the fields of `part`. Omits null values. */
export function toInputs(
  attributes: readonly Attribute[],
  values: AttributeValues,
  part: "spec" | "status" = "spec",
): Converted {
  const findings: Finding[] = [];
  const selected = attributes.filter((one) => one.part === part);
  const inputs = attributesToInputs(selected, values, { steps: [], findings });
  return { inputs, findings };
}

interface ConversionContext {
  readonly steps: readonly (string | number)[];
  readonly findings: Finding[];
}

function attributesToInputs(
  attributes: readonly Attribute[],
  values: AttributeValues,
  context: ConversionContext,
): Inputs {
  const found = attributes.flatMap(({ name, field, form }): [string, Value][] => {
    const value = values[name];
    if (value === undefined || value === null) return [];
    return [[field, valueToInput(form, value, { ...context, steps: [...context.steps, field] })]];
  });
  return Object.fromEntries(found);
}

function valueToInput(form: Form, value: Value, context: ConversionContext): Value {
  if (value === null || value instanceof Unknown) return value;
  if (form.is === "json") return parseJsonText(value, context);
  const inner = (item: Value, step: string | number): Value => {
    const itemContext = { ...context, steps: [...context.steps, step] };
    if ("of" in form) return valueToInput(form.of, item, itemContext);
    if (form.is === "nested" && isKnownObject(item))
      return attributesToInputs(form.attributes, item, itemContext);
    return item;
  };
  if (Array.isArray(value)) return value.map((item: Value, index) => inner(item, index));
  if (!isKnownObject(value)) return value;
  if (form.is === "nested" && form.nesting === "single")
    return attributesToInputs(form.attributes, value, context);
  const entries = Object.entries(value).map(([key, item]) => [key, inner(item ?? null, key)]);
  return Object.fromEntries(entries) as Value;
}

function parseJsonText(value: Value, { steps, findings }: ConversionContext): Value {
  if (typeof value !== "string") return value;
  const path = joinPointer(steps);
  try {
    const parsed = JSON.parse(value) as JsonValue;
    const loss = jsonLossReason(value);
    if (loss === undefined) {
      if (isEncodedText(parsed)) findings.push(encodedTwice(path));
      return parsed;
    }
    const { problem, remedy } = loss;
    const message = `must be JSON that loses nothing: ${problem}`;
    findings.push({ code: "out-of-bounds", severity: "error", path, message, remedy });
  } catch {
    findings.push({
      code: "wrong-type",
      severity: "error",
      path,
      message: "must be JSON text",
      remedy: "Write the value in jsonencode().",
    });
  }
  // An unknown value suppresses further errors for this field.
  return new Unknown();
}

function encodedTwice(path: string): Finding {
  const message = "is encoded twice: it is JSON text of a JSON string";
  const remedy =
    "Write the value in one jsonencode(), or in a CDK construct without Fn.jsonencode().";
  return { code: "wrong-type", severity: "error", path, message, remedy };
}

/** Returns true for a text that is a JSON string in quotes. */
function isEncodedText(value: JsonValue): boolean {
  if (typeof value !== "string" || !/^".*"$/su.test(value)) return false;
  try {
    return typeof JSON.parse(value) === "string";
  } catch {
    return false;
  }
}

/** Converts a field to an attribute value. Returns `null` for an absent field. */
export function fromField(form: Form, fieldValue: JsonValue | undefined): Value {
  if (fieldValue === undefined || (fieldValue === null && form.is !== "json")) return null;
  if (form.is === "json") return fieldValue === null ? null : JSON.stringify(fieldValue);
  if ("of" in form) {
    // A `null` item of a collection is kept.
    const item = (one: JsonValue | undefined): Value =>
      form.of.is === "json" ? JSON.stringify(one ?? null) : fromField(form.of, one);
    if (Array.isArray(fieldValue)) return fieldValue.map(item);
    if (!isObject(fieldValue)) return null;
    return Object.fromEntries(Object.entries(fieldValue).map(([key, one]) => [key, item(one)]));
  }
  if (form.is !== "nested") return fieldValue;
  const object = (one: JsonValue | undefined): Value =>
    isObject(one) ? fromMembers(form.attributes, one) : null;
  if (form.nesting === "single") return object(fieldValue);
  if (Array.isArray(fieldValue)) return fieldValue.map(object);
  if (!isObject(fieldValue)) return null;
  return Object.fromEntries(Object.entries(fieldValue).map(([key, one]) => [key, object(one)]));
}

function fromMembers(attributes: readonly Attribute[], fieldValue: JsonObject): AttributeValues {
  return Object.fromEntries(
    attributes.map(({ name, field, form }) => [name, fromMember(form, fieldValue[field])]),
  );
}

/** Converts a member of a nested object. A member that is `null` differs from an absent one. */
function fromMember(form: Form, fieldValue: JsonValue | undefined): Value {
  return form.is === "json" && fieldValue === null ? "null" : fromField(form, fieldValue);
}

/** One step of an attribute path, in the protocol's form. */
export type Step =
  | { readonly attributeName: string }
  | { readonly elementKeyString: string }
  | { readonly elementKeyInt: number };

/** The location of a field: protocol steps as far as Terraform resolves them, and a complete label for the message. */
export interface Location {
  readonly steps: readonly Step[];
  /** `widgets[0].position.x`. */
  readonly label: string;
}

/** Terraform resolves an attribute and one index inside it to a source line. A longer path points to the whole block. */
const maxAttributePathSteps = 2;

/** Returns the location in a configuration of the field at a JSON Pointer of the spec. */
export function locationOf(attributes: readonly Attribute[], pointer: string): Location {
  let label = "";
  const steps: Step[] = [];
  let members: readonly Attribute[] | undefined = attributes;
  let form: Form | undefined;
  let isExact = true;
  for (const step of splitPointer(pointer)) {
    const attribute: Attribute | undefined = members?.find(({ field }) => field === step);
    if (attribute !== undefined) {
      const { name } = attribute;
      if (isExact)
        steps.push(steps.length === 0 ? { attributeName: name } : { elementKeyString: name });
      label += `${label === "" ? "" : "."}${attribute.name}`;
      form = attribute.form;
      members = form.is === "nested" && form.nesting === "single" ? form.attributes : undefined;
      continue;
    }
    label += /^\d+$/.test(step) ? `[${step}]` : `${label === "" ? "" : "."}${step}`;
    const collection: string | undefined = form?.is === "nested" ? form.nesting : form?.is;
    if (collection === "list" && isExact) steps.push({ elementKeyInt: Number(step) });
    else if (collection === "map" && isExact) steps.push({ elementKeyString: step });
    else isExact = false;
    members = form?.is === "nested" ? form.attributes : undefined;
    form = form !== undefined && "of" in form ? form.of : undefined;
  }
  return { steps: steps.slice(0, maxAttributePathSteps), label };
}
