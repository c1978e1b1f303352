// Tests applies of every kind that are killed, stopped, or disturbed by a failing network or server at a write. Each reports
// a clear result, and the next run reaches the same state as an undisturbed one.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ClientOptions } from "../../../client/types.ts";
import { isFailure } from "../../../core/errors.ts";
import type { ApplyResult } from "../../../reconciler/model/index.ts";
import type { Connection } from "../../../reconciler/verbs/session.ts";
import { everyKind } from "../../support/every-kind.ts";
import { faults } from "../../support/fault-proxy.ts";
import { runsAllCases, sampled, sampledPositions } from "../../support/sampling.ts";
import { changeSummaries } from "../../support/test-stack.ts";
import {
  closeFaultFixtures,
  expectResumes,
  killAtWrite,
  openFaultFixture,
  scenario as scenarioOf,
  type Scenario,
  scenarios,
  type FaultFixture,
} from "../../faults/fixture.ts";

let fixture: FaultFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});
afterAll(closeFaultFixtures);

/**
 * Returns the writes at which a scenario is stopped: one in the middle of the first scenario, the first write of the
 * second, and the last write of the third.
 */
function placesIn(scenario: Scenario, writes: number): readonly number[] {
  if (runsAllCases) return sampledPositions(writes, writes);
  const places = [Math.ceil(writes / 2), 1, writes];
  return [places[scenarios.indexOf(scenario)] ?? 1];
}

describe.each(scenarios)("$title", (scenario) => {
  it("continues after being killed at a write", { timeout: 300_000 }, async () => {
    const { writes } = await scenario.baseline();
    const places = Array.from({ length: writes }, (_, index) => index + 1);
    const before = runsAllCases ? places : [Math.ceil(writes / 2)];
    // Only the journal shows that a create without an answer was sent.
    const after = runsAllCases ? places : scenario === scenarios[0] ? [writes] : [];
    for (const at of before) await expectResumes(scenario, at, "before");
    for (const at of after) await expectResumes(scenario, at, "after");
  });
});

describe.each(sampled(scenarios))("$title", (scenario) => {
  it(
    "stops when it is asked to, and is finished by the next run",
    { timeout: 120_000 },
    async () => {
      const good = await scenario.baseline();
      for (const at of placesIn(scenario, good.writes)) {
        fixture = await openFaultFixture(scenario);
        const { stack, proxy } = fixture;
        const stop = new AbortController();
        proxy.arm(at, async () => {
          stop.abort();
          return "pass";
        });
        const { outcomes, unverified } = await stack.apply({ signal: stop.signal });
        const where = `write ${at}`;
        // A stopped apply of a data model still deletes its temporary branch.
        const isCleanup = ({ method, path }: { method: string; path: string }) =>
          method === "DELETE" && path.includes("/branches?branchName=svc-apply-");
        const writes = proxy.writes().filter((one) => !isCleanup(one));
        expect(writes.length, where).toBe(at);
        const finished = outcomes.every(({ result }) => result === "done");
        expect(finished, where).toBe(at === good.writes);
        const wrote = outcomes.some(({ result, action }) => result === "done" && action !== "none");
        expect(unverified, where).toBe(wrote ? "the run was stopped" : undefined);
        // The inventory is complete, without remaining journal entries or a lock.
        const files = readdirSync(join(stack.folder, ".svc"));
        expect(files, where).toEqual(["faults.inventory.json"]);

        proxy.arm();
        const second = await stack.apply();
        expect(
          second.outcomes.filter(({ result }) => result !== "done"),
          where,
        ).toEqual([]);
        expect(await fixture.state(), where).toEqual(good.state);
        expect(changeSummaries((await stack.plan()).changes), where).toEqual([]);
        await fixture.close();
        expect(existsSync(stack.folder)).toBe(false);
      }
    },
  );
});

describe("a run that is stopped before it has begun", () => {
  it("writes nothing", async () => {
    fixture = await openFaultFixture(scenarios[0] as (typeof scenarios)[0]);
    await expect(fixture.stack.apply({ signal: AbortSignal.abort() })).rejects.toThrow(
      "canceled before the call was sent",
    );
    expect(fixture.proxy.writes()).toEqual([]);
  });
});

describe("what was lost with an object that a run replaced before it was killed", () => {
  it("is written again by the next, although it cannot be read", { timeout: 60_000 }, async () => {
    fixture = await openFaultFixture(
      scenarioOf("everything", { before: everyKind, documents: everyKind }),
    );
    const good = await fixture.state();
    const headers = { authorization: `Bearer ${fixture.adminKey}` };
    const groups = `${fixture.proxy.url}/api/v1/user-groups`;
    const found = await fetch(`${groups}?search=analysts`, { headers });
    const { items } = (await found.json()) as { items: readonly { id: number }[] };
    await fetch(`${groups}/${items[0]?.id}`, { method: "DELETE", headers });
    expect(await fixture.state()).not.toEqual(good);
    await killAtWrite(fixture, 2, { when: "before" });
    fixture.proxy.arm();
    expect(changeSummaries((await fixture.stack.plan()).changes)).toEqual([
      expect.stringContaining("UserGroup/analysts"),
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
    await fixture.stack.apply();
    expect(await fixture.state()).toEqual(good);
  });
});

/** Uses a short deadline, so that a hang ends. */
function withShortDeadline({ stack }: FaultFixture): { connection: Connection } {
  const connection: Connection & Pick<ClientOptions, "timeoutMs"> = {
    ...stack.options.connection,
    timeoutMs: 400,
  };
  return { connection };
}

async function outcomesOf(run: Promise<ApplyResult>): Promise<readonly string[]> {
  try {
    const { outcomes } = await run;
    for (const { result, failure } of outcomes) {
      expect(["done", "failed", "skipped"]).toContain(result);
      if (result === "failed") expect(failure?.message).toMatch(/\w/);
    }
    return outcomes.map(({ result }) => result);
  } catch (error) {
    if (isFailure(error)) return [error.code];
    throw error;
  }
}

/** Each fault with one of the scenarios, in turn. */
const cases = sampled(
  scenarios.flatMap((scenario) =>
    faults.map((fault, index) => ({
      title: `${scenario.title} meets ${fault}`,
      scenario,
      fault,
      variant: index * 13,
    })),
  ),
  scenarios.length,
);

it.each(cases)(
  "an apply ends clearly, and the next run finishes with nothing twice: $title",
  { timeout: 120_000 },
  async ({ scenario, fault, variant }) => {
    const good = await scenario.baseline();
    for (const at of sampledPositions(good.writes, 1, variant)) {
      fixture = await openFaultFixture(scenario);
      fixture.proxy.arm(at, fault);
      expect(
        await outcomesOf(fixture.stack.apply(withShortDeadline(fixture))),
        `write ${at}`,
      ).not.toEqual([]);
      fixture.proxy.arm();
      const { outcomes } = await fixture.stack.apply();
      expect(
        outcomes.filter(({ result }) => result !== "done"),
        `write ${at}`,
      ).toEqual([]);
      expect(await fixture.state(), `write ${at}`).toEqual(good.state);
      expect(changeSummaries((await fixture.stack.plan()).changes), `write ${at}`).toEqual([]);
      await fixture.close();
    }
  },
);
