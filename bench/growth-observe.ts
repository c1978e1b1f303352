// Measures that the cost of observing one parent does not depend on the number of parents.
import { exampleOf } from "../api/examples.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { nameText } from "../core/kind/identity.ts";
import { type Kind, kindsByName, type Reader } from "../core/kind/kind.ts";
import type { Operation } from "../core/operation/operation.ts";
import { traitsOf } from "../core/schema/traits.ts";
import { observe } from "../lifecycle/observe.ts";
import { createCachedReader } from "../lifecycle/reader.ts";
import { kinds } from "../resources/index.ts";
import type { GrowthScene, GrowthStep } from "./growth-rate.ts";

/** Observes every type that is listed parent by parent. The answers are made in memory: requests would hide the rest. */
export const observeScene: GrowthScene = {
  title: "Objects of many parents",
  size: 200,
  factor: 16,
  open: async (size) => ({
    steps: kinds.flatMap((kind) => [
      ...stepFor(kind, size),
      ...(kind.bindings.observe.together === undefined ? [] : stepFor(kind, size, "together")),
    ]),
    close: async () => {},
  }),
};

/** One observation of the small size is too short to measure. */
const rounds = 2;

/** `together`: the collections of all parents are read together. */
function stepFor(kind: Kind, size: number, how?: "together"): readonly GrowthStep[] {
  const parent = parentOf(kind);
  if (parent === undefined) return [];
  const interest = new Set(Object.keys(kind.spec.properties));
  const observeOnce = async (): Promise<void> => {
    const reader = memoryReader(size);
    const parents = await observe(parent, [scopeOfFirst(parent)], { reader, interest });
    const [own = ""] = kind.scope.slice(-1);
    const scopes = [...parents.byKey.values()].map(({ spec }) => ({
      ...scopeOfFirst(kind),
      [own]: nameText(parent, spec),
    }));
    if (scopes.length !== size) throw new Error(`${scopes.length} of ${parent.plural}`);
    const measured = how === undefined ? apart(kind) : together(kind);
    const { byKey } = await observe(measured, scopes, { reader, interest });
    if (byKey.size < size) throw new Error(`${byKey.size} ${kind.plural}`);
  };
  const name = `${kind.name} of each ${parent.name}`;
  return [
    {
      name: how === undefined ? name : `${name}, ${how}`,
      run: async () => {
        for (let round = 0; round < rounds; round++) await observeOnce();
      },
    },
  ];
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
function scopeOfFirst({ scope }: Kind): Record<string, string> {
  return Object.fromEntries(scope.map((field) => [field, textOf(0)]));
}

function textOf(number: number): string {
  return `name-${number}`;
}

/** Answers lists of the account and of first parents with `size` items, and lists of other parents with one item. */
function memoryReader(size: number): Reader {
  const answer = (operation: Operation, number: number) =>
    numbered(exampleOf((operation.answer.schema ?? {}) as JsonObject), number);
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
