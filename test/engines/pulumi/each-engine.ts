// Runs tests of whole programs under each engine: the stand-in everywhere, Pulumi's own if it is installed.
import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import type { Engine, OpenEngine } from "./engine.ts";
import { installPackage, type Installation } from "./installation.ts";
import { isPulumiInstalled, pulumiMissing } from "./pulumi-cli.ts";
import { openPulumiEngine } from "./pulumi-engine.ts";
import { StandInEngine } from "./stand-in-engine.ts";

/** Declares tests under each engine and closes their stacks. Without Pulumi's engine, one skipped test says so. */
export function describeWithEngines(what: string, tests: (open: OpenEngine) => void): void {
  describe(`${what} under the stand-in`, { timeout: 120_000 }, () => {
    tests(closeAfterEach(async (config) => new StandInEngine(config)));
  });
  if (!isPulumiInstalled) return it.skip(`${what} under pulumi (${pulumiMissing})`);
  describe(`${what} under pulumi`, { timeout: 300_000 }, () => {
    let installed: Installation;
    beforeAll(async () => {
      installed = await installPackage();
    }, 120_000);
    afterAll(() => installed.dispose());
    tests(closeAfterEach((config) => openPulumiEngine(installed, config)));
  });
}

/** Opens stacks and closes them after the test. */
function closeAfterEach(open: OpenEngine): OpenEngine {
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
