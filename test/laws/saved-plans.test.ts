// The law of saved plans: whatever is edited in one, nothing is done that the manifests and the world do not ask for.
import { describe, expect, it } from "vitest";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { Plan } from "../../reconciler/model.ts";
import { startProxy } from "../support/proxy.ts";
import { startService } from "../support/service.ts";
import { type Doc, makeStack } from "../support/stack.ts";

function group(name: string, description: string): Doc {
  return { kind: "UserGroup", name, spec: { name, description } };
}

/** The value as it comes back from a file. */
function copyOf<T>(value: unknown): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Every copy of `value` in which one part, at any depth, is another. */
function* edits(value: JsonValue | undefined): Generator<JsonValue | undefined> {
  yield typeof value === "string" ? `${value}x` : typeof value === "number" ? value + 1 : "edited";
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1);
      for (const one of edits(item)) if (one !== undefined) yield value.with(at, one);
    }
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      for (const one of edits(inner)) yield { ...value, [name]: one };
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
        const deleting = copyOf<JsonValue>({ ...left, action: "delete" });
        const edited = [
          ...[...edits(honest)].map((one) => ({ basis, changes: one })),
          ...[...edits({ ...basis })].map((one) => ({ basis: one, changes: honest })),
          { basis, changes: [deleting] },
        ];
        proxy.arm();
        for (const one of edited.filter(({ changes: list }) => Array.isArray(list))) {
          const saved = copyOf<Plan>({ ...rest, diagnostics: [], ...one });
          if (!isObject(one.basis) || saved.changes.some((change) => !isObject(change))) continue;
          await expect(stack.apply({ saved }), JSON.stringify(one)).rejects.toMatchObject({
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
