// Tests resource options that the provider or the SDK carries out; the others are rules of Pulumi's engine.
import type * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import * as svc from "../../../../provider/pulumi/sdk/index.ts";
import { companyProgram } from "../../../engines/pulumi/sample-program.ts";
import type { RunResult } from "../../../engines/pulumi/engine.ts";
import { setUpStackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";

/** Returns a program with one tenant. */
function tenantProgram(options: pulumi.CustomResourceOptions = {}) {
  return async (): Promise<void> => {
    new svc.EmbedTenant("acme", { name: "acme-stores", displayName: "Acme" }, options);
  };
}

describeWithEngines("options of resources", (open) => {
  const fixture = setUpStackFixture(open);

  it("accept a provider of the program, for functions and get() too", async () => {
    await fixture.engine.up(companyProgram());
    const other = await open({});
    const found = await other.up(async () => {
      const { proxy, service } = fixture;
      const provider = new svc.Provider("acme", { url: proxy.url, apiKey: service.adminKey });
      const acme = svc.EmbedTenant.get("acme", "acme-stores", { provider });
      const { items } = await svc.getEmbedGroups({ embedTenant: "acme-stores" }, { provider });
      const group = svc.getEmbedGroupOutput(
        { embedTenant: acme.name, name: "buyers" },
        { provider },
      );
      return { groups: items.map(({ name }) => name), id: group.id, display: acme.displayName };
    });
    expect(found.errors).toEqual([]);
    expect(found.outputs).toMatchObject({
      groups: ["buyers", "directors"],
      id: "acme-stores/buyers",
      display: "Acme",
    });
    expect(await other.allText()).not.toContain(fixture.service.adminKey);
  });

  it("skip a function in a preview while its arguments are unknown", async () => {
    const program = async (): Promise<Record<string, unknown>> => {
      const main = new svc.Deployment("main", { name: "production", region: "aws-us-east-1" });
      const name = main.deploymentUrl.apply(() => "production");
      return { url: svc.getDeploymentOutput({ name }, { dependsOn: main }).deploymentUrl };
    };
    expect(stepNames(await fixture.engine.preview(program))).toEqual(["create main"]);
    const ran = await fixture.engine.up(program);
    expect(stepNames(ran)).toEqual(["create main"]);
    expect(ran.outputs["url"]).toMatch(/^https?:/);
  });

  it("have no custom timeouts: the provider warns that it ignores them", async () => {
    const { engine } = fixture;
    const ignoredIn = ({ warnings }: RunResult) =>
      warnings.filter((one) => one.includes("customTimeouts"));
    const timed = tenantProgram({ customTimeouts: { create: "5m", update: "90s" } });
    expect(ignoredIn(await engine.preview(timed))).toHaveLength(1);
    expect(ignoredIn(await engine.up(timed))).toHaveLength(1);
    expect(ignoredIn(await engine.up(timed))).toEqual([]);
  });

  it("import an existing object, and a second run changes nothing", async () => {
    await fixture.engine.up(companyProgram());
    const other = await fixture.openStack();
    const program = async (): Promise<void> => {
      await tenantProgram({ import: "acme-stores" })();
      const group = { embedTenant: "acme-stores", name: "directors" };
      new svc.EmbedGroup("directors", group, { import: "acme-stores/directors" });
    };
    expect(stepNames(await other.preview(program))).toEqual(["import acme", "import directors"]);
    expect(stepNames(await other.up(program))).toEqual(["import acme", "import directors"]);
    expect(stepNames(await other.up(program))).toEqual([]);
    expect(stepNames(await other.up(tenantProgram()))).toEqual(["delete directors"]);
  });

  it("fail to import an ID that does not exist", async () => {
    const ran = await fixture.engine.up(tenantProgram({ import: "acme-stores" }));
    expect(ran.errors.join()).toMatch(/acme-stores.*does not exist/);
    expect(await fixture.createdAddresses()).toEqual([]);
  });

  it("are needed to delete an object with others inside, unless the provider allows cascades", async () => {
    const { engine, service } = fixture;
    await engine.up(tenantProgram());
    const path = "/api/v1/embed-tenants/acme-stores/groups";
    await service.send("POST", path, { body: { name: "directors" } });
    expect((await engine.destroy()).errors).toEqual([
      expect.stringContaining("contains 1 EmbedGroup (acme-stores/directors)"),
    ]);
    expect((await service.send("GET", path)).body).toMatchObject({
      items: [{ name: "directors" }],
    });
  });
});
