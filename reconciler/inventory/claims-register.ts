// Registers at the service which objects a stack owns whose inventory is in a file or a database, so that other stacks see it.
import { Type } from "typebox";
import {
  appendStateJournal,
  deleteState,
  getState,
  listStateJournal,
  listStates,
  putState,
} from "../../api/state.ts";
import type { Client } from "../../client/types.ts";
import type { JsonObject } from "../../core/json.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { corrupt, parseJson } from "./format.ts";
import { undefinedIfMissing } from "./missing-state.ts";
import { groupLines } from "./journal-lines.ts";
import type { OwnedObject } from "./store.ts";

/** Names of registers do not begin like names of inventories: versions without registers do not read them. */
const prefix = "svc-claims.";

const claimSchema = Type.Union([
  Type.String(),
  Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
]);

const schema = Type.Object(
  {
    format: Type.Literal(1),
    stack: Type.String({ minLength: 1 }),
    objects: Type.Record(Type.String(), Type.Array(claimSchema)),
  },
  { additionalProperties: false },
);

const validateRegister = declaredValidator(schema);

const addedSchema = Type.Object(
  { kind: Type.String(), key: Type.String(), id: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

const validateAdded = declaredValidator(addedSchema);

/** The objects that one inventory owns. */
export interface Claims {
  readonly stack: string;
  readonly objects: readonly OwnedObject[];
}

/** The claims of an inventory in another store. */
export interface OtherClaims extends Claims {
  /** Identifies the inventory. */
  readonly id: string;
  /** The state that holds them. */
  readonly state: string;
}

/** The register of one inventory's claims. Only the holder of the inventory's lock writes it. */
export interface ClaimsRegister {
  /** Returns the registered objects; undefined if nothing is registered. */
  load(): Promise<readonly OwnedObject[] | undefined>;
  /** Replaces the claims; empty ones remove the register. */
  replace(claims: Claims): Promise<void>;
  /** Adds objects, after a call of `replace` with the same register; durable when it resolves. */
  add(objects: readonly OwnedObject[]): Promise<void>;
}

/** Returns the register of the inventory with this ID. */
export function claimsRegister(client: Client, id: string): ClaimsRegister {
  const at = { params: { name: `${prefix}${id}` } };
  let position = 0;
  return {
    load: async () => (await loadClaims(client, id))?.objects,
    replace: async ({ stack, objects }) => {
      position = 0;
      if (objects.length === 0) {
        await client.call(deleteState, { ...at, query: {} });
        return;
      }
      const keys = [...Map.groupBy(objects, ({ kind }) => kind)].map(
        ([kind, all]) => [kind, all.map(claimOf)] as const,
      );
      const body: JsonObject = { format: 1, stack, objects: Object.fromEntries(keys) };
      await client.call(putState, { ...at, query: {}, body });
    },
    add: async (objects) => {
      for (const lines of groupLines(objects.map((one) => JSON.stringify(one)))) {
        const body = { position, lines: [...lines] };
        await client.call(appendStateJournal, { ...at, query: {}, body });
        position += 1;
      }
    },
  };
}

/** Returns the IDs of all registers. */
export async function listClaims(client: Client): Promise<readonly string[]> {
  const states = await client.all(listStates, { query: { prefix } });
  return states.map(({ name }) => name.slice(prefix.length));
}

/** Reads the journal before the content, like an inventory. Returns undefined if the register was deleted meanwhile. */
export async function loadClaims(client: Client, id: string): Promise<OtherClaims | undefined> {
  const state = `${prefix}${id}`;
  const at = { params: { name: state } };
  const calls = await undefinedIfMissing(client.all(listStateJournal, at));
  const content: unknown = await undefinedIfMissing(client.call(getState, { ...at, query: {} }));
  if (content === undefined) return undefined;
  const where = `state ${state} of ${client.origin}`;
  const added = (calls ?? []).flatMap(({ lines }) => lines).map(parseJson);
  const isValid = validateRegister(content).length === 0;
  if (!isValid || added.some((one) => validateAdded(one).length > 0))
    throw corrupt(where, "is not a register of owned objects", "Restore an earlier version of it.");
  const { stack, objects: keys } = content as RegisterContent;
  const written = Object.entries(keys).flatMap(([kind, all]) =>
    all.map((one) => claimedObject(kind, one)),
  );
  return { id, state, stack, objects: [...written, ...(added as OwnedObject[])] };
}

/** A natural key, with the ID at the service if it is known. */
type Claim = string | readonly [key: string, id: string];

interface RegisterContent {
  readonly stack: string;
  readonly objects: Readonly<Record<string, readonly Claim[]>>;
}

function claimOf({ key, id }: OwnedObject): Claim {
  return id === undefined ? key : [key, id];
}

function claimedObject(kind: string, claim: Claim): OwnedObject {
  return typeof claim === "string" ? { kind, key: claim } : { kind, key: claim[0], id: claim[1] };
}

/** Deletes the register with this ID. */
export async function deleteClaims(client: Client, id: string): Promise<void> {
  await client.call(deleteState, { params: { name: `${prefix}${id}` }, query: {} });
}
