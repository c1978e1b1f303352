// What a component's inputs ask for: the objects of each part, with everything that is wrong told at its place.
import type { Component, Part } from "../../core/component.ts";
import { nearest } from "../../core/names.ts";
import { type Complaint, checkInputs } from "./objects.ts";
import { propertyPath } from "./paths.ts";
import { propertiesOf, type Property } from "./properties.ts";
import { sealedInputs } from "./state.ts";
import { isMap, type PropertyMap, type PropertyValue, Sealed, unknown } from "./values.ts";
import { Unknown } from "../bridge/values.ts";

/** The inputs that an object of a part takes: those that neither another part nor the entry's key says. */
export function inputsOfPart({ kind, supplied, keyedBy }: Part): readonly Property[] {
  return propertiesOf(kind).inputs.filter(({ name }) => !supplied.has(name) && name !== keyedBy);
}

/** The property of a part's objects that holds this field. */
export function propertyOfField({ kind }: Part, field: string): string {
  return propertiesOf(kind).inputs.find(({ name }) => name === field)?.property ?? field;
}

/** An object that is asked for. */
export interface Wanted {
  /** The entry's key; undefined where the part is a single object. */
  readonly key: string | undefined;
  /** Its inputs, secrets sealed, without what other parts supply. */
  readonly inputs: PropertyMap;
}

/** The objects of each part by its name; undefined where it is not known yet which there are. */
export interface Wishes {
  readonly wanted: ReadonlyMap<string, readonly Wanted[] | undefined>;
  readonly complaints: readonly Complaint[];
}

/** Reads the inputs of a component. */
export function wishesOf(component: Component, inputs: PropertyMap): Wishes {
  const wanted = new Map<string, readonly Wanted[] | undefined>();
  const complaints: Complaint[] = strangers(
    inputs,
    component.parts.map(({ name }) => name),
  );
  for (const part of component.parts) {
    const read = objectsOf(part, inputs[part.name]);
    wanted.set(part.name, read.objects);
    complaints.push(...read.complaints, ...missing(part, read.objects, wanted));
  }
  return { wanted, complaints };
}

function strangers(given: PropertyMap, known: readonly string[]): Complaint[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((path) => {
      const meant = nearest(path, known);
      const remedy =
        meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${meant}?`;
      return { path, reason: `is not an input that there is. ${remedy}` };
    });
}

/** A part whose objects lie in another's needs that one. */
function missing(
  part: Part,
  objects: readonly Wanted[] | undefined,
  wanted: Wishes["wanted"],
): readonly Complaint[] {
  const suppliers = new Set([...part.supplied.values()].map((one) => one.part));
  return [...suppliers]
    .filter((name) => wanted.get(name)?.length === 0 && objects?.length !== 0)
    .map((name) => ({ path: part.name, reason: `needs ${name}, which is not given` }));
}

interface Read {
  readonly objects: readonly Wanted[] | undefined;
  readonly complaints: readonly Complaint[];
}

function objectsOf(part: Part, value: PropertyValue | undefined): Read {
  const { name, count } = part;
  if (value === undefined || value === null) {
    const complaints = count === "one" ? [{ path: name, reason: "is required" }] : [];
    return { objects: [], complaints };
  }
  if (count !== "each") return merged([objectOf(part, undefined, value)]);
  const isSealed = value instanceof Sealed;
  const entries = isSealed ? value.reveal() : value;
  if (entries instanceof Unknown) return { objects: undefined, complaints: [] };
  if (!isMap(entries)) {
    return { objects: [], complaints: [{ path: name, reason: "must be a map of objects" }] };
  }
  const each = Object.entries(entries).map(([key, entry]) =>
    objectOf(part, key, isSealed ? new Sealed(entry) : entry),
  );
  return merged(each);
}

function merged(reads: readonly Read[]): Read {
  return {
    objects: reads.flatMap(({ objects }) => objects ?? []),
    complaints: reads.flatMap(({ complaints }) => complaints),
  };
}

function objectOf(part: Part, key: string | undefined, value: PropertyValue): Read {
  const at = propertyPath(key === undefined ? [part.name] : [part.name, key]);
  const given = membersOf(part, value);
  if (given === undefined) {
    return { objects: [], complaints: [{ path: at, reason: "must be an object" }] };
  }
  const own = part.keyedBy === undefined ? undefined : propertyOfField(part, part.keyedBy);
  const inputs = { ...given, ...(own !== undefined && { [own]: key ?? null }) };
  const supplied = [...part.supplied.keys()].map((field) => propertyOfField(part, field));
  const taken = Object.keys(given).filter((name) => supplied.includes(name) || name === own);
  const filled = { ...inputs, ...Object.fromEntries(supplied.map((name) => [name, unknown])) };
  const { failures } = checkInputs(part.kind, { news: filled, olds: {}, isImport: false });
  const complaints = failures.map(({ path, reason }) => ({
    path: path === own ? at : below(at, path),
    reason,
  }));
  const said = taken.map((name) => ({ path: below(at, name), reason: "is said by the component" }));
  return {
    objects: [{ key, inputs: sealedInputs(part.kind, inputs) }],
    complaints: [...complaints, ...said],
  };
}

/** The members of an object: none for null, all unknown for one that is, all secret for a secret one. */
function membersOf(part: Part, value: PropertyValue): PropertyMap | undefined {
  if (value === null) return {};
  if (value instanceof Unknown) {
    return Object.fromEntries(inputsOfPart(part).map(({ property }) => [property, unknown]));
  }
  if (!(value instanceof Sealed)) return isMap(value) ? value : undefined;
  const inner = membersOf(part, value.reveal());
  return (
    inner && Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, new Sealed(one)]))
  );
}

function below(at: string, path: string): string {
  return path.startsWith("[") ? `${at}${path}` : `${at}.${path}`;
}
