// What a component's inputs ask for: the objects of each part, with everything that is wrong told at its place.
import type { Component, ComponentPart } from "../../core/component.ts";
import { closestMatch } from "../../core/naming.ts";
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

/** The inputs that an object of a part takes: those that neither another part nor the entry's key says. */
export function inputsOfPart({
  kind,
  derivedFields: supplied,
  keyedBy,
}: ComponentPart): readonly Property[] {
  return propertiesOf(kind).inputs.filter(({ name }) => !supplied.has(name) && name !== keyedBy);
}

/** The property of a part's objects that holds this field. */
export function propertyOfField({ kind }: ComponentPart, field: string): string {
  return propertiesOf(kind).inputs.find(({ name }) => name === field)?.property ?? field;
}

/** An object that is asked for. */
export interface DesiredPartObject {
  /** The entry's key; undefined where the part is a single object. */
  readonly key: string | undefined;
  /** Its inputs, secrets sealed, without what other parts supply. */
  readonly inputs: PropertyMap;
}

/** The objects of each part by its name; undefined where it is not known yet which there are. */
export interface DesiredPartObjects {
  readonly byPart: ReadonlyMap<string, readonly DesiredPartObject[] | undefined>;
  readonly propertyErrors: readonly PropertyError[];
}

/** Reads the inputs of a component. */
export function desiredPartObjects(component: Component, inputs: PropertyMap): DesiredPartObjects {
  const wanted = new Map<string, readonly DesiredPartObject[] | undefined>();
  const complaints: PropertyError[] = unknownInputs(
    inputs,
    component.parts.map(({ name }) => name),
  );
  for (const part of component.parts) {
    const read = objectsOf(part, inputs[part.name]);
    wanted.set(part.name, read.objects);
    complaints.push(...read.propertyErrors, ...missingSuppliers(part, read.objects, wanted));
  }
  return { byPart: wanted, propertyErrors: complaints };
}

function unknownInputs(given: PropertyMap, known: readonly string[]): PropertyError[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((path) => {
      const meant = closestMatch(path, known);
      const remedy =
        meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${meant}?`;
      return { path, reason: `is not an input that there is. ${remedy}` };
    });
}

/** A part whose objects lie in another's needs that one. */
function missingSuppliers(
  part: ComponentPart,
  objects: readonly DesiredPartObject[] | undefined,
  wanted: DesiredPartObjects["byPart"],
): readonly PropertyError[] {
  const suppliers = new Set([...part.derivedFields.values()].map((one) => one.part));
  return [...suppliers]
    .filter((name) => wanted.get(name)?.length === 0 && objects?.length !== 0)
    .map((name) => ({ path: part.name, reason: `needs ${name}, which is not given` }));
}

interface PartResult {
  readonly objects: readonly DesiredPartObject[] | undefined;
  readonly propertyErrors: readonly PropertyError[];
}

function objectsOf(part: ComponentPart, value: PropertyValue | undefined): PartResult {
  const { name, cardinality: count } = part;
  if (value === undefined || value === null) {
    const complaints = count === "one" ? [{ path: name, reason: "is required" }] : [];
    return { objects: [], propertyErrors: complaints };
  }
  if (count !== "each") return mergeResults([objectOf(part, undefined, value)]);
  const isSealed = value instanceof SecretValue;
  const entries = isSealed ? value.reveal() : value;
  if (entries instanceof Unknown) return { objects: undefined, propertyErrors: [] };
  if (!isMap(entries)) {
    return { objects: [], propertyErrors: [{ path: name, reason: "must be a map of objects" }] };
  }
  const each = Object.entries(entries).map(([key, entry]) =>
    objectOf(part, key, isSealed ? new SecretValue(entry) : entry),
  );
  return mergeResults(each);
}

function mergeResults(reads: readonly PartResult[]): PartResult {
  return {
    objects: reads.flatMap(({ objects }) => objects ?? []),
    propertyErrors: reads.flatMap(({ propertyErrors: complaints }) => complaints),
  };
}

function objectOf(part: ComponentPart, key: string | undefined, value: PropertyValue): PartResult {
  const at = formatPropertyPath(key === undefined ? [part.name] : [part.name, key]);
  const given = membersOf(part, value);
  if (given === undefined) {
    return { objects: [], propertyErrors: [{ path: at, reason: "must be an object" }] };
  }
  const own = part.keyedBy === undefined ? undefined : propertyOfField(part, part.keyedBy);
  const inputs = { ...given, ...(own !== undefined && { [own]: key ?? null }) };
  const supplied = [...part.derivedFields.keys()].map((field) => propertyOfField(part, field));
  const taken = Object.keys(given).filter((name) => supplied.includes(name) || name === own);
  const filled = { ...inputs, ...Object.fromEntries(supplied.map((name) => [name, unknownValue])) };
  const { failures } = checkInputs(part.kind, { news: filled, olds: {}, isImport: false });
  const complaints = failures.map(({ path, reason }) => ({
    path: path === own ? at : nestedPath(at, path),
    reason,
  }));
  const said = taken.map((name) => ({
    path: nestedPath(at, name),
    reason: "is said by the component",
  }));
  return {
    objects: [{ key, inputs: markSecretInputs(part.kind, inputs) }],
    propertyErrors: [...complaints, ...said],
  };
}

/** The members of an object: none for null, all unknown for one that is, all secret for a secret one. */
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
