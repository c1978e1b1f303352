// Which ways of a kind's life a server can carry out: what to call for each verb, or what is missing for it.
import { canClear, fieldsOf } from "./fields.ts";
import type { Kind, Way } from "./kind.ts";
import type { Operation } from "./operation.ts";

/** A verb that cannot be carried out. */
export interface Missing {
  /** Operations that the server does not offer; any way would do, so these are those of all ways, in order. */
  readonly missing: readonly Operation[];
  /** Why the API has no such verb for the kind, where that is so. */
  readonly reason: string | undefined;
}

/** How a create is carried out. */
export interface Creation {
  readonly way: Way;
  /** Updates right after it for fields that it does not set; none of them is needed for fields that are not wished for. */
  readonly rest: readonly Way[];
  /** Fields that neither sets on this server. */
  readonly uncovered: readonly string[];
}

/** Fields that no offered way can change as asked. */
export interface Uncovered {
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
  readonly create: Creation | Missing;
  /** The ways that change these fields, each of them needed; `cleared` are those of them that become `null`. */
  readonly update: (
    fields: Iterable<string>,
    cleared?: ReadonlySet<string>,
  ) => readonly Way[] | Uncovered;
  readonly delete: Way | Missing;
  /** Fields that can be cleared by their traits, but by no way that this server offers. */
  readonly cannotClear: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/** Sorts out what a server can do for a kind; `offers` tells whether it offers an operation. */
export function capability(kind: Kind, offers: (operation: Operation) => boolean): Capability {
  const updates = kind.cannot.update === undefined ? kind.life.update : [];
  const offered = updates.filter((way) => missingOf(way, offers).length === 0);
  const update: Capability["update"] = (fields, cleared = nothing) => {
    const wanted = [...new Set(fields)];
    const portions = portionsOf(offered, wanted, cleared);
    const taken = new Set([...portions.values()].flatMap((fieldsOfWay) => [...fieldsOfWay]));
    const uncovered = wanted.filter((field) => !taken.has(field));
    if (uncovered.length === 0) return [...portions.keys()];
    const helpful = updates.filter((way) => uncovered.some((field) => takes(way, field, cleared)));
    return { uncovered, needs: missingOfAll(helpful, offers), reason: kind.cannot.update };
  };
  return {
    observe: kind.life.observe.needs.filter((operation) => !offers(operation)),
    create: creation(kind, offers, offered),
    update,
    delete: firstOffered(kind, "delete", offers),
    cannotClear: new Set(
      fieldsOf(kind)
        .filter(canClear)
        .map(({ name }) => name)
        .filter((name) => !offered.some((way) => takes(way, name, new Set([name])))),
    ),
  };
}

/** True when a verb cannot be carried out. */
export function isMissing(found: Way | Creation | Missing): found is Missing {
  return "missing" in found;
}

/**
 * Which way writes which of the fields, in the order of the ways: one way alone where one can, else each takes what is left
 * for it. Fields that none can change as asked are in no portion.
 */
export function portionsOf(
  ways: readonly Way[],
  fields: readonly string[],
  cleared: ReadonlySet<string> = nothing,
): ReadonlyMap<Way, ReadonlySet<string>> {
  const alone = ways.find((way) => fields.every((field) => takes(way, field, cleared)));
  if (alone !== undefined) return new Map(fields.length === 0 ? [] : [[alone, new Set(fields)]]);
  const left = new Set(fields);
  const portions = new Map<Way, ReadonlySet<string>>();
  for (const way of ways) {
    const portion = [...left].filter((field) => takes(way, field, cleared));
    for (const field of portion) left.delete(field);
    if (portion.length > 0) portions.set(way, new Set(portion));
  }
  return portions;
}

function takes(way: Way, field: string, cleared: ReadonlySet<string>): boolean {
  const covers = way.covers === undefined || way.covers.includes(field);
  return covers && !(cleared.has(field) && way.cannotClear.includes(field));
}

function creation(
  kind: Kind,
  offers: (operation: Operation) => boolean,
  updates: readonly Way[],
): Creation | Missing {
  const way = firstOffered(kind, "create", offers);
  if (isMissing(way)) return way;
  const names = fieldsOf(kind).map(({ name }) => name);
  const left = names.filter((name) => !takes(way, name, nothing));
  const portions = portionsOf(updates, left);
  const taken = new Set([...portions.values()].flatMap((fields) => [...fields]));
  return {
    way,
    rest: [...portions.keys()],
    uncovered: left.filter((name) => !taken.has(name)),
  };
}

function firstOffered(
  kind: Kind,
  verb: "create" | "delete",
  offers: (operation: Operation) => boolean,
): Way | Missing {
  const reason = kind.cannot[verb];
  const ways = reason === undefined ? kind.life[verb] : [];
  const way = ways.find((one) => missingOf(one, offers).length === 0);
  return way ?? { missing: missingOfAll(ways, offers), reason };
}

function missingOf(way: Way, offers: (operation: Operation) => boolean): readonly Operation[] {
  const needed = way.given === undefined ? [way.operation] : [way.operation, way.given.operation];
  return needed.filter((operation) => !offers(operation));
}

function missingOfAll(
  ways: readonly Way[],
  offers: (operation: Operation) => boolean,
): readonly Operation[] {
  return [...new Set(ways.flatMap((way) => missingOf(way, offers)))];
}
