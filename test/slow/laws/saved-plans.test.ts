// Tests the law of saved plans: an edited plan makes an apply do nothing that the manifests and the live state do not
// require.
import { describe, expect, it } from "vitest";
import { isObject, type JsonValue } from "../../../core/json.ts";
import type { Plan } from "../../../reconciler/model/index.ts";
import { startProxy } from "../../support/fault-proxy.ts";
import { startService } from "../../support/test-service.ts";
import { type Doc, makeStack } from "../../support/test-stack.ts";

function group(name: string, description: string): Doc {
  return { kind: "UserGroup", name, spec: { name, description } };
}

/** Returns the value after a round trip through a file. */
function parsedCopy<T>(value: unknown): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Yields every copy of `value` in which one part, at any depth, is different. */
function* mutations(value: JsonValue | undefined): Generator<JsonValue | undefined> {
  yield typeof value === "string" ? `${value}x` : typeof value === "number" ? value + 1 : "edited";
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1);
      for (const one of mutations(item)) if (one !== undefined) yield value.with(at, one);
    }
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      for (const one of mutations(inner)) yield { ...value, [name]: one };
      yield { ...value, [name]: undefined };
    }
  }
}

describe("a saved plan that was edited", () => {
  it(
    "is refused whatever was edited in its basis or its changes",
    { timeout: 300_000 },
    async () => {
      const service = await startService();
      const proxy = await startProxy(service.url);
      const stack = await makeStack({
        url: proxy.url,
        key: service.adminKey,
        policy: { prune: false },
      });
      try {
        await stack.write([group("kept", "one"), group("left", "one")]);
        await stack.apply();
        await stack.write([group("kept", "two"), group("made", "one")]);
        const { basis, changes, ...rest } = JSON.parse(JSON.stringify(await stack.plan())) as Plan;
        const honest = changes as readonly unknown[] as JsonValue;
        const left = changes.find(({ action }) => action === "orphan");
        const deleting = parsedCopy<JsonValue>({ ...left, action: "delete" });
        const edited = [
          ...[...mutations(honest)].map((one) => ({ basis, changes: one })),
          ...[...mutations({ ...basis })].map((one) => ({ basis: one, changes: honest })),
          { basis, changes: [deleting] },
        ];
        proxy.arm();
        for (const one of edited.filter(({ changes: list }) => Array.isArray(list))) {
          const saved = parsedCopy<Plan>({ ...rest, diagnostics: [], ...one });
          if (!isObject(one.basis) || saved.changes.some((change) => !isObject(change))) continue;
          await expect(
            stack.apply({ savedPlan: saved }),
            JSON.stringify(one),
          ).rejects.toMatchObject({
            code: "stale",
          });
        }
        expect(proxy.writes()).toEqual([]);
      } finally {
        await stack.dispose();
        await proxy.close();
        await service.close();
      }
    },
  );
});
