// An apply that is asked to stop at any of its writes: the rest is skipped, what was done is recorded, the next run finishes.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { runsAllCases, sampledPositions } from "../support/sampling.ts";
import { changeSummaries } from "../support/test-stack.ts";
import {
  closeFaultFixtures,
  openFaultFixture,
  type Scenario,
  scenarios,
  type FaultFixture,
} from "./fixture.ts";

let fixture: FaultFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});
afterAll(closeFaultFixtures);

/** The writes that a scenario is stopped at: one in the middle of the first, the first of the second and the last of the third. */
function placesIn(scenario: Scenario, writes: number): readonly number[] {
  if (runsAllCases) return sampledPositions(writes, writes);
  const places = [Math.ceil(writes / 2), 1, writes];
  return [places[scenarios.indexOf(scenario)] ?? 1];
}

describe.each(scenarios)("$title", (scenario) => {
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
        // Written whole, with nothing left to be played over it and no lock held.
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
      "Canceled before the call was sent.",
    );
    expect(fixture.proxy.writes()).toEqual([]);
  });
});
