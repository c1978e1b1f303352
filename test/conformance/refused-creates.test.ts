// Tests for which kinds the server refuses to create an existing object. Providers look up the other kinds before each
// create.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { keyOf, scopeOf } from "../../core/kind/identity.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import type { Binding, Kind } from "../../core/kind/kind.ts";
import { Secret } from "../../core/secret.ts";
import { createLifecycle } from "../../lifecycle/lifecycle.ts";
import { observe } from "../../lifecycle/observe.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { createSubject } from "../../provider/bridge/batching-writer.ts";
import { kinds } from "../../resources/index.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";
import { kindNamed } from "./registry-cases.ts";

let service: TestService;
let stack: TestStack;

/** A spec of each kind, for an existing object. */
const specs = new Map<string, JsonObject>();

beforeAll(async () => {
  service = await startService();
  await prepareAccount(service);
  stack = await makeStack({ url: service.url, key: service.adminKey });
  await stack.write(everyKind);
  const { changes } = await stack.plan();
  for (const { kind, name, desired } of changes) {
    const written = everyKind.find((one) => one.kind === kind && one.name === name);
    // A plan has no secrets.
    if (desired !== undefined && !specs.has(kind))
      specs.set(kind, { ...written?.spec, ...desired });
  }
  await stack.apply({ adopt: () => true });
}, 60_000);
afterAll(async () => {
  await stack.dispose();
  await service.close();
});

/** Creates an existing object through a single binding. Returns whether the server refused it and left it unchanged. */
async function isRefused(kind: Kind, create: Binding): Promise<boolean> {
  const spec = specs.get(kind.name);
  if (spec === undefined) throw new Error(`no object of ${kind.name}`);
  const client = createClient({ url: service.url, credential: new Secret(service.adminKey) });
  try {
    const reader = createCachedReader(client.reader);
    const interest = new Set(fieldsOf(kind).map(({ name }) => name));
    const live = async () => {
      reader.invalidate();
      const found = await observe(kind, [scopeOf(kind, spec)], { reader, interest });
      const one = found.byKey.get(keyOf(kind, spec));
      return canonical({ id: one?.id ?? null, spec: (one?.spec ?? null) as JsonObject });
    };
    const before = await live();
    const lifecycle = createLifecycle({
      client,
      discovery: await client.discoverApi(),
      reader,
      // Looks up no object, regardless of the declarations of the kind.
      createRefusal: async () => undefined,
    });
    const alone = { ...kind, bindings: { ...kind.bindings, create: [create] } };
    const [result] = await lifecycle.create(alone, [createSubject(spec)]);
    const isConflict =
      result?.ok === false && result.failure.code === "conflict" && !result.created;
    return isConflict && (await live()) === before;
  } finally {
    await client.close();
  }
}

/**
 * Excludes data models, which are written into a deployment. Objects that refer to others come first, because the
 * others can exist twice afterwards.
 */
const creates = kinds
  .filter(({ shape }) => shape !== "tree")
  .toReversed()
  .flatMap((kind) =>
    kind.bindings.create
      .filter(({ upserts }) => upserts === undefined)
      .map((binding) => [kind.name, binding.operation.id, binding] as const),
  );

it.each(creates)("%s by %s says whether the server refuses it", async (name, _, binding) => {
  expect(binding.refusesExisting).toBe(await isRefused(kindNamed(name), binding));
});
