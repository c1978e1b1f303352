// Plans from values alone: two sample kinds, desired objects, live objects and inventory entries, each in one line.
import { Type } from "typebox";
import { capability } from "../../core/kind/capability.ts";
import { address, keyOf, scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  defineKind,
  type Kind,
  defineObserve,
  type ObservedObject,
  type BindingBuilder,
} from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { defineOperation, type Operation } from "../../core/operation/operation.ts";
import { field } from "../../core/schema/traits.ts";
import type {
  Entry,
  Inventory,
  LiveState,
  LiveObjects,
  Plan,
  DesiredObject,
} from "../../reconciler/model/index.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { deepFreeze, makePlan } from "../../reconciler/engine/make-plan.ts";
import { Secret } from "../../core/secret.ts";
import { entryFor } from "../../reconciler/inventory/entry.ts";

const common = {
  area: "towns",
  source: "proposed",
  permission: { action: "All", scope: "account" },
} as const;
const Name = Type.String({ minLength: 1 });

const read = defineOperation({
  ...common,
  id: "readTowns",
  method: "GET",
  path: "/towns",
  summary: "Read",
  effect: "read",
  answer: Type.Object({}),
  list: "array",
});
const write = defineOperation({
  ...common,
  id: "writeTowns",
  method: "POST",
  path: "/towns",
  summary: "Write",
  effect: "write",
});

/** Clears the motto of a {@link town}; a server may lack the operation. */
export const clearTowns = defineOperation({
  ...common,
  id: "clearTowns",
  method: "PUT",
  path: "/towns",
  summary: "Clear",
  effect: "write",
});

const townBindings = (binding: BindingBuilder<unknown>) => ({
  observe: defineObserve({ cost: "list", needs: [read], read: async () => [] }),
  create: [binding.perObject(write, () => ({}))],
  update: [
    binding.perObject(write, () => ({}), { cannotClear: ["motto"] }),
    binding.perObject(clearTowns, () => ({}), { covers: ["motto"] }),
  ],
  delete: [binding.perObject(write, () => ({}))],
});

/** A kind that is renamed in place. Deleting a town cascades to its contents. */
export const town: Kind = defineKind(
  {
    name: "Town",
    plural: "towns",
    doc: "A town.",
    shape: "item",
    key: ["name"],
    scope: [],
    cascades: true,
    spec: Type.Object({
      name: field(Name, { doc: "Name." }),
      land: Type.Optional(field(Name, { doc: "Land.", onChange: "replace" })),
      motto: Type.Optional(field(Name, { doc: "Motto." })),
      code: Type.Optional(field(Name, { doc: "Code.", sensitive: true, writeOnly: true })),
    }),
    status: Type.Object({}),
    examples: [],
  },
  townBindings,
);

/** A kind inside a town, which is replaced if its name changes. */
export const house: Kind = defineKind(
  {
    name: "House",
    plural: "houses",
    doc: "A house.",
    shape: "item",
    key: ["town", "name"],
    scope: ["town"],
    spec: Type.Object({
      town: field(Name, { doc: "Town.", refersTo: "Town", onChange: "replace" }),
      name: field(Name, { doc: "Name.", onChange: "replace" }),
      twin: Type.Optional(
        field(Name, {
          doc: "A town it is fond of.",
          refersTo: "Town",
          writeOnly: true,
          whenOmitted: "clear",
        }),
      ),
    }),
    status: Type.Object({}),
    examples: [],
  },
  townBindings,
);

/** Both kinds. */
export const townKinds: readonly Kind[] = [town, house];

/** Returns a desired object at `Kind/name`; `needs` are addresses. */
export function desiredObject(
  kind: Kind,
  name: string,
  { spec, needs = [] }: { spec: JsonObject; needs?: readonly string[] },
): DesiredObject {
  const normal = normalize(kind, spec);
  return {
    address: address(kind.name, name),
    kind,
    name,
    labels: {},
    spec: normal,
    key: keyOf(kind, normal),
    scope: scopeOf(kind, normal),
    dependsOn: needs,
    place: { file: "test.yaml", line: 1, column: 1 },
  };
}

/** Returns live objects, each with its kind and id. Their specs omit values that cannot be read back. */
export function liveFrom(
  objects: readonly { readonly kind: Kind; readonly id: string; readonly spec: JsonObject }[],
): LiveState {
  return new Map(
    townKinds.map((kind): [string, LiveObjects] => {
      const byKey = new Map<string, ObservedObject>();
      const byId = new Map<string, ObservedObject>();
      const ambiguous = new Map<string, string[]>();
      for (const one of objects.filter((object) => object.kind === kind)) {
        const observed = { id: one.id, spec: one.spec, status: {} };
        const key = keyOf(kind, one.spec);
        byId.set(one.id, observed);
        const other = byKey.get(key);
        if (other !== undefined) ambiguous.set(key, [other.id ?? "", one.id]);
        byKey.set(key, observed);
      }
      for (const key of ambiguous.keys()) byKey.delete(key);
      return [kind.name, { kind, byKey, byId, ambiguous }];
    }),
  );
}

/** The fingerprints of every test plan. */
export const fingerprints = fingerprintsWith("salt", new Secret("key"));

/** Returns the entry of an object that was applied with this spec. */
export function appliedEntry(
  kind: Kind,
  name: string,
  { spec, id, pending = false }: { spec: JsonObject; id?: string; pending?: boolean },
): readonly [string, Entry] {
  const at = "2026-01-31T09:30:00.000Z";
  const entry = entryFor({ kind, name, spec, id, fingerprints, pending, appliedAt: at });
  return [address(kind.name, name), entry];
}

/** Returns an inventory of these entries. */
export function inventoryWith(entries: readonly (readonly [string, Entry])[]): Inventory {
  return {
    stack: "test",
    lineage: "one",
    serial: 1,
    origin: "http://test",
    salt: "salt",
    entries: Object.fromEntries(entries),
  };
}

/** The inputs of a plan that differ from the defaults. */
export interface PlanInput {
  readonly desiredObjects: readonly DesiredObject[];
  readonly liveObjects?: Parameters<typeof liveFrom>[0];
  readonly entries?: readonly (readonly [string, Entry])[];
  readonly runs?: Inventory["runs"];
  readonly prune?: boolean;
  readonly adopt?: boolean;
  readonly targets?: readonly string[];
  readonly leavesDrift?: boolean;
  readonly otherStacks?: ReadonlyMap<string, string>;
  readonly missingOperations?: readonly Operation[];
}

/** A stack that prunes. */
export const pruningStack = {
  name: "test",
  target: undefined,
  folder: "/",
  inventoryFile: "/x",
  policy: { prune: true, maxDeletes: 100, concurrency: 1, requestsPerSecond: undefined },
};

/**
 * Returns the plan for a stack that prunes by default, on a server that offers every operation not listed as missing.
 */
export function planFor(planned: PlanInput): Plan {
  const {
    desiredObjects,
    liveObjects = [],
    entries = [],
    runs = [],
    prune = true,
    adopt = false,
    missingOperations = [],
  } = planned;
  const stack = { ...pruningStack, policy: { ...pruningStack.policy, prune } };
  const plan = makePlan({
    desired: { stack, objects: desiredObjects, digest: "digest" },
    live: liveFrom(liveObjects),
    inventory: { ...inventoryWith(entries), runs },
    kinds: townKinds,
    capabilities: new Map(
      townKinds.map((kind) => [
        kind.name,
        capability(kind, (one) => !missingOperations.includes(one)),
      ]),
    ),
    otherStacks: planned.otherStacks ?? new Map(),
    adopt: () => adopt,
    targets: planned.targets,
    leavesDrift: planned.leavesDrift,
    fingerprints,
    origin: "http://test",
    now: new Date("2026-06-01T12:00:00Z"),
  });
  return deepFreeze({ ...plan, cost: { readCalls: 0, writeCalls: 0 } });
}
