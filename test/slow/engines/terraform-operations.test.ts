// Operation with real Terraform: logs through TF_LOG, early validation of data sources, and a server that is away for seconds.
import { expect, it } from "vitest";
import { functions } from "../../../provider/terraform/functions.ts";
import { liveState } from "../../support/live-state.ts";
import { type TerraformFixture, setUpTerraformFixture } from "../../engines/terraform-fixture.ts";
import { describeWithEngines, providerConfiguration } from "../../engines/terraform-workspace.ts";

describeWithEngines("operation", (engine) => {
  let fixture: TerraformFixture;
  const options = { startsProvider: true, env: { TF_LOG_PROVIDER: "TRACE" } };
  setUpTerraformFixture(engine, (created) => void (fixture = created), options);

  it("logs each RPC and HTTP request, without the API key", async () => {
    const { workspace, service } = fixture;
    const group = { svc_user_group: { one: { name: "readers" } } };
    await workspace.write(providerConfiguration({ resource: group }));
    const { code, output } = await workspace.run("apply", "-auto-approve");
    expect(code).toBe(0);
    expect(output).toContain("/tfplugin6.Provider/ApplyResourceChange");
    expect(output).toMatch(/HTTP request.*POST/u);
    expect(output).not.toContain(service.adminKey);
  });

  it("validates the arguments of a data source before anything is read", async () => {
    const data = { svc_embed_tenant: { short: { name: "abc" } } };
    await fixture.workspace.write(providerConfiguration({ data }));
    const { code, output } = await fixture.workspace.run("validate");
    expect(code).toBe(1);
    expect(output).toContain("name must have at least 5 characters");
  });

  it("continues an apply when the server is away for 6 seconds", async () => {
    const { workspace, proxy, service } = fixture;
    const names = ["readers", "writers", "editors"];
    const groups = Object.fromEntries(names.map((name) => [name, { name }]));
    await workspace.write(providerConfiguration({ resource: { svc_user_group: groups } }));
    let back: Promise<void> | undefined;
    proxy.arm(2, async () => {
      back = proxy.refuseConnections(6000);
      return "drop";
    });
    const { code, output } = await workspace.run("apply", "-auto-approve", "-parallelism=1");
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(back).toBeDefined();
    await back;
    const all = Object.keys(await liveState(service));
    expect(all.filter((name) => name.startsWith("UserGroup/"))).toHaveLength(names.length);
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

it("import_id refuses a null or empty part", () => {
  const importId = functions["import_id"];
  expect(importId?.call([["acme", "viewers"]])).toBe("acme/viewers");
  expect(() => importId?.call([["acme", null]])).toThrow(
    "part 1 of the natural key is null or empty",
  );
});
