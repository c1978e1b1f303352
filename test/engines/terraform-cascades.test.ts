// Deletes that the server cascades, with real Terraform: planned again if the configuration owns them, else named and refused.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { TestService } from "../support/test-service.ts";
import { setUpTerraformFixture } from "./terraform-fixture.ts";
import {
  describeWithEngines,
  providerConfiguration,
  type Workspace,
} from "./terraform-workspace.ts";

describeWithEngines("cascades", (engine) => {
  let service: TestService;
  let workspace: Workspace;
  setUpTerraformFixture(engine, (fixture) => {
    ({ service, workspace } = fixture);
  });

  const apply = async (resource: JsonObject): Promise<void> => {
    await workspace.write(providerConfiguration({ resource }));
    const { code, output } = await workspace.run("apply", "-auto-approve");
    expect(code === 0 ? "" : output).toBe("");
  };
  const groupsPath = "/api/v1/embed-tenants/acme-stores/groups";
  const tenant = { svc_embed_tenant: { acme: { name: "acme-stores" } } };
  const group = (name: string): JsonObject => ({
    svc_embed_group: { own: { embed_tenant: "${svc_embed_tenant.acme.name}", name } },
  });

  it("of a replaced embed user to its recipient and its memberships are in the plan", async () => {
    await apply({
      ...tenant,
      ...group("readers"),
      svc_embed_user: {
        jane: {
          embed_tenant: "${svc_embed_tenant.acme.name}",
          external_id: "jane",
          email: "jane@acme.example",
        },
      },
      svc_embed_group_membership: {
        jane: {
          embed_tenant: "${svc_embed_tenant.acme.name}",
          group: "${svc_embed_group.own.name}",
          user: "${svc_embed_user.jane.external_id}",
        },
      },
      svc_workbook: {
        sales: { deployment: "main", slug: "sales", dashboard: { title: "Sales" } },
      },
      svc_notification: {
        weekly: {
          deployment: "main",
          timezone: "UTC",
          workbook: "${svc_workbook.sales.reference}",
          schedule: "0 9 * * 1",
        },
      },
      svc_notification_embed_recipient: {
        jane: {
          deployment: "main",
          notification: "${svc_notification.weekly.reference}",
          embed_tenant: "${svc_embed_user.jane.embed_tenant}",
          external_id: "${svc_embed_user.jane.external_id}",
        },
      },
    });
    const { output } = await workspace.run(
      "apply",
      "-auto-approve",
      "-replace=svc_embed_user.jane",
    );
    expect(output).toContain("Plan: 3 to add, 0 to change, 3 to destroy");
    expect(output).toContain("Apply complete! Resources: 3 added, 0 changed, 3 destroyed");
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("are not seen in a rename and a new object under the former name", async () => {
    const region = "aws-us-east-1";
    const workbook = {
      svc_workbook: {
        sales: {
          deployment: "${svc_deployment.old.reference}",
          slug: "sales",
          dashboard: { title: "Sales" },
        },
      },
    };
    await apply({ svc_deployment: { old: { name: "blue", region } }, ...workbook });
    const fresh = { name: "blue", region, depends_on: ["svc_deployment.old"] };
    const svcDeployment = { old: { name: "green", region }, fresh };
    await workspace.write(
      providerConfiguration({ resource: { svc_deployment: svcDeployment, ...workbook } }),
    );
    const { output } = await workspace.run("apply", "-auto-approve");
    expect(output).toContain("Apply complete! Resources: 1 added, 2 changed, 0 destroyed");
  });

  it("by reference are refused, also after the object was renamed by hand", async () => {
    const region = "aws-us-east-1";
    const deployment = { svc_deployment: { own: { name: "own", region } } };
    const workbook = {
      svc_workbook: { sales: { deployment: "main", slug: "sales", dashboard: { title: "S" } } },
    };
    await apply({ ...deployment, ...workbook });
    const { body } = await service.send("GET", "/api/v1/deployments");
    const all = (body as { items: readonly { id: number; name: string }[] }).items;
    const idOf = (name: string): number | undefined => all.find((one) => one.name === name)?.id;
    const state = await workspace.run("show", "-json");
    const publicId = /"public_id":"([^"]+)"/u.exec(state.output)?.[1];
    const notification = { scheduleType: "DAILY", dashboardPublicId: publicId };
    const path = `/api/v1/deployments/${idOf("main")}/notifications`;
    expect((await service.send("POST", path, { body: notification })).status).toBeLessThan(300);
    const folders = `/api/v1/deployments/${idOf("own")}/folders`;
    expect((await service.send("POST", folders, { body: { name: "Theirs" } })).status).toBe(200);
    const renamed = { body: { name: "by-hand" } };
    await service.send("PUT", `/api/v1/deployments/${idOf("own")}`, renamed);
    const { output } = await workspace.run("destroy", "-auto-approve", "-refresh=false");
    expect(output).toContain("contains 1 Notification");
    expect(output).toContain("contains 1 Folder (by-hand/Theirs)");
  });

  it("to objects of others are named in the plan, and refused at apply without allow_cascade", async () => {
    await apply({ ...tenant, ...group("readers") });
    for (const name of ["east", "west"]) await service.send("POST", groupsPath, { body: { name } });

    const renamed = { svc_embed_tenant: { acme: { name: "acme-retail" } } };
    await workspace.write(providerConfiguration({ resource: { ...renamed, ...group("readers") } }));
    const planned = await workspace.run("plan");
    expect(planned.output).toContain("EmbedTenant/acme-stores is deleted with what is inside");
    expect(planned.output).toContain("acme-stores/east");

    const destroyed = await workspace.run("destroy", "-auto-approve");
    expect(destroyed.code).toBe(1);
    expect(destroyed.output).toContain("2 EmbedGroup (acme-stores/east, acme-stores/west)");
    expect(destroyed.output).toContain("allow_cascade");
    const groups = await service.send("GET", groupsPath);
    expect(groups.body).toMatchObject({ items: [{ name: "west" }, { name: "east" }] });

    await workspace.write(providerConfiguration({ provider: { svc: { allow_cascade: true } } }));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect((await service.send("GET", "/api/v1/embed-tenants")).body).toMatchObject({ items: [] });
  });
});
