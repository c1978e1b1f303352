// Tests ephemeral API keys with real Terraform: a second provider uses the key, no state or plan contains it, and it is
// deleted afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { liveState } from "../../support/live-state.ts";
import type { Proxy } from "../../support/fault-proxy.ts";
import type { TestService } from "../../support/test-service.ts";
import {
  providerConfiguration,
  describeWithEngines,
  type Workspace,
} from "../../engines/terraform-workspace.ts";
import { setUpTerraformFixture } from "../../engines/terraform-fixture.ts";

describeWithEngines("ephemeral resources", (engine) => {
  let service: TestService;
  let proxy: Proxy;
  let workspace: Workspace;
  setUpTerraformFixture(
    engine,
    (fixture) => {
      ({ service, proxy, workspace } = fixture);
    },
    { startsProvider: true, env: { TF_LOG: "TRACE", TF_LOG_PATH: "engine.log" }, configuration },
  );

  async function createdNames(): Promise<readonly string[]> {
    const names = Object.keys(await liveState(service));
    return names.filter((name) => /^(?:ApiKey\/run|UserGroup)/.test(name)).toSorted();
  }

  it("creates a key for one run; its secret is in no state, plan or log", async () => {
    const planned = await workspace.run("plan", "-out=saved.plan");
    expect(planned.output).toContain("1 to add");
    expect(await createdNames()).toEqual([]);
    let meanwhile: readonly string[] = [];
    // The first write of the apply creates the key, the second the group.
    proxy.arm(2, async () => {
      meanwhile = await createdNames();
      return "pass";
    });
    expect(await workspace.run("apply", "saved.plan")).toMatchObject({ code: 0 });
    expect(meanwhile).toEqual([expect.stringMatching(/^ApiKey\/run-[0-9a-f]{8}$/)]);
    expect(await createdNames()).toEqual(["UserGroup/analysts"]);
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(await workspace.allText()).not.toMatch(/sk-[\w-]{43}/);
  });

  it("deletes the key if the run fails or is interrupted", async () => {
    // The first write creates the key of the plan, the third the key of the apply, and the fourth the group.
    proxy.arm(4, "conflict");
    expect((await workspace.run("apply", "-auto-approve")).output).toContain(
      "Cannot create UserGroup",
    );
    expect(await createdNames()).toEqual([]);
    const running = workspace.start("apply", "-auto-approve");
    proxy.arm(4, async () => {
      running.interrupt();
      await sleep(500);
      return "pass";
    });
    await running.ended;
    expect((await createdNames()).filter((name) => name.startsWith("ApiKey/"))).toEqual([]);
  });
});

const configuration: JsonObject = providerConfiguration({
  ephemeral: { svc_api_key: { run: { name: "run" } } },
  provider: { svc: [{}, { alias: "run", api_key: "${ephemeral.svc_api_key.run.token}" }] },
  resource: { svc_user_group: { analysts: { name: "analysts", provider: "svc.run" } } },
});
