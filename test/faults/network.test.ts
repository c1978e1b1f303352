// A bad network or server at any write of an apply: it ends clearly, and the next run ends where a good one does.
import { afterAll, afterEach, expect, it } from "vitest";
import type { ClientOptions } from "../../client/types.ts";
import { isFailure } from "../../core/errors.ts";
import type { ApplyResult } from "../../reconciler/model/index.ts";
import type { Connection } from "../../reconciler/verbs/session.ts";
import { faults } from "../support/fault-proxy.ts";
import { sampled, sampledPositions } from "../support/sampling.ts";
import { changeSummaries } from "../support/test-stack.ts";
import { closeFaultFixtures, openFaultFixture, scenarios, type FaultFixture } from "./fixture.ts";

let fixture: FaultFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});
afterAll(closeFaultFixtures);

/** A short deadline makes a hang end. */
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

/** Each fault with one of the scenarios, by turns. */
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
