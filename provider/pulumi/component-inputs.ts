// Reads the inputs of a component into the objects of each part, and reports every error with its property path.
import type { Component, ComponentPart } from "../../core/kind/component.ts";
import { didYouMean } from "../../core/text/naming.ts";
import { type PropertyError, checkInputs } from "./resources.ts";
import { formatPropertyPath } from "./property-paths.ts";
import { propertiesOf, type Property } from "./properties.ts";
import { markSecretInputs } from "./state.ts";
import {
  isMap,
  type PropertyMap,
  type PropertyValue,
  SecretValue,
  unknownValue,
} from "./property-values.ts";
import { Unknown } from "../bridge/unknown-values.ts";

/** Returns the inputs that a program gives for an object of a part: those that neither another part nor the map key supplies. */
export function inputsOfPart({ kind, derivedFields, keyedBy }: ComponentPart): readonly Property[] {
  return propertiesOf(kind).inputs.filter(
    ({ name }) => !derivedFields.has(name) && name !== keyedBy,
  );
}

/** Returns the property that holds this field of a part's objects. */
export function propertyOfField({ kind }: ComponentPart, field: string): string {
  return propertiesOf(kind).inputs.find(({ name }) => name === field)?.property ?? field;
}

/** One declared object of a part. */
export interface DesiredPartObject {
  /** The map key; undefined if the part is a single object. */
  readonly key: string | undefined;
  /** The inputs with secrets marked, without those that other parts supply. */
  readonly inputs: PropertyMap;
}

/** The objects of each part by part name; undefined if the map of objects is not known yet. */
export interface DesiredPartObjects {
  readonly byPart: ReadonlyMap<string, readonly DesiredPartObject[] | undefined>;
  readonly propertyErrors: readonly PropertyError[];
}

/** Reads the inputs of a component. Returns all errors, not only the first. */
export function desiredPartObjects(component: Component, inputs: PropertyMap): DesiredPartObjects {
  const desired = new Map<string, readonly DesiredPartObject[] | undefined>();
  const propertyErrors: PropertyError[] = unknownInputs(
    inputs,
    component.parts.map(({ name }) => name),
  );
  for (const part of component.parts) {
    const read = objectsOf(part, inputs[part.name]);
    desired.set(part.name, read.objects);
    propertyErrors.push(...read.propertyErrors, ...missingSuppliers(part, read.objects, desired));
  }
  return { byPart: desired, propertyErrors };
}

function unknownInputs(inputs: PropertyMap, known: readonly string[]): PropertyError[] {
  return Object.keys(inputs)
    .filter((name) => !known.includes(name))
    .map((path) => {
      const remedy = didYouMean(path, known) ?? `Use one of ${known.join(", ")}.`;
      return { path, reason: `is not an input of this component. ${remedy}` };
    });
}

/** Reports a part that depends on another part which is not given. */
function missingSuppliers(
  part: ComponentPart,
  objects: readonly DesiredPartObject[] | undefined,
  desired: DesiredPartObjects["byPart"],
): readonly PropertyError[] {
  const suppliers = new Set([...part.derivedFields.values()].map((one) => one.part));
  return [...suppliers]
    .filter((name) => desired.get(name)?.length === 0 && objects?.length !== 0)
    .map((name) => ({ path: part.name, reason: `requires ${name}, which is not set` }));
}

interface PartResult {
  readonly objects: readonly DesiredPartObject[] | undefined;
  readonly propertyErrors: readonly PropertyError[];
}

function objectsOf(part: ComponentPart, value: PropertyValue | undefined): PartResult {
  const { name, cardinality } = part;
  if (value === undefined || value === null) {
    const propertyErrors = cardinality === "one" ? [{ path: name, reason: "is required" }] : [];
    return { objects: [], propertyErrors };
  }
  if (cardinality !== "each") return mergeResults([objectOf(part, undefined, value)]);
  const isSecret = value instanceof SecretValue;
  const entries = isSecret ? value.reveal() : value;
  if (entries instanceof Unknown) return { objects: undefined, propertyErrors: [] };
  if (!isMap(entries)) {
    return { objects: [], propertyErrors: [{ path: name, reason: "must be a map of objects" }] };
  }
  const each = Object.entries(entries).map(([key, entry]) =>
    objectOf(part, key, isSecret ? new SecretValue(entry) : entry),
  );
  return mergeResults(each);
}

function mergeResults(reads: readonly PartResult[]): PartResult {
  return {
    objects: reads.flatMap(({ objects }) => objects ?? []),
    propertyErrors: reads.flatMap(({ propertyErrors }) => propertyErrors),
  };
}

function objectOf(part: ComponentPart, key: string | undefined, value: PropertyValue): PartResult {
  const at = formatPropertyPath(key === undefined ? [part.name] : [part.name, key]);
  const given = membersOf(part, value);
  if (given === undefined) {
    return { objects: [], propertyErrors: [{ path: at, reason: "must be an object" }] };
  }
  const keyProperty = part.keyedBy === undefined ? undefined : propertyOfField(part, part.keyedBy);
  const inputs = { ...given, ...(keyProperty !== undefined && { [keyProperty]: key ?? null }) };
  const supplied = [...part.derivedFields.keys()].map((field) => propertyOfField(part, field));
  const taken = Object.keys(given).filter(
    (name) => supplied.includes(name) || name === keyProperty,
  );
  const filled = { ...inputs, ...Object.fromEntries(supplied.map((name) => [name, unknownValue])) };
  const { failures } = checkInputs(part.kind, { news: filled, olds: {} });
  const invalid = failures.map(({ path, reason }) => ({
    path: path === keyProperty ? at : nestedPath(at, path),
    reason,
  }));
  const suppliedTwice = taken.map((name) => ({
    path: nestedPath(at, name),
    reason: "is set by the component; remove it",
  }));
  return {
    objects: [{ key, inputs: markSecretInputs(part.kind, inputs) }],
    propertyErrors: [...invalid, ...suppliedTwice],
  };
}

/** Returns the members of an object: none for null, all unknown for an unknown object, all secret for a secret one. */
function membersOf(part: ComponentPart, value: PropertyValue): PropertyMap | undefined {
  if (value === null) return {};
  if (value instanceof Unknown) {
    return Object.fromEntries(inputsOfPart(part).map(({ property }) => [property, unknownValue]));
  }
  if (!(value instanceof SecretValue)) return isMap(value) ? value : undefined;
  const inner = membersOf(part, value.reveal());
  return (
    inner &&
    Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, new SecretValue(one)]))
  );
}

function nestedPath(at: string, path: string): string {
  return path.startsWith("[") ? `${at}${path}` : `${at}.${path}`;
}
