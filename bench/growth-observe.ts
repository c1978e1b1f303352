// Measures that the cost of observing one parent does not depend on the number of parents.
import { exampleOf } from "../api/examples.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { memoizePerObject } from "../core/memoize.ts";
import { nameText } from "../core/kind/identity.ts";
import { type Kind, kindsByName, type Reader } from "../core/kind/kind.ts";
import type { Operation } from "../core/operation/operation.ts";
import { traitsOf } from "../core/schema/traits.ts";
import { observe } from "../lifecycle/observe.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { kinds } from "../resources/index.ts";
import type { GrowthScene, GrowthStep } from "./growth-rate.ts";

type Scope = Readonly<Record<string, string>>;

/** Observes many parents, and every type that is listed parent by parent. The answers are made in memory: requests would hide the rest. */
export const observeScene: GrowthScene = {
  title: "Objects of many parents",
  size: 200,
  factor: 16,
  isIndependent: true,
  open: async (size) => {
    const parents = new Set(kinds.flatMap((kind) => parentOf(kind) ?? []));
    const names = new Map<Kind, readonly string[]>();
    for (const parent of parents) names.set(parent, await namesOfAll(parent, size));
    const observeParents = async (): Promise<void> => {
      for (const parent of parents) await observeAll(parent, { size });
    };
    const steps = [
      stepOf("parents", size, observeParents),
      ...kinds.flatMap((kind) => stepsWithin(kind, names)),
    ];
    return { steps, close: async () => {} };
  },
};

/** Returns a step for each way in which the collections of all parents are read. */
function stepsWithin(
  kind: Kind,
  namesOf: ReadonlyMap<Kind, readonly string[]>,
): readonly GrowthStep[] {
  const parent = parentOf(kind);
  const names = parent && namesOf.get(parent);
  if (parent === undefined || names === undefined) return [];
  const [own = ""] = kind.scope.slice(-1);
  const scopes = names.map((name) => ({ ...scopeOfFirst(kind), [own]: name }));
  const name = `${kind.name} of each ${parent.name}`;
  const size = scopes.length;
  const each = stepOf(name, size, () => observeAll(apart(kind), { scopes, size }));
  if (kind.bindings.observe.together === undefined) return [each];
  const all = () => observeAll(together(kind), { scopes, size });
  return [each, stepOf(`${name}, together`, size, all)];
}

interface Observed {
  /** The scopes to observe, by default the first. */
  readonly scopes?: readonly Scope[];
  /** Number of objects, at least. */
  readonly size: number;
}

/** Repeats the step at the small size: one observation would be too short to measure. */
function stepOf(name: string, size: number, run: () => Promise<unknown>): GrowthStep {
  return { name, run, repeats: Math.ceil(1600 / size) };
}

async function observeAll(kind: Kind, { scopes = [scopeOfFirst(kind)], size }: Observed) {
  const interest = new Set(Object.keys(kind.spec.properties));
  const { byKey } = await observe(kind, scopes, { reader: memoryReader(size), interest });
  if (byKey.size < size) throw new Error(`${byKey.size} ${kind.plural}`);
  return byKey;
}

/** Returns the names of the objects of a kind on a server with `size` of them. */
async function namesOfAll(kind: Kind, size: number): Promise<readonly string[]> {
  const found = await observeAll(kind, { size });
  return [...found.values()].map(({ spec }) => nameText(kind, spec));
}

/** Returns the kind without its combined read of collections. */
function apart(kind: Kind): Kind {
  const { together: _, ...observing } = kind.bindings.observe;
  return { ...kind, bindings: { ...kind.bindings, observe: observing } };
}

/** Returns the kind without a read of one collection. */
function together(kind: Kind): Kind {
  const read = async (): Promise<never> => {
    throw new Error(`the lists lack some of the ${kind.plural}`);
  };
  return { ...kind, bindings: { ...kind.bindings, observe: { ...kind.bindings.observe, read } } };
}

/** Returns the kind that the last field of the scope refers to; undefined for a kind without parents. */
function parentOf(kind: Kind): Kind | undefined {
  const schema = kind.spec.properties[kind.scope.at(-1) ?? ""];
  const { refersTo } = schema === undefined ? {} : traitsOf(schema);
  return typeof refersTo === "string" ? kindsByName(kinds).get(refersTo) : undefined;
}

/** Returns a scope in which every parent is the first one. */
function scopeOfFirst({ scope }: Kind): Scope {
  return Object.fromEntries(scope.map((field) => [field, textOf(0)]));
}

function textOf(number: number): string {
  return `name-${number}`;
}

/** Answers lists of the account and of first parents with `size` items, and lists of other parents with one item. */
function memoryReader(size: number): Reader {
  const answer = (operation: Operation, number: number) => numbered(exampleFor(operation), number);
  const client = {
    all: async (operation: Operation, { params = {} }: { readonly params?: JsonObject }) => {
      const isFirst = Object.values(params).every((value) =>
        [0, "0", textOf(0)].includes(value as never),
      );
      return Array.from({ length: isFirst ? size : 1 }, (_, number) => answer(operation, number));
    },
    call: async (operation: Operation, { params = {} }: { readonly params?: JsonObject }) =>
      answer(operation, Number(Object.values(params).at(-1) ?? 0)),
  };
  return createCachedReader(client as never);
}

/** Returns the example of a response. Making one for each item would take longer than what is measured. */
const exampleFor = memoizePerObject(({ answer }: Operation) =>
  exampleOf((answer.schema ?? {}) as JsonObject),
);

/** Members that lists omit for some objects, and that the types need. */
const optional: JsonObject = {
  groups: [textOf(0)],
  deploymentId: 0,
  allEmbedUsers: { enabled: true, action: "read" },
  isAdmin: false,
  isDeactivated: false,
  isExternal: false,
  isStagingEnvironmentEnabled: true,
  embedTenantName: textOf(0),
  embedUserId: 1,
  parentBranch: "main",
  type: "USER",
  userId: 1,
  value: "EMEA",
};

/** Returns a response with the IDs and names of number `number`; everything else is the same for all. */
function numbered(example: JsonValue, number: number): JsonObject {
  const text = textOf(number);
  const names = {
    name: text,
    username: text,
    email: text,
    externalId: text,
    slug: text,
    publicId: text,
  };
  const publishedDashboard = { id: number, publicId: text, config: {} };
  const numbers = {
    id: number,
    dashboardId: number,
    resourceId: number,
    workbookId: number,
    publishedDashboard,
  };
  const lists = { tenantGroups: [text] };
  return { ...(isObject(example) ? example : {}), ...optional, ...names, ...numbers, ...lists };
}
