// Unknown values with real Terraform: replaced parents, unknown secrets, defaults and refinements keep plan and apply consistent.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { setUpTerraformFixture } from "../../engines/terraform-fixture.ts";
import {
  describeWithEngines,
  providerConfiguration,
  type Workspace,
} from "../../engines/terraform-workspace.ts";

const built = "${terraform_data.";

describeWithEngines("unknown values", (engine) => {
  let workspace: Workspace;
  setUpTerraformFixture(engine, (fixture) => {
    workspace = fixture.workspace;
  });

  const apply = async (blocks: JsonObject): Promise<void> => {
    await workspace.write(providerConfiguration(blocks));
    const { code, output } = await workspace.run("apply", "-auto-approve");
    expect(code === 0 ? "" : output).toBe("");
  };
  const actions = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
    expect(await workspace.run("plan", "-out=saved.plan")).toMatchObject({ code: 0 });
    const { output } = await workspace.run("show", "-json", "saved.plan");
    const { resource_changes: changes = [] } = JSON.parse(output) as {
      resource_changes?: { address: string; change: { actions: string[] } }[];
    };
    return Object.fromEntries(changes.map(({ address, change }) => [address, change.actions]));
  };

  it("replace the children of a replaced parent in the same plan", async () => {
    const blocks = (name: string): JsonObject => ({
      resource: {
        svc_embed_tenant: { parent: { name } },
        svc_embed_group: {
          child: { embed_tenant: "${svc_embed_tenant.parent.reference}", name: "readers" },
        },
      },
    });
    await apply(blocks("acme-stores"));
    for (const [name, flags] of [["acme-stores", ["-replace=svc_embed_tenant.parent"]]] as const) {
      await workspace.write(providerConfiguration(blocks(name)));
      const planned = await workspace.run("plan", "-out=saved.plan", ...flags);
      expect(planned.output).toContain("2 to add, 0 to change, 2 to destroy");
      expect(await workspace.run("apply", "saved.plan")).toMatchObject({ code: 0 });
      expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    }
    await workspace.run("taint", "svc_embed_tenant.parent");
    expect(await actions()).toEqual({
      "svc_embed_tenant.parent": ["delete", "create"],
      "svc_embed_group.child": ["delete", "create"],
    });
    await workspace.run("untaint", "svc_embed_tenant.parent");
    await workspace.write(providerConfiguration(blocks("other-stores")));
    expect(await actions()).toEqual({
      "svc_embed_tenant.parent": ["delete", "create"],
      "svc_embed_group.child": ["delete", "create"],
    });
    expect(await workspace.run("apply", "saved.plan")).toMatchObject({ code: 0 });
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("of a data source that waits for another resource keep a published workbook, unless a new object may be meant", async () => {
    const blocks = (description: string, deployments: JsonObject = {}): JsonObject => ({
      resource: {
        svc_user_group: { readers: { name: "readers", description } },
        ...deployments,
        svc_workbook: {
          sales: {
            deployment: "${data.svc_deployment.main.reference}",
            slug: "sales",
            dashboard: { title: "Sales" },
          },
        },
      },
      data: { svc_deployment: { main: { name: "main", depends_on: ["svc_user_group.readers"] } } },
    });
    await apply(blocks("first"));
    await workspace.write(providerConfiguration(blocks("second")));
    expect(await actions()).toEqual({
      "data.svc_deployment.main": ["read"],
      "svc_user_group.readers": ["update"],
      "svc_workbook.sales": ["no-op"],
    });
    expect(await workspace.run("apply", "saved.plan")).toMatchObject({ code: 0 });
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    const own = { svc_deployment: { own: { name: "own", region: "aws-eu-central-1" } } };
    await workspace.write(providerConfiguration(blocks("third", own)));
    const { output } = await workspace.run("plan");
    expect(output).toContain("The address of this Workbook changes");
    expect(output).toContain("# svc_workbook.sales must be replaced");
  });

  it("of a reference that turns out to be another one are named by a warning, and the next plan replaces", async () => {
    const own = { own: { name: "own", region: "aws-eu-central-1" } };
    const blocks = (name: string, title = "Sales"): JsonObject => ({
      resource: {
        svc_deployment: own,
        terraform_data: { name: { input: name, triggers_replace: name } },
        svc_workbook: {
          sales: {
            deployment: `${built}name.output}`,
            slug: "sales",
            dashboard: { title },
            depends_on: ["svc_deployment.own"],
          },
        },
      },
    });
    await apply(blocks("main"));
    await workspace.write(providerConfiguration(blocks("own")));
    const first = await workspace.run("apply", "-auto-approve");
    expect(first.output).toContain("A reference is not known before the apply");
    await apply(blocks("main"));
    await workspace.write(providerConfiguration(blocks("own", "Sales of the year")));
    const second = await workspace.run("apply", "-auto-approve");
    expect(second.output).toContain("Provider produced inconsistent final plan");
    expect(second.output).not.toContain("svc_workbook.sales: Modifying");
    expect(await actions()).toMatchObject({ "svc_workbook.sales": ["delete", "create"] });
    await apply(blocks("own", "Sales of the year"));
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("of a reference are written again when the object is replaced by one of its name", async () => {
    await workspace.write(
      providerConfiguration({
        resource: {
          svc_deployment: { own: { name: "own", region: "aws-eu-central-1" } },
          svc_api_key: {
            ci: { name: "ci", deployments: ["${svc_deployment.own.reference}"] },
          },
        },
      }),
    );
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    const replaced = await workspace.run("apply", "-auto-approve", "-replace=svc_deployment.own");
    expect(replaced.output).toContain("Apply complete! Resources: 1 added, 1 changed, 1 destroyed");
    const { output } = await workspace.run("plan", "-detailed-exitcode");
    expect(output).toContain("No changes.");
  });

  it("do not stand for a list that the configuration omits", async () => {
    const blocks = (firstName: string, memberships: JsonObject): JsonObject => ({
      resource: {
        svc_user_group: { team: { name: "team" } },
        svc_user: {
          ada: { email: "ada@svc.localhost", username: "ada", first_name: firstName },
        },
        ...memberships,
      },
    });
    const membership = {
      group: "${svc_user_group.team.reference}",
      user: "${svc_user.ada.reference}",
    };
    const groups = async (): Promise<unknown> => {
      const { output } = await workspace.run("show", "-json");
      const { values } = JSON.parse(output) as {
        values: { root_module: { resources: { address: string; values: JsonObject }[] } };
      };
      const { resources } = values.root_module;
      return resources.find(({ address }) => address === "svc_user.ada")?.values["groups"];
    };
    await apply(blocks("Ada", { svc_group_membership: { one: membership } }));
    expect(await workspace.run("apply", "-refresh-only", "-auto-approve")).toMatchObject({
      code: 0,
    });
    expect(await groups()).toEqual(["team"]);
    await workspace.write(providerConfiguration(blocks("Ada L.", {})));
    expect((await workspace.run("plan")).output).not.toContain("groups");
    await apply(blocks("Ada L.", {}));
    expect(await workspace.run("apply", "-refresh-only", "-auto-approve")).toMatchObject({
      code: 0,
    });
    expect(await groups()).toEqual([]);
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("of a secret leave its version unknown, whether the secret changes or not", async () => {
    const blocks = (input: string, trigger: string): JsonObject => ({
      resource: {
        terraform_data: { secret: { input, triggers_replace: trigger } },
        svc_deployment: { own: { name: "own", region: "aws-eu-central-1" } },
        svc_environment_variable: {
          one: {
            deployment: "${svc_deployment.own.reference}",
            name: "ONE",
            value: `${built}secret.output}`,
          },
        },
      },
    });
    await apply(blocks("first-value", "1"));
    await apply(blocks("first-value", "2"));
    await apply(blocks("second-value", "3"));
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("of a key with a default are not planned as the default, and refinements are no promise", async () => {
    const blocks = (zone: string): JsonObject => ({
      resource: {
        terraform_data: { zone: { input: zone, triggers_replace: zone } },
        svc_deployment: { own: { name: "own", region: "aws-eu-central-1" } },
        svc_workbook: {
          sales: {
            deployment: "${svc_deployment.own.reference}",
            slug: "sales",
            dashboard: { title: "Sales" },
          },
        },
        svc_notification: {
          daily: {
            deployment: "${svc_deployment.own.reference}",
            workbook: "${svc_workbook.sales.reference}",
            schedule: "0 8 * * 1",
            timezone: `Europe/${built}zone.output}`,
          },
        },
      },
    });
    await apply(blocks("Berlin"));
    await apply(blocks("Paris"));
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });
});
