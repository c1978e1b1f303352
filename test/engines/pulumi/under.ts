// Runs tests of whole programs under each engine: the stand-in everywhere, Pulumi's own where it is found.
import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import type { Engine, Open } from "./engines.ts";
import { install, type Installed } from "./installed.ts";
import { isThere, missing } from "./real.ts";
import { openReal } from "./real-engine.ts";
import { StandIn } from "./stand-in.ts";

/** Tests under each engine; stacks that they open are closed after each. Without Pulumi's own, one skip says so. */
export function underEngines(what: string, tests: (open: Open) => void): void {
  describe(`${what} under the stand-in`, { timeout: 60_000 }, () => {
    tests(closing(async (config) => new StandIn(config)));
  });
  if (!isThere) return it.skip(`${what} under pulumi (${missing})`);
  describe(`${what} under pulumi`, { timeout: 300_000 }, () => {
    let installed: Installed;
    beforeAll(async () => {
      installed = await install();
    }, 120_000);
    afterAll(() => installed.dispose());
    tests(closing((config) => openReal(installed, config)));
  });
}

/** Opens stacks, and closes them after the test. */
function closing(open: Open): Open {
  let opened: Engine[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((one) => one.close()));
    opened = [];
  });
  return async (config) => {
    const engine = await open(config);
    opened.push(engine);
    return engine;
  };
}
