// Resource identities with Terraform 1.12 or newer: stable through create, rename and drift, and valid for import.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { everyKind, everyKindChanged, prepareAccount } from "../support/every-kind.ts";
import { liveState } from "../support/live-state.ts";
import { startService } from "../support/test-service.ts";
import {
  configurationFor,
  engineNamed,
  isAtLeast,
  makeWorkspace,
  providerConfiguration,
} from "./terraform-workspace.ts";

const engine = engineNamed("terraform");

interface StateResource {
  readonly type: string;
  readonly name: string;
  readonly address: string;
  readonly identity?: JsonObject;
}

describe.skipIf(engine === undefined || !isAtLeast(engine.binary, 12))(
  "identities under Terraform 1.12",
  { timeout: 240_000 },
  () => {
    it("stay the same for the lifetime of an object, and import every kind", async () => {
      if (engine === undefined) return;
      const service = await startService();
      await prepareAccount(service);
      const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
      const [workspace, other] = [
        await makeWorkspace(engine, env),
        await makeWorkspace(engine, env),
      ];
      const run = async (...args: readonly string[]): Promise<string> => {
        const { code, output } = await workspace.run(...args);
        if (code !== 0) throw new Error(output);
        return output;
      };
      const held = async (): Promise<readonly StateResource[]> => {
        const { values } = JSON.parse(await run("show", "-json")) as {
          values: { root_module: { resources: readonly StateResource[] } };
        };
        return values.root_module.resources;
      };
      try {
        await workspace.write(configurationFor(everyKind));
        await run("init");
        await run("apply", "-auto-approve");
        await run("plan", "-detailed-exitcode");
        await workspace.write(configurationFor(everyKindChanged));
        await run("apply", "-auto-approve");
        await run("plan", "-detailed-exitcode");
        const resources = await held();
        expect(resources.filter(({ identity }) => identity === undefined)).toEqual([]);
        expect(resources).toHaveLength(everyKind.length);
        const before = await liveState(service);
        await other.write(
          providerConfiguration({
            import: resources.map(({ address, identity = {} }) => ({ to: address, identity })),
          }),
        );
        expect((await other.run("init")).code).toBe(0);
        const planned = await other.run("plan", "-generate-config-out=generated.tf");
        expect(planned.output).toContain(
          `Plan: ${resources.length} to import, 0 to add, 0 to change, 0 to destroy`,
        );
        expect(await other.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
        expect(await other.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
        expect(await liveState(service)).toEqual(before);
        await run("destroy", "-auto-approve");
      } finally {
        await workspace.dispose();
        await other.dispose();
        await service.close();
      }
    });
  },
);
