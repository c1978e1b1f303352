// Tests random stacks of all kinds: a run completes one that was killed between any two calls, and repairs changes of other
// actors in between.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { address, listContaining, parseKey } from "../../../core/kind/identity.ts";
import { type Kind, kindsByName } from "../../../core/kind/kind.ts";
import { cascadeReferencesOf } from "../../../core/kind/cascades.ts";
import { kinds } from "../../../resources/index.ts";
import { propertyRuns } from "../../support/arbitrary-values.ts";
import { assertProperty } from "../../support/assert-property.ts";
import { hasKeyCycle } from "../../support/expected-state.ts";
import { type Doc, changeSummaries, type TestStack } from "../../support/test-stack.ts";
import { anyStack, closedSubset } from "../../support/arbitrary-stacks.ts";
import {
  anchorDocument,
  applyCleanly,
  isImplicitlyCreated,
  stateOf,
  skipImplicitConflicts,
  type ProxiedEnvironment,
  withTestEnvironments,
} from "../../support/test-environments.ts";

const timeout = 600_000;

/** The point at which a run is killed, as a share of its calls, and whether the service still executes that call. */
const anyKill = fc.record({
  share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  isExecuted: fc.boolean(),
});

/**
 * Applies like a process that dies when call number `at` arrives. Later calls fail, and the inventory keeps its state
 * on disk, without a lock, because an ended process holds none.
 */
async function killAtCall(
  { stack, proxy }: ProxiedEnvironment,
  { at, isExecuted }: { readonly at: number; readonly isExecuted: boolean },
): Promise<void> {
  const [inventory, left] = [join(stack.folder, ".svc"), join(stack.folder, ".left")];
  const stop = new AbortController();
  let died: Promise<void> | undefined;
  proxy.armAnyCall(
    at,
    async () => {
      const isFirst = died === undefined;
      died ??= cp(inventory, left, { recursive: true }).finally(() => stop.abort());
      await died;
      return isFirst && isExecuted ? "pass" : "drop";
    },
    Number.POSITIVE_INFINITY,
  );
  await stack.apply({ adopt: isImplicitlyCreated, signal: stop.signal }).catch(() => undefined);
  await proxy.idle();
  proxy.arm();
  // The run may need a few calls less than the one whose calls were counted: then another kill is tried.
  fc.pre(died !== undefined);
  await rm(inventory, { recursive: true });
  const isLock = (path: string) => path.endsWith(".lock");
  await cp(left, inventory, { recursive: true, filter: (path) => !isLock(path) });
}

const byName = kindsByName(kinds);

describe("a run that was killed between any two calls", () => {
  it("is finished by the next, which ends where it would have ended", { timeout }, async () => {
    await withTestEnvironments((environments) =>
      assertProperty(
        fc.asyncProperty(anyStack, anyStack, anyKill, async (first, second, { share, ...kill }) => {
          fc.pre(!hasKeyCycle(first, second));
          const whole = await environments.useProxied(async (environment) => {
            await applyCleanly(environment, first);
            await skipImplicitConflicts(environment, second);
            environment.proxy.arm();
            await applyCleanly(environment, second);
            return { calls: environment.proxy.requests.length, state: await stateOf(environment) };
          });
          await environments.useProxied(async (environment) => {
            await applyCleanly(environment, first);
            await environment.stack.write([anchorDocument, ...second]);
            await killAtCall(environment, { at: 1 + Math.floor(share * whole.calls), ...kill });
            await applyCleanly(environment, second);
            expect(await stateOf(environment)).toEqual(whole.state);
            expect(changeSummaries((await environment.stack.plan()).changes)).toEqual([]);
          });
        }),
        propertyRuns(0.01),
      ),
    );
  });
});

describe("what another client changed, created and deleted", () => {
  it("is repaired where the stack owns it, and not changed elsewhere", { timeout }, async () => {
    const deletes = fc.infiniteStream(fc.boolean());
    await withTestEnvironments((environments) =>
      assertProperty(
        fc.asyncProperty(anyStack, anyStack, deletes, (ours, theirs, chosen) =>
          environments.use(async (environment) => {
            await applyCleanly(environment, ours);
            const hand = await environment.anotherStack({ name: "hand" });
            await applyOutOfBand(hand, [anchorDocument, ...theirs]);
            const left = closedSubset(theirs, () => chosen.next().value ?? true);
            await applyOutOfBand(hand, [anchorDocument, ...left]);
            const before = Object.keys((await stateOf(environment)).live);
            await environment.stack.write([anchorDocument, ...ours]);
            const { changes } = await environment.stack.plan({
              createsKey: true,
              adopt: isImplicitlyCreated,
            });
            await applyCleanly(environment, ours);
            expect(changeSummaries((await environment.stack.plan()).changes)).toEqual([]);
            const { live } = await stateOf(environment);
            // The contents of replaced objects follow; the plan counts them by kind.
            const reported = new Set(
              changes.flatMap(({ cascadeCounts = {} }) => Object.keys(cascadeCounts)),
            );
            // Relations to replaced objects, such as memberships of a user, are deleted with them. A plan does not read
            // groups of other stacks.
            const replaced = new Set(
              changes.flatMap(({ action, kind }) => (action === "replace" ? [kind] : [])),
            );
            // Both stacks declare a list of one object, whose entries are objects too: the plan shows only the list of
            // its own stack.
            const restored = changes.filter(({ action }) => action === "update");
            const isEntry = (object: string, kind: Kind) => {
              const key = parseKey(kind, object.slice(kind.name.length + 1));
              const list = key && listContaining(kind, key);
              return restored.some(
                (one) =>
                  list?.owner === address(one.kind, one.key) &&
                  one.fields.some(({ path }) => path === `/${list.field}`),
              );
            };
            const isReported = (object: string) => {
              const kind = byName.get(object.split("/")[0] ?? "");
              if (kind === undefined) return false;
              if (isEntry(object, kind)) return true;
              const parents = cascadeReferencesOf(kind).map(({ parentKind }) => parentKind);
              return reported.has(kind.name) || parents.some((parent) => replaced.has(parent));
            };
            expect(before.filter((object) => !(object in live) && !isReported(object))).toEqual([]);
          }),
        ),
        propertyRuns(0.01),
      ),
    );
  });
});

/** Applies the documents that are not refused, and adopts existing objects. */
async function applyOutOfBand(stack: TestStack, documents: readonly Doc[]): Promise<void> {
  const adopt = () => true;
  await stack.write(documents);
  const { changes, diagnostics } = await stack.plan({ createsKey: true, adopt });
  const blocked = changes.filter(
    ({ action, blockedBy }) => action === "refuse" || blockedBy.length > 0,
  );
  const invalid = diagnostics.filter(({ severity }) => severity === "error");
  const refused = new Set([...blocked, ...invalid].map((diagnostic) => diagnostic.address));
  await stack.write(closedSubset(documents, ({ kind, name }) => !refused.has(`${kind}/${name}`)));
  await stack.apply({ adopt });
}
