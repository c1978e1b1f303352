// Expands a document of a component into documents of the resource types that it consists of. Their places are those in
// the component's document, so that errors and plans point at the text of the user.
import { createHash } from "node:crypto";
import { Type } from "typebox";
import type { Component, ComponentPart } from "../../core/kind/component.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { address } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { apiVersion } from "../../core/kind/json-schema.ts";
import { didYouMean, quoted, sentences } from "../../core/text/naming.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { referencesOf, withReferences } from "../../core/kind/references.ts";
import { member } from "../../core/schema/schema.ts";
import { namePattern } from "../../core/text/text-patterns.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { diagnosticOf, readHead } from "./document.ts";
import { type FieldError, fieldErrors } from "./field-errors.ts";
import { manageErrors, validRules } from "./lifecycle-checks.ts";
import type { Document } from "./parse.ts";
import {
  escapeSubstitutions,
  hasSubstitution,
  keyError,
  type Scope,
  substitute,
} from "./variables.ts";

/** The context in which a document is expanded. */
export interface ExpansionContext {
  readonly scope: Scope;
  /** The addresses that other documents of the stack declare. A map key that names none is the key of an object outside. */
  readonly addresses: ReadonlySet<string>;
}

/** The documents of a component's objects, and the errors of the component itself. */
export interface Expansion {
  readonly documents: readonly Document[];
  readonly diagnostics: readonly Diagnostic[];
  /** False if the document has errors, so that some objects may be missing. */
  readonly isComplete: boolean;
}

/** Expands a document of a component. Errors of its objects are found when their documents are checked. */
export function expandComponent(
  component: Component,
  document: Document,
  context: ExpansionContext,
): Expansion {
  const head = readHead(withoutSpec(document), context.scope, "component");
  const manage = head.rules === undefined ? [] : manageErrors(head.rules);
  const spec = isObject(document.value) ? member(document.value, "spec") : undefined;
  const { parts, errors } = readParts(component, spec, context.scope);
  const all = [...head.errors, ...manage, ...errors];
  const objectAddress = head.name === undefined ? undefined : address(component.name, head.name);
  const diagnostics = document.hasErrors
    ? []
    : all.map((error) => diagnosticOf(document, error, objectAddress));
  const isComplete = all.length === 0 && !document.hasErrors && head.name !== undefined;
  if (head.name === undefined) return { documents: [], diagnostics, isComplete };
  const { manage: declared, ...rules } = validRules(head.rules) ?? {};
  const lifecycle = { ...rules, ...(declared && manage.length === 0 && { manage: declared }) };
  const metadata = {
    ...(head.errors.every(({ path }) => !path.startsWith("/metadata")) && labelsOf(document)),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle: lifecycle as JsonObject }),
  };
  const source = { component, name: head.name, document, metadata, parts, context };
  const documents = component.parts.flatMap((part) =>
    (parts.get(part.name) ?? []).map((object) => memberDocument(source, part, object)),
  );
  return { documents, diagnostics, isComplete };
}

/** Returns the name of the document of an object: the name of the component, and for an entry of a map its key. */
export function memberName(component: string, key: string | undefined): string {
  if (key === undefined) return component;
  const plain = `${component}-${key}`;
  if (new RegExp(namePattern, "u").test(plain)) return plain;
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 8);
  const start = plain.slice(0, maxNameStart).replace(/[^A-Za-z0-9._-]+/gu, "-");
  return `${start}-${hash}`;
}

/** Number of characters before the hash in the name of an object whose key is not a valid name. */
const maxNameStart = 100;

function withoutSpec(document: Document): Document {
  if (!isObject(document.value)) return document;
  const { spec: _, ...value } = document.value;
  return { ...document, value };
}

/** Labels as written: the documents of the objects substitute variables in them. */
function labelsOf({ value }: Document): JsonObject {
  const metadata = isObject(value) ? member(value, "metadata") : undefined;
  const labels = isObject(metadata) ? member(metadata, "labels") : undefined;
  return labels === undefined ? {} : { labels };
}

/** One object of a part as written, with variables that stand for whole objects resolved. */
interface PartObject {
  readonly key: string | undefined;
  readonly fields: JsonObject;
}

interface ReadParts {
  readonly parts: ReadonlyMap<string, readonly PartObject[]>;
  readonly errors: readonly FieldError[];
}

const partsSchema = Type.Record(Type.String(), Type.Unknown());
const validateParts = declaredValidator(partsSchema);

function readParts(component: Component, spec: JsonValue | undefined, scope: Scope): ReadParts {
  const value = spec ?? {};
  const formal = fieldErrors(validateParts(value), {
    schema: partsSchema,
    value,
    written: value,
    label: "spec",
  }).map((error) => ({ ...error, path: `/spec${error.path}` }));
  if (!isObject(value)) return { parts: new Map(), errors: formal };
  const errors: FieldError[] = unknownParts(component, value);
  const parts = new Map<string, readonly PartObject[]>();
  for (const part of component.parts) {
    const objects = objectsOf(part, member(value, part.name), { scope, errors });
    parts.set(part.name, objects);
    errors.push(...missingSuppliers(part, objects, parts));
  }
  return { parts, errors };
}

function unknownParts({ name: kind, parts }: Component, spec: JsonObject): FieldError[] {
  const names = parts.map(({ name }) => name);
  return Object.keys(spec)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      code: "unknown-field",
      path: joinPointer(["spec", name]),
      inKey: true,
      summary: `"spec.${name}" is not a known field`,
      remedy: sentences(didYouMean(name, names, quoted), `${kind} has ${names.join(", ")}.`),
    }));
}

/** Reports a part whose objects refer to an object of another part that is not given. */
function missingSuppliers(
  part: ComponentPart,
  objects: readonly PartObject[],
  parts: ReadParts["parts"],
): readonly FieldError[] {
  if (objects.length === 0) return [];
  const suppliers = new Set([...part.derivedFields.values()].map((field) => field.part));
  return [...suppliers]
    .filter((name) => parts.get(name)?.length === 0)
    .map((name) => ({
      code: "missing-field",
      path: joinPointer(["spec", part.name]),
      inKey: true,
      summary: `"spec.${part.name}" requires "spec.${name}"`,
      remedy: `Add ${name}, or remove ${part.name}.`,
    }));
}

interface PartReading {
  readonly scope: Scope;
  readonly errors: FieldError[];
}

function objectsOf(
  part: ComponentPart,
  written: JsonValue | undefined,
  reading: PartReading,
): readonly PartObject[] {
  const steps = ["spec", part.name];
  if (written === undefined) {
    if (part.cardinality === "one") reading.errors.push(missingPart(part));
    return [];
  }
  const value = objectAt(steps, written, reading);
  if (value === undefined) return [];
  if (part.cardinality !== "each") return objectOf(part, { steps, key: undefined, value }, reading);
  return Object.entries(value).flatMap(([key, entry]) => {
    const entrySteps = [...steps, key];
    if (hasSubstitution(key)) {
      reading.errors.push({ ...keyError(key), path: joinPointer(entrySteps), inKey: true });
      return [];
    }
    const fields = objectAt(entrySteps, entry ?? null, reading);
    return fields === undefined
      ? []
      : objectOf(part, { steps: entrySteps, key, value: fields }, reading);
  });
}

function missingPart({ name, doc }: ComponentPart): FieldError {
  const summary = `"spec.${name}" is required`;
  return {
    code: "missing-field",
    path: joinPointer(["spec", name]),
    inKey: true,
    summary,
    remedy: `Add ${name}: ${doc}`,
  };
}

/** Returns the object at a place. A variable can stand for it; its strings are then values, without substitutions. */
function objectAt(
  steps: readonly string[],
  written: JsonValue,
  { scope, errors }: PartReading,
): JsonObject | undefined {
  const path = joinPointer(steps);
  const isVariable = typeof written === "string" && hasSubstitution(written);
  const resolved = isVariable ? substitute(written, scope, path) : { value: written, errors: [] };
  errors.push(...resolved.errors);
  if (resolved.errors.length > 0) return undefined;
  const value = isVariable ? escapeSubstitutions(resolved.value) : resolved.value;
  if (isObject(value)) return value;
  const summary = `"${steps.join(".")}" must be an object`;
  const remedy = value === null ? "Write {} for an object without fields." : undefined;
  errors.push({ code: "wrong-type", path, inKey: false, summary, ...(remedy && { remedy }) });
  return undefined;
}

/** Refuses fields that the component sets itself. */
function objectOf(
  part: ComponentPart,
  written: {
    readonly steps: readonly string[];
    readonly key: string | undefined;
    readonly value: JsonObject;
  },
  { errors }: PartReading,
): readonly PartObject[] {
  const taken = Object.keys(written.value).filter(
    (name) => part.derivedFields.has(name) || name === part.keyedBy,
  );
  errors.push(
    ...taken.map((name): FieldError => {
      const steps = [...written.steps, name];
      const source =
        name === part.keyedBy
          ? `the key of the map is its value`
          : `its value comes from ${part.derivedFields.get(name)?.part}`;
      return {
        code: "unknown-field",
        path: joinPointer(steps),
        inKey: true,
        summary: `"${steps.join(".")}" is set by the component: ${source}`,
        remedy: "Remove it.",
      };
    }),
  );
  const kept = Object.entries(written.value).filter(([name]) => !taken.includes(name));
  return [{ key: written.key, fields: Object.fromEntries(kept) }];
}

/** A component's document with its parts. */
interface ExpansionSource {
  readonly component: Component;
  readonly name: string;
  readonly document: Document;
  readonly metadata: JsonObject;
  readonly parts: ReadParts["parts"];
  readonly context: ExpansionContext;
}

function memberDocument(
  source: ExpansionSource,
  part: ComponentPart,
  { key, fields }: PartObject,
): Document {
  const { document } = source;
  const steps = ["spec", part.name, ...(key === undefined ? [] : [key])];
  const derived = derivedValues(source, part);
  const spec = withReferences(
    fields,
    referencesOf(part.kind, fields).filter(({ external }) => !external),
    (reference) => memberReference(source, reference.kind, reference.value) ?? reference.value,
  );
  const keyed =
    part.keyedBy === undefined || key === undefined
      ? {}
      : { [part.keyedBy]: keyValue(source, part, key) };
  const isWhole = [...derived.values()].every((value) => value !== undefined);
  const isOwn = (field: string | undefined): boolean =>
    field !== undefined && field !== part.keyedBy && !part.derivedFields.has(field);
  return {
    ...document,
    place: document.locate(joinPointer(steps), key === undefined ? "value" : "key"),
    value: {
      apiVersion,
      kind: part.kind.name,
      metadata: { name: memberName(source.name, key), ...source.metadata },
      spec: { ...keyed, ...definedValues(derived), ...spec },
    },
    // Fields that another part lacks are reported there.
    hasErrors: document.hasErrors || !isWhole,
    generatedBy: "component",
    specLabel: steps.join("."),
    locate: (pointer, side) => {
      const [top, field, ...inner] = splitPointer(pointer);
      if (top !== "spec") return document.locate(pointer, side);
      if (!isOwn(field)) return document.locate(joinPointer(steps), "key");
      return document.locate(joinPointer([...steps, ...(field ? [field] : []), ...inner]), side);
    },
  };
}

function definedValues(values: ReadonlyMap<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(
    [...values].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

/** Returns the values of the fields that other parts set: the name of a document, or a field as written there. */
function derivedValues(
  { name, parts }: ExpansionSource,
  { derivedFields }: ComponentPart,
): ReadonlyMap<string, JsonValue | undefined> {
  return new Map(
    [...derivedFields].map(([field, supply]) => {
      const [supplier] = parts.get(supply.part) ?? [];
      if (supplier === undefined) return [field, undefined];
      const value =
        supply.field === undefined
          ? memberName(name, undefined)
          : member(supplier.fields, supply.field);
      return [field, value];
    }),
  );
}

/** Returns the document of an entry that the value of a reference names by its key; undefined if it names none. */
function memberReference(
  { component, name, parts, context }: ExpansionSource,
  kind: string,
  written: string,
): string | undefined {
  const part = component.parts.find((item) => item.kind.name === kind);
  const { value } = substitute(written, context.scope);
  const entries = part === undefined ? [] : (parts.get(part.name) ?? []);
  return typeof value === "string" && entries.some(({ key }) => key === value)
    ? memberName(name, value)
    : undefined;
}

/**
 * Returns the value of the field that the key of a map sets. As a reference, it names a document of the stack,
 * otherwise an object outside.
 */
function keyValue({ context }: ExpansionSource, part: ComponentPart, key: string): JsonValue {
  const field = fieldsOf(part.kind).find(({ name }) => name === part.keyedBy);
  const target = field?.traits.refersTo;
  if (target === undefined || context.addresses.has(address(target, key))) return key;
  return { external: key };
}
