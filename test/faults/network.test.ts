// A bad network or server at any write of an apply: it ends clearly, and the next run ends where a good one does.
import { afterEach, describe, expect, it } from "vitest";
import type { ClientOptions } from "../../client/types.ts";
import { isFailure } from "../../core/errors.ts";
import type { Applied } from "../../reconciler/model.ts";
import type { Connection } from "../../reconciler/session.ts";
import { faults } from "../support/proxy.ts";
import { inWords } from "../support/stack.ts";
import { open, scenarios, type Scene } from "./scene.ts";

const all = process.env["SVC_FAULTS"] === "all";
const stride = all ? 1 : 5;

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

/** A short deadline makes a hang end. */
function hasty({ stack }: Scene): { connection: Connection } {
  const connection: Connection & Pick<ClientOptions, "timeoutMs"> = {
    ...stack.options.connection,
    timeoutMs: 400,
  };
  return { connection };
}

async function ends(run: Promise<Applied>): Promise<readonly string[]> {
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

describe.each(scenarios)("$title", (scenario) => {
  it.each(faults.map((fault, index) => ({ fault, from: all ? 1 : 1 + (index % stride) })))(
    "ends clearly when a write meets $fault, and the next run finishes with nothing twice",
    { timeout: 120_000 },
    async ({ fault, from }) => {
      const good = await scenario.measured();
      for (let at = from; at <= good.writes; at += stride) {
        scene = await open(scenario);
        scene.proxy.arm(at, fault);
        expect(await ends(scene.stack.apply(hasty(scene))), `write ${at}`).not.toEqual([]);
        scene.proxy.arm();
        const { outcomes } = await scene.stack.apply();
        expect(
          outcomes.filter(({ result }) => result !== "done"),
          `write ${at}`,
        ).toEqual([]);
        expect(await scene.state(), `write ${at}`).toEqual(good.state);
        expect(inWords((await scene.stack.plan()).changes), `write ${at}`).toEqual([]);
        await scene.close();
      }
    },
  );
});
