// Tests the service as Terraform's `http` backend: real Terraform stores, locks and unlocks states.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { engineNamed, makeWorkspace, type Workspace } from "./terraform-workspace.ts";

const found = (["terraform", "tofu"] as const).map((name) => [name, engineNamed(name)] as const);
const secret = "hunter2-in-terraform";

describe.each(found)("%s", (_, engine) => {
  describe.skipIf(engine === undefined)("with its state here", { timeout: 120_000 }, () => {
    let service: TestService;
    let one: Workspace;
    let other: Workspace;
    const address = () => `${service.url}/api/v1/state/infra`;

    /** `terraform_data` is built in, so the configuration needs no provider. */
    const configuration = (input: string): JsonObject => ({
      terraform: {
        backend: {
          http: {
            address: address(),
            lock_address: address(),
            unlock_address: address(),
            username: "any",
            password: service.adminKey,
          },
        },
      },
      resource: { terraform_data: { kept: { input, triggers_replace: [secret] } } },
      output: { kept: { value: "${terraform_data.kept.output}" } },
    });
    const stateOf = async () => (await service.send("GET", "/api/v1/state/infra")).body;

    beforeAll(async () => {
      if (engine === undefined) return;
      service = await startService();
      [one, other] = [await makeWorkspace(engine, {}), await makeWorkspace(engine, {})];
      await one.write(configuration("first"));
      await other.write(configuration("second"));
    });
    afterAll(async () => {
      await one?.dispose();
      await other?.dispose();
      await service?.close();
    });

    it("shares a state between two folders", async () => {
      expect(await one.run("init")).toMatchObject({ code: 0 });
      expect(await one.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
      expect(await stateOf()).toMatchObject({ serial: 1, outputs: { kept: { value: "first" } } });
      expect(await one.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
      expect(await other.run("init")).toMatchObject({ code: 0 });
      expect(await other.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
      expect(await stateOf()).toMatchObject({ outputs: { kept: { value: "second" } } });
      const versions = await service.send("GET", "/api/v1/state/infra/versions");
      expect((versions.body as { items: unknown[] }).items).toHaveLength(2);
      expect(
        JSON.stringify(await service.db.selectFrom("state_versions").selectAll().execute()),
      ).not.toContain(secret);
    });

    it("respects a lock, shows its holder, and continues after force-unlock", async () => {
      const before = await stateOf();
      const held = { ID: "0b8f7a52-6d3c-4f0e-9a2a-3d6f5f6f1c11", Who: "jo@desk" };
      await service.send("LOCK", "/api/v1/state/infra", { body: held });
      const refused = await one.run("apply", "-auto-approve");
      expect(refused.code).toBe(1);
      expect(refused.output).toContain(held.ID);
      expect(await stateOf()).toEqual(before);
      expect(await one.run("force-unlock", "-force", held.ID)).toMatchObject({ code: 0 });
      expect((await service.send("UNLOCK", "/api/v1/state/infra", { body: held })).status).toBe(
        404,
      );
      expect(await one.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
      expect(await stateOf()).toMatchObject({ outputs: { kept: { value: "first" } } });
    });

    it("destroys and leaves an empty state", async () => {
      expect(await one.run("destroy", "-auto-approve")).toMatchObject({ code: 0 });
      expect(await stateOf()).toMatchObject({ resources: [] });
    });
  });
});
