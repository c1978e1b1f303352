// The life of one object as the engine asks for it: check, diff, create, read, update, delete; all over the bridge.
import { Failure, isFailure } from "../../core/errors.ts";
import { keyOf } from "../../core/identity.ts";
import { equal, type JsonObject } from "../../core/json.ts";
import type { Kind, Sight } from "../../core/kind.ts";
import { standing } from "../../core/moving.ts";
import { normalize, normalizeLive } from "../../core/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { toCreate } from "../bridge/writes.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { check } from "../bridge/check.ts";
import type { Difference } from "../bridge/delta.ts";
import { askElsewhere, movedAlong, type Renames } from "../bridge/renames.ts";
import { type Ask, askFor, askForImport } from "../bridge/sightings.ts";
import { isKnown, knownPart } from "../bridge/values.ts";
import {
  differencesOf,
  holding,
  type Holding,
  isIgnored,
  pathOf,
  standsInTheWay,
} from "./differences.ts";
import { notImported, unseenIn } from "./imports.ts";
import { propertiesOf } from "./properties.ts";
import {
  inputsOf,
  keepingMinted,
  plannedState,
  sealedInputs,
  sightOf,
  stateOf,
  unwrittenIn,
  wishOf,
  withMinted,
  withUnwritten,
} from "./state.ts";
import { hasUnknown, type PropertyMap } from "./values.ts";

/** Something wrong with one property. */
export interface Complaint {
  /** A property path. */
  readonly path: string;
  readonly reason: string;
}

/** Inputs that were checked. */
export interface Checked {
  /** As they were given, secrets sealed. */
  readonly inputs: PropertyMap;
  readonly failures: readonly Complaint[];
  readonly warnings: readonly Complaint[];
}

interface Told extends Complaint {
  readonly severity: "error" | "warning";
}

/** Inputs to check. */
export interface Given {
  readonly news: PropertyMap;
  /** The inputs of the object that there is; empty where one is to be made. */
  readonly olds: PropertyMap;
  /** That object was read for an import by this run of the engine. */
  readonly isImport: boolean;
}

/**
 * Tells every mistake in the inputs that can be known before the server is asked. What an import could not read is not missed
 * later, so that it can be left alone.
 */
export function checkInputs(kind: Kind, { news, olds, isImport }: Given): Checked {
  const wish = wishOf(kind, news);
  const unseen =
    Object.keys(olds).length === 0 ? [] : unseenIn(kind, olds).map((field) => joinPointer([field]));
  const told = check(kind, wish).flatMap(({ code, severity, path, message, remedy }): Told[] => {
    const at = pathOf(kind, path, wish);
    if (code === "missing-field" && unseen.includes(path)) {
      return isImport ? [{ severity: "warning", path: at, reason: notImported }] : [];
    }
    return [
      { severity, path: at, reason: remedy === undefined ? message : `${message}. ${remedy}` },
    ];
  });
  return {
    inputs: sealedInputs(kind, news),
    failures: told.filter(({ severity }) => severity === "error"),
    warnings: told.filter(({ severity }) => severity === "warning"),
  };
}

/** What the engine is told of new inputs. */
export interface Changes {
  readonly fields: readonly (Difference & { readonly property: string; readonly at: string })[];
  /** Also where nothing here replaces: the program may ask for it, as by `replaceOnChanges`. */
  readonly deleteBeforeReplace: boolean;
  /** Fields whose change only follows an object that is renamed in place. */
  readonly followed: ReadonlySet<string>;
}

/** New inputs. */
export interface News {
  readonly news: PropertyMap;
  /** Property paths that the program wants left alone. */
  readonly ignored: readonly string[];
  readonly renames: Renames;
}

/** What new inputs change; where that renames the object, those that name it follow. */
export function changesOf(kind: Kind, old: Holding, { news, ignored, renames }: News): Changes {
  const wish = wishOf(kind, news);
  const properties = new Map(propertiesOf(kind).inputs.map((one) => [one.name, one.property]));
  const before = sightOf(kind, old.state).spec;
  const after = normalize(kind, { ...before, ...knownPart(wish) });
  const differences = differencesOf(kind, old, news);
  const followed = renames.followed(kind, { before, after }, differences);
  const fields = differences
    .map((one) => ({
      ...one,
      replaces: one.replaces && !followed.has(one.field),
      property: properties.get(one.field) ?? one.field,
      at: pathOf(kind, one.path, wish),
    }))
    .filter(({ at }) => !isIgnored(at, ignored));
  const replaces = fields.some((one) => one.replaces);
  if (!replaces) renames.note(kind, { before, after });
  return { fields, deleteBeforeReplace: standsInTheWay(kind, old, news), followed };
}

/** An object that exists: its import id, and its state. */
export interface Applied {
  readonly id: string;
  readonly state: PropertyMap;
}

/** The object exists, but not as it was wished for. */
export class Incomplete extends Error {
  /** What is surely true of it: the engine holds this beside inputs that were not all written. */
  readonly applied: Applied;
  readonly failure: Failure;

  constructor(applied: Applied, failure: Failure) {
    super(failure.message);
    this.applied = applied;
    this.failure = failure;
  }
}

/** What a create will come to; fails where the server, if it is known yet, does not offer it. */
export function previewCreate(
  kind: Kind,
  bridge: Bridge | undefined,
  inputs: PropertyMap,
): PropertyMap {
  const obstacle = bridge?.obstacle("create", kind, toCreate(knownPart(wishOf(kind, inputs))));
  if (obstacle !== undefined) throw obstacle;
  return plannedState(kind, inputs, undefined);
}

/** Makes the object. Fails with {@link Incomplete} where it was made and something that follows went wrong. */
export async function create(kind: Kind, bridge: Bridge, inputs: PropertyMap): Promise<Applied> {
  requireKnown(inputs);
  const wish = knownPart(wishOf(kind, inputs));
  const written = await bridge.create(kind, wish);
  const { id, state: shown } = appliedFrom(kind, written.sight, inputs);
  const state = withMinted(kind, shown, written.minted?.reveal());
  if (written.failure === undefined) return { id, state };
  const half = withUnwritten(kind, state, new Set(Object.keys(wish)));
  throw new Incomplete({ id, state: half }, written.failure);
}

/** An update as the engine asks for it. */
export interface Asked extends Holding, News {
  readonly id: string;
}

/** What an update will come to; fails where the server, if it is known yet, does not offer it. */
export function previewUpdate(kind: Kind, bridge: Bridge | undefined, asked: Asked): PropertyMap {
  const { news, state } = asked;
  const { fields, followed } = changesOf(kind, asked, asked);
  const changed = writtenFields({ fields, followed });
  const spec = knownPart(wishOf(kind, news));
  const live = sightOf(kind, state);
  const obstacle =
    changed.size === 0 ? undefined : bridge?.obstacle("update", kind, { spec, live, changed });
  if (obstacle !== undefined) throw obstacle;
  return fields.length === 0 ? state : plannedState(kind, news, state);
}

/** Changes what differs. Fails with {@link Incomplete} where a part of it went through. */
export async function update(kind: Kind, bridge: Bridge, asked: Asked): Promise<PropertyMap> {
  const { news, state } = asked;
  requireKnown(news);
  const wish = knownPart(wishOf(kind, news));
  const changes = changesOf(kind, asked, asked);
  const changed = writtenFields(changes);
  const live = movedAlong(sightOf(kind, state), wish, changes.followed);
  const unwritten = unwrittenIn(state);
  const seen = (sight: Sight, given: PropertyMap): PropertyMap =>
    keepingMinted(kind, stateOf(kind, sight, given), state);
  if (changed.size === 0) {
    const sight = (await bridge.readFresh(askFor(kind, normalize(kind, wish), live))) ?? live;
    return withUnwritten(kind, seen(sight, news), unwritten);
  }
  const { sight, failure } = await bridge.update(kind, { wish, live, changed });
  if (failure === undefined) {
    const left = [...unwritten].filter((field) => !changed.has(field));
    return withUnwritten(kind, seen(sight, news), new Set(left));
  }
  const half = withUnwritten(kind, seen(sight, state), new Set([...unwritten, ...changed]));
  const spec = (one: Sight): JsonObject => normalizeLive(kind, one.spec);
  // What is not shown may have gone through although nothing is to be seen of it.
  const isUntouched = equal(spec(sight), spec(live)) && unwrittenIn(half).size === unwritten.size;
  throw isUntouched ? failure : new Incomplete({ id: asked.id, state: half }, failure);
}

/** The fields that have to be written: what follows a renamed object is so already. */
function writtenFields({ fields, followed }: Pick<Changes, "fields" | "followed">) {
  return new Set(fields.map(({ field }) => field).filter((field) => !followed.has(field)));
}

/** Only a preview may come with values that are not known yet. */
function requireKnown(inputs: PropertyMap): void {
  const [name] = Object.entries(inputs).find(([, value]) => hasUnknown(value)) ?? [];
  if (name !== undefined) throw new Failure("invalid", `${name} is not known, and has to be now.`);
}

function appliedFrom(kind: Kind, sight: Sight, given: PropertyMap): Applied {
  return { id: keyOf(kind, sight.spec), state: stateOf(kind, sight, given) };
}

/** What is read of an object. */
export interface Found extends Applied {
  readonly inputs: PropertyMap;
  /** It was found by its id alone. */
  readonly isImport: boolean;
}

/** What is to be read. */
export interface Sought {
  readonly id: string;
  readonly state: PropertyMap;
  readonly inputs: PropertyMap | undefined;
  readonly kindNamed: (name: string) => Kind | undefined;
}

/**
 * The object that state tells of, or for an import the one that the id names; undefined where it is gone. Inputs are what a
 * program would have to say for nothing to change.
 */
export async function read(
  kind: Kind,
  bridge: Bridge,
  { id, state, inputs, kindNamed }: Sought,
): Promise<Found | undefined> {
  const isImport = kind.key.some((name) => !isKeyKnown(kind, state, name));
  const ask = isImport ? askForImport(kind, id) : askAbout(kind, state);
  let sight = await bridge.read(ask);
  if (sight === undefined && !isImport) {
    const known = { kind, ...sightOf(kind, state), interest: ask.interest };
    const elsewhere = await askElsewhere(bridge, known, kindNamed);
    if (elsewhere !== undefined) sight = await bridge.read(elsewhere);
  }
  if (sight === undefined) return undefined;
  const before = isImport ? undefined : inputs;
  const applied = appliedFrom(kind, sight, isImport ? {} : { ...state, ...inputs });
  const untold = isImport ? unseenIn(kind, applied.state) : unwrittenIn(state);
  const whole = isImport ? applied.state : keepingMinted(kind, applied.state, state);
  const found = withUnwritten(kind, whole, new Set(untold));
  const holds = holding(kind, { state: found, inputs: before ?? {} });
  // A program that is written of an import would pin what moves by itself.
  const said = isImport ? appliedFrom(kind, standing(kind, sight), {}).state : found;
  return {
    id: isImport ? applied.id : id,
    state: found,
    inputs: inputsOf(kind, { state: said, before, holds }),
    isImport,
  };
}

function isKeyKnown(kind: Kind, state: PropertyMap, name: string): boolean {
  const value = sightOf(kind, state).spec[name];
  return value !== undefined && value !== null && isKnown(value);
}

/** Every field is asked about, so that whoever refreshes shares one reading of each page. */
function askAbout(kind: Kind, state: PropertyMap): Ask {
  const { spec, id } = sightOf(kind, state);
  const interest = new Set(Object.keys(kind.spec.properties));
  return askFor(kind, spec, { id, interest });
}

/** Deletes the object that state tells of; what is gone already counts as deleted. */
export async function remove(kind: Kind, bridge: Bridge, state: PropertyMap): Promise<void> {
  try {
    await bridge.delete(kind, sightOf(kind, state));
  } catch (error) {
    if (!isFailure(error, "not_found")) throw error;
  }
}
