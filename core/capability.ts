// Which ways of a kind's life a server can carry out: what to call for each verb, or what is missing for it.
import { canClear, fieldsOf } from "./fields.ts";
import type { Kind, Binding } from "./kind.ts";
import type { Operation } from "./operation.ts";

/** A verb that cannot be carried out. */
export interface UnavailableVerb {
  /** Operations that the server does not offer; any way would do, so these are those of all ways, in order. */
  readonly missing: readonly Operation[];
  /** Why the API has no such verb for the kind, where that is so. */
  readonly reason: string | undefined;
}

/** How a create is carried out. */
export interface CreateCapability {
  readonly binding: Binding;
  /** Updates right after it for fields that it does not set; none of them is needed for fields that are not wished for. */
  readonly followUps: readonly Binding[];
  /** Fields that neither sets on this server. */
  readonly uncovered: readonly string[];
}

/** Fields that no offered way can change as asked. */
export interface UncoveredFields {
  readonly uncovered: readonly string[];
  /** Operations that would do it, which the server does not offer. */
  readonly needs: readonly Operation[];
  /** Why the API has no update for the kind, where that is so. */
  readonly reason: string | undefined;
}

/** What one server can do for one kind. */
export interface Capability {
  /** Operations that observing needs and the server does not offer; empty when it can be observed. */
  readonly observe: readonly Operation[];
  readonly create: CreateCapability | UnavailableVerb;
  /** The ways that change these fields, each of them needed; `cleared` are those of them that become `null`. */
  readonly update: (
    fields: Iterable<string>,
    cleared?: ReadonlySet<string>,
  ) => readonly Binding[] | UncoveredFields;
  readonly delete: Binding | UnavailableVerb;
  /** Fields that can be cleared by their traits, but by no way that this server offers. */
  readonly cannotClear: ReadonlySet<string>;
}

const noFields: ReadonlySet<string> = new Set();

/** Sorts out what a server can do for a kind; `offers` tells whether it offers an operation. */
export function capability(kind: Kind, offers: (operation: Operation) => boolean): Capability {
  const updates = kind.unsupported.update === undefined ? kind.bindings.update : [];
  const offered = updates.filter((way) => missingOperations(way, offers).length === 0);
  const update: Capability["update"] = (fields, cleared = noFields) => {
    const wanted = [...new Set(fields)];
    const portions = assignFields(offered, wanted, cleared);
    const taken = new Set([...portions.values()].flatMap((fieldsOfWay) => [...fieldsOfWay]));
    const uncovered = wanted.filter((field) => !taken.has(field));
    if (uncovered.length === 0) return [...portions.keys()];
    const helpful = updates.filter((way) =>
      uncovered.some((field) => canWrite(way, field, cleared)),
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
    delete: firstOffered(kind, "delete", offers),
    cannotClear: new Set(
      fieldsOf(kind)
        .filter(canClear)
        .map(({ name }) => name)
        .filter((name) => !offered.some((way) => canWrite(way, name, new Set([name])))),
    ),
  };
}

/** True when a verb cannot be carried out. */
export function isUnavailable(
  found: Binding | CreateCapability | UnavailableVerb,
): found is UnavailableVerb {
  return "missing" in found;
}

/**
 * Which way writes which of the fields, in the order of the ways: one way alone where one can, else each takes what is left
 * for it. Fields that none can change as asked are in no portion.
 */
export function assignFields(
  ways: readonly Binding[],
  fields: readonly string[],
  cleared: ReadonlySet<string> = noFields,
): ReadonlyMap<Binding, ReadonlySet<string>> {
  const alone = ways.find((way) => fields.every((field) => canWrite(way, field, cleared)));
  if (alone !== undefined) return new Map(fields.length === 0 ? [] : [[alone, new Set(fields)]]);
  const left = new Set(fields);
  const portions = new Map<Binding, ReadonlySet<string>>();
  for (const way of ways) {
    const portion = [...left].filter((field) => canWrite(way, field, cleared));
    for (const field of portion) left.delete(field);
    if (portion.length > 0) portions.set(way, new Set(portion));
  }
  return portions;
}

function canWrite(way: Binding, field: string, cleared: ReadonlySet<string>): boolean {
  const covers = way.covers === undefined || way.covers.includes(field);
  return covers && !(cleared.has(field) && way.cannotClear.includes(field));
}

function createCapability(
  kind: Kind,
  offers: (operation: Operation) => boolean,
  updates: readonly Binding[],
): CreateCapability | UnavailableVerb {
  const way = firstOffered(kind, "create", offers);
  if (isUnavailable(way)) return way;
  const names = fieldsOf(kind).map(({ name }) => name);
  const left = names.filter((name) => !canWrite(way, name, noFields));
  const portions = assignFields(updates, left);
  const taken = new Set([...portions.values()].flatMap((fields) => [...fields]));
  return {
    binding: way,
    followUps: [...portions.keys()],
    uncovered: left.filter((name) => !taken.has(name)),
  };
}

function firstOffered(
  kind: Kind,
  verb: "create" | "delete",
  offers: (operation: Operation) => boolean,
): Binding | UnavailableVerb {
  const reason = kind.unsupported[verb];
  const ways = reason === undefined ? kind.bindings[verb] : [];
  const way = ways.find((one) => missingOperations(one, offers).length === 0);
  return way ?? { missing: allMissingOperations(ways, offers), reason };
}

function missingOperations(
  way: Binding,
  offers: (operation: Operation) => boolean,
): readonly Operation[] {
  const needed =
    way.prerequisite === undefined ? [way.operation] : [way.operation, way.prerequisite.operation];
  return needed.filter((operation) => !offers(operation));
}

function allMissingOperations(
  ways: readonly Binding[],
  offers: (operation: Operation) => boolean,
): readonly Operation[] {
  return [...new Set(ways.flatMap((way) => missingOperations(way, offers)))];
}
