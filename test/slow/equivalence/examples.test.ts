// Tests the same example with four front ends: each reaches the same state, and each adopts or imports what another created.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import type * as pulumi from "@pulumi/pulumi";
import { describeWithEngines } from "../../engines/terraform-workspace.ts";
import { yamlProgram } from "../../engines/pulumi/yaml-program.ts";
import { hiddenState, liveState } from "../../support/live-state.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import {
  cdktf,
  manifests,
  pulumiProgram,
  type FrontEnd,
  terraform,
  unreadableFields,
} from "../../engines/front-ends.ts";

const yaml = readFileSync(
  new URL("../../../examples/pulumi/yaml/Pulumi.yaml", import.meta.url),
  "utf8",
);
const inYaml = yamlProgram(yaml);
/** A module is evaluated once, so each run imports it from a new URL. */
let runs = 0;
const inTypeScript: pulumi.automation.PulumiFn = async () => {
  const module = `../../../examples/pulumi/typescript/index.ts?run=${++runs}`;
  return { ...((await import(module)) as object) };
};

describeWithEngines("the examples", (engine) => {
  let services: TestService[];
  let spellings: FrontEnd[];
  beforeEach(() => {
    [services, spellings] = [[], []];
  });
  afterEach(async () => {
    await Promise.all(spellings.map((one) => one.dispose()));
    await Promise.all(services.map((one) => one.close()));
  });

  async function fresh(): Promise<TestService> {
    const service = await startService();
    services.push(service);
    return service;
  }

  function kept<S extends FrontEnd>(spelled: S): S {
    spellings.push(spelled);
    return spelled;
  }

  // Twenty runs of five front ends take 35 seconds of CPU time.
  it(
    "reach the same state in every front end, and each adopts what another created",
    { timeout: 300_000 },
    async () => {
      const [a, b, c, d, e] = [
        await fresh(),
        await fresh(),
        await fresh(),
        await fresh(),
        await fresh(),
      ];
      const typescript = kept(pulumiProgram(d, inTypeScript));
      const frontEnds = [
        kept(await manifests(a)),
        kept(await terraform(b, engine)),
        kept(await cdktf(c, engine)),
        typescript,
        kept(pulumiProgram(e, inYaml)),
      ];
      for (const one of frontEnds) expect(await one.apply()).toBe(21);
      const wanted = [await liveState(a), await hiddenState(a.db)];
      for (const one of [b, c, d, e])
        expect([await liveState(one), await hiddenState(one.db)]).toEqual(wanted);

      const over = [
        kept(await terraform(d, engine)),
        kept(await cdktf(a, engine)),
        kept(pulumiProgram(b, inTypeScript, typescript.engine)),
        kept(pulumiProgram(c, inYaml, typescript.engine)),
        kept(await manifests(e)),
      ];
      for (const one of over) {
        // An adoption writes hidden fields once, because their value is unknown. Then there is nothing to do.
        expect((await one.adopt()).filter((field) => !unreadableFields.has(field))).toEqual([]);
        await one.apply();
        expect(await one.apply()).toBe(0);
      }
      for (const one of services)
        expect([await liveState(one), await hiddenState(one.db)]).toEqual(wanted);
    },
  );
});
