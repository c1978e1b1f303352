// Tests the laws of the reconciler on the real service with random stacks of all registered kinds.
import { readFile, writeFile } from "node:fs/promises";
import { kindsByName } from "../../core/kind/kind.ts";
import { kinds } from "../../resources/index.ts";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject } from "../../core/json.ts";
import type { Plan } from "../../reconciler/model/index.ts";
import { propertyRuns } from "../support/arbitrary-values.ts";
import { assertProperty } from "../support/assert-property.ts";
import { everyKind } from "../support/every-kind.ts";
import {
  declaredObjects,
  hasKeyCycle,
  followRenames,
  serverChoices,
  expectedValue,
} from "../support/expected-state.ts";
import { liveState } from "../support/live-state.ts";
import { type Doc, changeSummaries, documentText } from "../support/test-stack.ts";
import { anyStack } from "../support/arbitrary-stacks.ts";
import {
  anchorDocument,
  applyCleanly,
  inventoryFiles,
  isImplicitlyCreated,
  stateOf,
  skipImplicitConflicts,
  withTestEnvironments,
} from "../support/test-environments.ts";

const timeout = 600_000;

describe("any stack", () => {
  it(
    "leaves nothing to do, and applied over another ends where it ends on a fresh service",
    { timeout },
    async () => {
      await withTestEnvironments((environments) =>
        assertProperty(
          fc.asyncProperty(anyStack, anyStack, async (first, second) => {
            fc.pre(!hasKeyCycle(first, second));
            const over = await environments.use(async (environment) => {
              await applyCleanly(environment, first);
              const { live: before } = await stateOf(environment);
              await skipImplicitConflicts(environment, second);
              await applyCleanly(environment, second);
              const again = await environment.stack.plan();
              expect(changeSummaries(again.changes)).toEqual([]);
              expect(again.unchanged).toBe(second.length + 1);
              return { before, ...(await stateOf(environment)) };
            });
            const fresh = await environments.use(async (environment) => {
              await applyCleanly(environment, second);
              const again = await environment.stack.plan();
              expect(changeSummaries(again.changes)).toEqual([]);
              expect(again.unchanged).toBe(second.length + 1);
              return stateOf(environment);
            });
            const [earlier, later] = [declaredObjects(first), declaredObjects(second, first)];
            const renamed = followRenames(earlier, later);
            const formerly = new Map(earlier.map((one) => [one.address, one.object]));
            const declared = new Map(later.map((one) => [one.object, one]));
            for (const [object, ended] of Object.entries(fresh.live)) {
              const {
                address = "",
                previousObject: at = "",
                spec: desiredValue,
              } = declared.get(object) ?? {};
              const places = [object, formerly.get(address) ?? "", at];
              const before = places.flatMap((place) => {
                const live = over.before[place];
                return [live, renamed(object, live)];
              });
              const found = over.live[object];
              const may = expectedValue(found, { ended, before, desired: desiredValue });
              const chosen = serverChoices(object, { found, desired: desiredValue });
              expect(over.live).toMatchObject({
                [object]: isObject(may) ? { ...may, ...chosen } : may,
              });
            }
            // A subscription creates its external user. The API keeps that user, which was never declared. So it keeps the
            // entries of a list that is released.
            const ever = new Set([...formerly.values(), ...declared.keys()]);
            const left = Object.keys(over.live).filter(
              (object) => fresh.live[object] === undefined,
            );
            expect(left.filter((object) => ever.has(object) || !isCreatedByOthers(object))).toEqual(
              [],
            );
          }),
          propertyRuns(0.01),
        ),
      );
    },
  );

  it("is the same in any order of documents and files", { timeout }, async () => {
    const orders = fc.tuple(anyStack, fc.infiniteStream(fc.nat(1000)));
    await withTestEnvironments((environments) =>
      assertProperty(
        fc.asyncProperty(orders, ([documents, numbers]) =>
          environments.use(async ({ stack }) => {
            await stack.write([anchorDocument, ...documents]);
            const one = await stack.plan({ createsKey: true });
            const shuffled = documents
              .map((doc) => ({ doc, at: numbers.next().value ?? 0 }))
              .toSorted((left, right) => left.at - right.at);
            const half = Math.floor(shuffled.length / 2);
            await stack.write([...shuffled.slice(half).map(({ doc }) => doc), anchorDocument]);
            const rest = shuffled.slice(0, half).map(({ doc }) => documentText(doc));
            await writeFile(join(stack.folder, "another.yaml"), rest.join("\n---\n"));
            const other = await stack.plan();
            expect(other.basis.desired).toBe(one.basis.desired);
            expect(other.unchanged).toBe(one.unchanged);
            expect(sorted(other)).toEqual(sorted(one));
          }),
        ),
        propertyRuns(0.02),
      ),
    );
  });

  it("is planned without a request or a file that changes anything", { timeout }, async () => {
    await withTestEnvironments((environments) =>
      assertProperty(
        fc.asyncProperty(anyStack, anyStack, (first, second) =>
          environments.useProxied(async (environment) => {
            const { stack, proxy } = environment;
            await stack.write(first);
            await stack.plan();
            expect(await inventoryFiles(environment)).toEqual([]);
            await applyCleanly(environment, first);
            const before = await inventoryFiles(environment);
            proxy.arm();
            await stack.write(second);
            await stack.plan();
            expect(proxy.requests.length).toBeGreaterThan(0);
            expect(proxy.writes()).toEqual([]);
            expect(await inventoryFiles(environment)).toEqual(before);
          }),
        ),
        propertyRuns(0.01),
      ),
    );
  });

  it(
    "is pruned of what it owned, and of nothing that another client created",
    { timeout },
    async () => {
      await withTestEnvironments((environments) =>
        assertProperty(
          fc.asyncProperty(anyStack, anyStack, (ours, theirs) =>
            environments.use(async (environment) => {
              const { service, anotherStack: another } = environment;
              const atFirst = Object.keys(await liveState(service));
              await applyCleanly(environment, ours);
              const other = await another({ name: "by-hand" });
              const before = Object.keys(await liveState(service));
              // Objects of another actor next to the existing ones. Documents of the same objects are refused, so they
              // are left out.
              await other.write(theirs);
              const refused = new Set(
                (await other.plan()).changes
                  .filter(({ action, blockedBy }) => action === "refuse" || blockedBy.length > 0)
                  .map(({ address }) => address),
              );
              await other.write(theirs.filter(({ kind, name }) => !refused.has(`${kind}/${name}`)));
              await other.apply();
              const foreign = Object.entries(await liveState(service)).filter(
                ([key]) => !before.includes(key),
              );
              await applyCleanly(environment, []);
              const left = await liveState(service);
              expect(Object.keys(left)).toEqual(
                [...atFirst, ...foreign.map(([key]) => key), "UserGroup/anchor"].toSorted(),
              );
            }),
          ),
          propertyRuns(0.01),
        ),
      );
    },
  );

  it("is applied from a plan that was saved just as it is directly", { timeout }, async () => {
    await withTestEnvironments((environments) =>
      assertProperty(
        fc.asyncProperty(anyStack, anyStack, async (first, second) => {
          fc.pre(!hasKeyCycle(first, second));
          const [direct, saved] = await Promise.all(
            [false, true].map((isSaved) =>
              environments.use(async (environment) => {
                await applyCleanly(environment, first);
                await skipImplicitConflicts(environment, second);
                const planned = await environment.stack.plan({
                  createsKey: true,
                  adopt: isImplicitlyCreated,
                });
                const read = JSON.parse(JSON.stringify(planned)) as Plan;
                const how = isSaved ? { savedPlan: read } : { adopt: isImplicitlyCreated };
                const { outcomes } = await environment.stack.apply(how);
                return { outcomes, state: await stateOf(environment) };
              }),
            ),
          );
          expect(saved).toEqual(direct);
        }),
        propertyRuns(0.01),
      ),
    );
  });
});

describe("a plan that was saved", () => {
  it("is refused before the first write once a live object has moved, naming its address", async () => {
    await withTestEnvironments((environments) =>
      environments.useProxied(async ({ stack, proxy, service }) => {
        const group = (description: string): Doc => ({
          kind: "UserGroup",
          name: "moved",
          spec: { name: "moved", description },
        });
        await stack.write([anchorDocument, group("one")]);
        await stack.apply();
        await stack.write([anchorDocument, group("two")]);
        const saved = await stack.plan();
        const { body } = await service.send("GET", "/api/v1/user-groups");
        const { id } = (body as { items: { id: number; name: string }[] }).items.find(
          ({ name }) => name === "moved",
        ) ?? { id: 0 };
        await service.send("PATCH", `/api/v1/user-groups/${id}`, {
          body: { description: "three" },
        });
        proxy.arm();
        await expect(stack.apply({ savedPlan: saved })).rejects.toMatchObject({
          code: "stale",
          details: { moved: [{ address: "UserGroup/moved" }] },
        });
        expect(proxy.writes()).toEqual([]);
      }),
    );
  });
});

describe("what another client deleted", () => {
  it("is created again, and so are references to it, although they cannot be read", async () => {
    await withTestEnvironments((environments) =>
      environments.use(async (environment) => {
        const { stack, service } = environment;
        await applyCleanly(environment, everyKind);
        const before = await stateOf(environment);
        const { body } = await service.send("GET", "/api/v1/user-groups?search=analysts");
        const [group] = (body as { items: { id: number }[] }).items;
        await service.send("DELETE", `/api/v1/user-groups/${group?.id}`);
        expect(await stateOf(environment)).not.toEqual(before);
        expect(changeSummaries((await stack.plan()).changes)).toEqual([
          "create UserGroup/analysts",
          "update User/jane /groups",
          "create GroupMembership/analysts-operator",
          "create DeploymentAccess/production-analysts",
          "update EmbedUser/acme-jane /groups",
          "create FolderAccess/sales-folder-analysts",
          "create WorkbookAccess/sales-overview-analysts",
          "create DashboardAccess/sales-dashboard-analysts",
          "create ReportAccess/orders-analysts",
          "update NotificationEmbedRecipient/weekly-sales-tom /groups",
        ]);
        await stack.apply();
        expect(await stateOf(environment)).toEqual(before);
      }),
    );
  });
});

describe("two stacks with one inventory folder", () => {
  it("do not change each other's objects, also if one may adopt", async () => {
    await withTestEnvironments((environments) =>
      environments.use(async ({ stack, anotherStack: another }) => {
        await stack.write([anchorDocument]);
        await stack.apply();
        const other = await another({ name: "other" });
        const mine: Doc = { kind: "UserGroup", name: "mine", spec: { name: "mine" } };
        await other.write([mine]);
        // Next to the first stack's files, as with two stacks in one folder.
        const document = await readFile(join(other.folder, "stack.yaml"), "utf8");
        await writeFile(join(stack.folder, "stack.yaml"), document);
        await stack.write([{ ...anchorDocument, name: "theirs" }, mine]);
        const found = await stack.plan({ adopt: () => true });
        expect(changeSummaries(found.changes)).toEqual([
          "refuse UserGroup/theirs",
          "create UserGroup/mine",
        ]);
        expect(found.diagnostics.map(({ code }) => code)).toEqual(["owned-by-other-stack"]);
      }),
    );
  });
});

/** Sorts the changes by address: within a layer they have the order of the documents. */
function sorted({ changes }: Plan) {
  return changes.toSorted((left, right) => (left.address < right.address ? -1 : 1));
}

/** Returns whether objects of a kind are created by others: with a subscription, or as entries of a list. */
function isCreatedByOthers(object: string): boolean {
  const kind = kindsByName(kinds).get(object.split("/")[0] ?? "");
  return kind?.name === "EmbedUser" || kind?.entryOf !== undefined;
}
