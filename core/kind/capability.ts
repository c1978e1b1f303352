// Determines which operations of a kind a server supports: the bindings for each verb, or the operations that are missing.
import { canClear, fieldsOf } from "./fields.ts";
import type { Kind, Binding } from "./kind.ts";
import type { Operation } from "../operation/operation.ts";

/** A verb that the server does not support. */
export interface UnavailableVerb {
  /** Operations that the server does not offer, over all bindings of the verb, in order. */
  readonly missing: readonly Operation[];
  /** The reason, if the API has no such verb for the kind. */
  readonly reason: string | undefined;
}

/** The bindings of a verb. Each has the same effect. */
export interface VerbCapability {
  readonly binding: Binding;
  /** Further offered bindings with the same effect and fewer calls, in order. */
  readonly alternatives: readonly Binding[];
}

/** The bindings that create an object. Alternatives set the same fields. */
export interface CreateCapability extends VerbCapability {
  /** Updates after the create, for fields that the create does not set. They are needed only for declared fields. */
  readonly followUps: readonly Binding[];
  /** Fields that neither the create nor an update sets on this server. */
  readonly uncovered: readonly string[];
}

/** Fields that no offered binding can change as required. */
export interface UncoveredFields {
  readonly uncovered: readonly string[];
  /** Operations that could change them and that the server does not offer. */
  readonly needs: readonly Operation[];
  /** The reason, if the API has no update for the kind. */
  readonly reason: string | undefined;
}

/** The operations that one server offers for one kind. */
export interface Capability {
  /** Operations required to observe the kind that the server does not offer; empty if the kind can be observed. */
  readonly observe: readonly Operation[];
  readonly create: CreateCapability | UnavailableVerb;
  /** Returns the bindings required to change these fields. `cleared` lists the fields that become `null`. */
  readonly update: (
    fields: Iterable<string>,
    cleared?: ReadonlySet<string>,
  ) => readonly Binding[] | UncoveredFields;
  readonly delete: VerbCapability | UnavailableVerb;
  /** Fields that can be cleared by their traits, but not by any binding that this server offers. */
  readonly cannotClear: ReadonlySet<string>;
}

const noFields: ReadonlySet<string> = new Set();

/** Returns the capability of a server for a kind. `offers` returns whether the server offers an operation. */
export function capability(kind: Kind, offers: (operation: Operation) => boolean): Capability {
  const updates = kind.unsupported.update === undefined ? kind.bindings.update : [];
  const offered = updates.filter((binding) => missingOperations(binding, offers).length === 0);
  const update: Capability["update"] = (fields, cleared = noFields) => {
    const wanted = [...new Set(fields)];
    const portions = assignFields(offered, wanted, cleared);
    const taken = new Set([...portions.values()].flatMap((bindingFields) => [...bindingFields]));
    const uncovered = wanted.filter((field) => !taken.has(field));
    if (uncovered.length === 0) return [...portions.keys()];
    const helpful = updates.filter((binding) =>
      uncovered.some((field) => canWrite(binding, field, cleared)),
    );
    return {
      uncovered,
      needs: allMissingOperations(helpful, offers),
      reason: kind.unsupported.update,
    };
  };
  return {
    observe: kind.bindings.observe.needs.filter((operation) => !offers(operation)),
    create: createCapability(kind, offers, offered),
    update,
    delete: deleteCapability(kind, offers),
    cannotClear: new Set(
      fieldsOf(kind)
        .filter(canClear)
        .map(({ name }) => name)
        .filter((name) => !offered.some((binding) => canWrite(binding, name, new Set([name])))),
    ),
  };
}

/** Returns whether a verb is unavailable. */
export function isUnavailable(
  found: Binding | VerbCapability | UnavailableVerb,
): found is UnavailableVerb {
  return "missing" in found;
}

/**
 * Assigns fields to the bindings that write them: to a single binding if it covers all fields, otherwise each binding takes
 * the remaining fields that it covers, in order. Fields that no binding can change as required are omitted.
 */
export function assignFields(
  bindings: readonly Binding[],
  fields: readonly string[],
  cleared: ReadonlySet<string> = noFields,
): ReadonlyMap<Binding, ReadonlySet<string>> {
  const alone = bindings.find((binding) =>
    fields.every((field) => canWrite(binding, field, cleared)),
  );
  if (alone !== undefined) return new Map(fields.length === 0 ? [] : [[alone, new Set(fields)]]);
  const left = new Set(fields);
  const portions = new Map<Binding, ReadonlySet<string>>();
  for (const binding of bindings) {
    const portion = [...left].filter((field) => canWrite(binding, field, cleared));
    for (const field of portion) left.delete(field);
    if (portion.length > 0) portions.set(binding, new Set(portion));
  }
  return portions;
}

function canWrite(binding: Binding, field: string, cleared: ReadonlySet<string>): boolean {
  const covers = binding.covers === undefined || binding.covers.includes(field);
  return covers && !(cleared.has(field) && binding.cannotClear.includes(field));
}

function createCapability(
  kind: Kind,
  offers: (operation: Operation) => boolean,
  updates: readonly Binding[],
): CreateCapability | UnavailableVerb {
  const binding = firstOffered(kind, "create", offers);
  if (isUnavailable(binding)) return binding;
  const names = fieldsOf(kind).map(({ name }) => name);
  const left = names.filter((name) => !canWrite(binding, name, noFields));
  const setsSameFields = (other: Binding): boolean =>
    names.every((name) => canWrite(other, name, noFields) !== left.includes(name));
  const portions = assignFields(updates, left);
  const taken = new Set([...portions.values()].flatMap((fields) => [...fields]));
  return {
    binding,
    alternatives: batchesBeside(binding, kind.bindings.create, offers).filter(setsSameFields),
    followUps: [...portions.keys()],
    uncovered: left.filter((name) => !taken.has(name)),
  };
}

function deleteCapability(
  kind: Kind,
  offers: (operation: Operation) => boolean,
): VerbCapability | UnavailableVerb {
  const binding = firstOffered(kind, "delete", offers);
  if (isUnavailable(binding)) return binding;
  return { binding, alternatives: batchesBeside(binding, kind.bindings.delete, offers) };
}

/** Returns the offered bindings, besides the first one, whose calls take several objects. */
function batchesBeside(
  binding: Binding,
  bindings: readonly Binding[],
  offers: (operation: Operation) => boolean,
): readonly Binding[] {
  return bindings.filter(
    (other) =>
      other !== binding && other.batch.max > 1 && missingOperations(other, offers).length === 0,
  );
}

function firstOffered(
  kind: Kind,
  verb: "create" | "delete",
  offers: (operation: Operation) => boolean,
): Binding | UnavailableVerb {
  const reason = kind.unsupported[verb];
  const bindings = reason === undefined ? kind.bindings[verb] : [];
  const binding = bindings.find((one) => missingOperations(one, offers).length === 0);
  return binding ?? { missing: allMissingOperations(bindings, offers), reason };
}

/** Returns the operations that a binding requires and the server does not offer. */
export function missingOperations(
  binding: Binding,
  offers: (operation: Operation) => boolean,
): readonly Operation[] {
  const { operation, prerequisite, preparation } = binding;
  const before = prerequisite === undefined ? [] : [prerequisite.operation];
  const needed = [operation, ...before, ...(preparation?.operations ?? [])];
  return needed.filter((one) => !offers(one));
}

function allMissingOperations(
  bindings: readonly Binding[],
  offers: (operation: Operation) => boolean,
): readonly Operation[] {
  return [...new Set(bindings.flatMap((binding) => missingOperations(binding, offers)))];
}
