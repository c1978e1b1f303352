// What Terraform asks about resources: checked, planned, refreshed, written, imported; each request by itself.
import { Failure, isFailure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/fields.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind, Sight, Subject } from "../../core/kind.ts";
import { standing } from "../../core/moving.ts";
import { normalize } from "../../core/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import type { Verb } from "../../lifecycle/routes.ts";
import type { Bridge, Written } from "../bridge/bridge.ts";
import { check } from "../bridge/check.ts";
import { fingerprintVariable } from "../bridge/connect.ts";
import { askElsewhere, movedAlong, type Renames } from "../bridge/renames.ts";
import { type Ask, askFor } from "../bridge/sightings.ts";
import { knownPart, Unknown, type Value } from "../bridge/values.ts";
import { locationOf, type Members, type Step, toInputs } from "./convert.ts";
import {
  type Diagnostic,
  errorAt,
  fromError,
  fromFindings,
  fromRefusal,
  warningAt,
} from "./diagnostics.ts";
import { fingerprintsOf, type Memory, remembering, seeing } from "./memory.ts";
import { changesOf, plan, type Planning, specIn, uncompared, wishOf } from "./plan.ts";
import type { Attribute } from "./schema.ts";
import { imported, refreshed, settled } from "./state.ts";

/** A kind with its attributes. */
export interface Resource {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  /** The other kinds, which this one may name. */
  readonly kindNamed: (name: string) => Kind | undefined;
}

/** What is configured: the server, and the key that secrets' fingerprints may be made under. */
export interface Configured {
  readonly bridge: Bridge;
  readonly apiKey: string;
}

/** State and private memory as they are to be kept; `state` null is an object that is not there. */
export interface Kept {
  readonly state: Members | null;
  readonly memory: Memory;
  readonly diagnostics: readonly Diagnostic[];
}

/** What is planned for one resource. */
export interface PlanAnswer extends Kept {
  readonly replaces: readonly (readonly Step[])[];
}

/** Everything that is wrong with a configuration, as far as it is known. */
export function validate(
  { kind, attributes }: Resource,
  config: Members,
  writeOnlyAllowed: boolean,
): readonly Diagnostic[] {
  const { inputs, findings } = toInputs(attributes, config);
  const needed = attributes.filter((one) => one.neededToCreate).map(({ field }) => `/${field}`);
  const wrong = check(kind, wishOf({ kind, attributes, config })).filter(
    ({ code, path }) => !(code === "missing-field" && needed.includes(path)),
  );
  const lacking = attributes
    .filter(({ writeOnly, field }) => writeOnly && !writeOnlyAllowed && inputs[field] !== undefined)
    .map(({ name }) =>
      errorAt(
        "Terraform 1.11 or OpenTofu 1.11 is needed",
        `${name} is write-only, so that it is in no state and no plan. This version knows no write-only attributes; without ${name}, everything else of the resource works.`,
        name,
      ),
    );
  return [...fromFindings(attributes, [...findings, ...wrong]), ...lacking];
}

/** What a resource is planned from, beside what it is. */
export interface Given extends Pick<Planning, "config" | "prior" | "memory"> {
  readonly renames: Renames;
}

/** One change or none. Without a configured server, what it offers is not asked. */
export function planResource(
  resource: Resource,
  given: Given,
  configured: Configured | undefined,
): PlanAnswer {
  const { prior, memory } = given;
  const planning = following({ ...resource, ...planningOf(given, configured) }, given.renames);
  const planned = plan(planning);
  const { state } = planned;
  const { followed } = planning.memory;
  const changes = planned.changes.filter(({ field }) => !followed.includes(field));
  const replacing = changes.filter(({ replaces }) => replaces);
  const wish = wishOf(planning);
  const missing = prior === undefined ? missingSecrets(resource, given.config) : [];
  const subject: Subject = {
    spec: knownPart(wish),
    live: undefined,
    changed: new Set(
      prior === undefined || replacing.length > 0
        ? Object.keys(wish)
        : changes.map(({ field }) => field),
    ),
  };
  const obstacles = verbsOf(prior === undefined, replacing.length > 0, changes.length)
    .map((verb) => configured?.bridge.obstacle(verb, resource.kind, subject))
    .filter((failure) => failure !== undefined)
    .map((failure) => fromError(`${resource.kind.name} cannot be changed so`, failure));
  return {
    state,
    memory: { ...memory, followed },
    replaces: replacing.map(({ path }) => topStep(resource, path)),
    diagnostics: [...missing, ...uncompared(planning).map(toldUncompared), ...obstacles],
  };
}

function toldUncompared({ name }: Attribute): Diagnostic {
  return warningAt(
    "A secret cannot be compared",
    `${name} was written under another key of fingerprints, so that a change of it is not seen. Set ${name}_version to a new number to write it, or give the key in ${fingerprintVariable} again; where it is not set, the API key serves, if it is long enough.`,
    name,
  );
}

/** The same with what only follows a rename kept in mind, and this resource's own rename told to those that name it. */
function following(planning: Planning, renames: Renames): Planning {
  const { kind, attributes, prior, memory } = planning;
  if (prior === undefined) return { ...planning, memory: { ...memory, followed: [] } };
  const before = specIn(kind, attributes, prior);
  const after = normalize(kind, { ...before, ...knownPart(wishOf(planning)) });
  const plain = { ...planning, memory: { ...memory, followed: [] } };
  const followed = [...renames.followed(kind, { before, after }, changesOf(plain))];
  const known = { ...planning, memory: { ...memory, followed } };
  if (!changesOf(known).some(({ replaces }) => replaces)) renames.note(kind, { before, after });
  return known;
}

function verbsOf(creates: boolean, replaces: boolean, changes: number): readonly Verb[] {
  if (creates) return ["create"];
  if (replaces) return ["delete", "create"];
  return changes > 0 ? ["update"] : [];
}

function topStep({ attributes }: Resource, path: string): readonly Step[] {
  // A replacement is of the field as a whole, which the state and the plan both hold.
  const [first = ""] = splitPointer(path);
  return locationOf(attributes, `/${first}`).steps;
}

function missingSecrets({ attributes }: Resource, config: Members): readonly Diagnostic[] {
  return attributes
    .filter(({ neededToCreate, name }) => neededToCreate && (config[name] ?? null) === null)
    .map(({ name }) => errorAt("Missing value", `${name} is required to create it.`, name));
}

function planningOf(
  given: Pick<Planning, "config" | "prior" | "memory">,
  configured: Configured | undefined,
) {
  return { ...given, fingerprints: fingerprintsOf(given.memory, configured?.apiKey ?? "") };
}

/** Sees the object again; what the state does not ask about is not read. */
export async function refresh(
  resource: Resource,
  { state, memory }: { readonly state: Members; readonly memory: Memory },
  { bridge, apiKey }: Configured,
): Promise<Kept> {
  const { kind, attributes } = resource;
  const spec = specIn(kind, attributes, state);
  const secrets = attributes.filter(({ writeOnly }) => writeOnly).map(({ field }) => field);
  const interest = new Set([...Object.keys(spec), ...secrets]);
  const { id, status } = sightIn(resource, state, memory);
  const known = { kind, spec, status, id, interest };
  let sight = await bridge.read(askFor(kind, spec, known));
  if (sight === undefined) {
    const elsewhere = await askElsewhere(bridge, known, resource.kindNamed);
    if (elsewhere !== undefined) sight = await bridge.read(elsewhere);
  }
  if (sight === undefined) return { state: null, memory, diagnostics: [] };
  const shown = memory.isNew ? standing(kind, sight) : sight;
  return {
    state: refreshed({ ...resource, sight: shown }, state),
    memory: { ...seeing(memory, kind, { sight, secrets, apiKey }), isNew: false },
    diagnostics: [],
  };
}

/** A change that was planned. */
export interface Applying {
  readonly config: Members;
  readonly prior: Members | undefined;
  readonly planned: Members;
  readonly memory: Memory;
}

/** Carries out what was planned: a create or an update. Whatever fails, the state tells what is there. */
export async function write(
  resource: Resource,
  applying: Applying,
  configured: Configured,
): Promise<Kept> {
  const { kind, attributes } = resource;
  const { config, prior } = applying;
  const { followed } = applying.memory;
  const memory = { ...applying.memory, followed: [] };
  const wrong = [
    ...validate(resource, config, true),
    ...(prior === undefined ? missingSecrets(resource, config) : []),
  ].filter(({ severity }) => severity === 1);
  if (wrong.length > 0) return { state: prior ?? null, memory, diagnostics: wrong };
  const wish = knownPart(wishOf({ ...resource, config }));
  if (prior === undefined) {
    try {
      const made = await configured.bridge.create(kind, wish);
      return kept(resource, { ...applying, memory }, { written: made, wish, configured });
    } catch (error) {
      const told = isFailure(error, "conflict") ? inTheWay(kind, error) : error;
      const diagnostics = fromRefusal(attributes, `${kind.name} was not made`, told);
      return { state: null, memory, diagnostics };
    }
  }
  const counted = attributes.filter(({ part }) => part === "version").map(({ name }) => name);
  const counts = counted.map((name) => [name, applying.planned[name]]);
  const changes = changesOf({
    ...resource,
    ...planningOf(
      { prior, memory, config: { ...config, ...Object.fromEntries(counts) } },
      configured,
    ),
  }).filter(({ field }) => !followed.includes(field));
  if (changes.length === 0)
    return { state: asPlanned(resource, applying.planned, prior), memory, diagnostics: [] };
  const written = await configured.bridge.update(kind, {
    wish,
    live: movedAlong(sightIn(resource, prior, memory), wish, followed),
    changed: new Set(changes.map(({ field }) => field)),
  });
  return kept(resource, { ...applying, memory }, { written, wish, configured });
}

/** Engines do not say that what is made is to replace an object; where both can only be known by one key, that may stand in the way. */
function inTheWay(kind: Kind, failure: Failure): Failure {
  const replacing = fieldsOf(kind).find(
    ({ name, traits }) => traits.onChange === "replace" && !kind.key.includes(name),
  );
  if (replacing === undefined) return failure;
  const { code, message, remedy = "", complaints } = failure;
  return new Failure(code, message, {
    cause: failure,
    complaints,
    remedy: `${remedy} If it is the one to be replaced, as for another ${replacing.name}: two cannot have one ${kind.key.at(-1)}, so take create_before_destroy out of its lifecycle and of those that depend on it.`,
  });
}

function kept(
  resource: Resource,
  { planned, prior, memory }: Applying,
  { written, wish, configured }: { written: Written; wish: JsonObject; configured: Configured },
): Kept {
  const { kind } = resource;
  const { sight, failure, minted } = written;
  const source = { ...resource, sight, minted: minted?.reveal() };
  const { id } = sight;
  if (failure === undefined) {
    const normal = normalize(kind, wish);
    const known = remembering(memory, kind, { written: normal, id, apiKey: configured.apiKey });
    return { state: settled(source, planned), memory: known, diagnostics: [] };
  }
  const state = prior === undefined ? settled(source, planned) : refreshed(source, prior);
  const what = `${kind.name} was ${prior === undefined ? "made, but not as planned" : "not updated as planned"}`;
  return {
    state,
    memory: { ...memory, id: id ?? memory.id },
    diagnostics: fromRefusal(resource.attributes, what, failure),
  };
}

/** Nothing was called, so nothing is left to be told by the server. */
function asPlanned({ attributes }: Resource, planned: Members, prior: Members): Members {
  const entries = attributes.map(({ name }): [string, Value] => {
    const value = planned[name] ?? null;
    return [name, value instanceof Unknown ? (prior[name] ?? null) : value];
  });
  return Object.fromEntries(entries);
}

/** Deletes the object that a state is about. */
export async function remove(
  resource: Resource,
  { prior, memory }: { readonly prior: Members; readonly memory: Memory },
  { bridge }: Configured,
): Promise<void> {
  await bridge.delete(resource.kind, sightIn(resource, prior, memory));
}

/** The object as the state knows it. A tainted one comes without its memory, and its id stands in its status too. */
function sightIn({ kind, attributes }: Resource, state: Members, memory: Memory): Sight {
  const status = statusIn({ attributes }, state);
  const { id: shown } = status;
  const isId = typeof shown === "number" || typeof shown === "string";
  const id = memory.id ?? (isId ? String(shown) : undefined);
  return { id, spec: specIn(kind, attributes, state), status };
}

function statusIn({ attributes }: Pick<Resource, "attributes">, state: Members): JsonObject {
  return knownPart(toInputs(attributes, state, "status").inputs);
}

/** The state of an object that exists already. Fails with `not_found` where it does not. */
export async function importState(
  resource: Resource,
  { ask, memory }: { readonly ask: Ask; readonly memory: Memory },
  { bridge }: Configured,
): Promise<Kept> {
  const sight = await bridge.read(ask);
  if (sight !== undefined) {
    const state = imported({ ...resource, sight: standing(resource.kind, sight) });
    return { state, memory: { ...memory, id: sight.id, isNew: true }, diagnostics: [] };
  }
  const named = ask.key ?? `with the id ${ask.id}`;
  throw new Failure("not_found", `There is no ${resource.kind.name} ${named}.`, {
    remedy: "Create it with a resource, or check the import id.",
  });
}
