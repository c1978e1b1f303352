// Tests whole stacks: user programs on the real SDK and the real provider.
import type * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import * as svc from "../../../../provider/pulumi/sdk/index.ts";
import { unwrapSecrets } from "../../../../provider/pulumi/property-values.ts";
import { liveState } from "../../../support/live-state.ts";
import { companyProgram, companyResources } from "../../../engines/pulumi/sample-program.ts";
import { setUpStackFixture } from "../../../engines/pulumi/stack-fixture.ts";
import { stepNames } from "../../../engines/pulumi/step-names.ts";
import { describeWithEngines } from "../../../engines/pulumi/each-engine.ts";

describeWithEngines("a stack", (open) => {
  const fixture = setUpStackFixture(open);

  it("is previewed, created, unchanged, updated, replaced with its dependents, and destroyed", async () => {
    const { engine, service, initialState: bare } = fixture;
    const preview = await engine.preview(companyProgram());
    expect(stepNames(preview)).toEqual(companyResources.map((name) => `create ${name}`));
    expect(await liveState(service)).toEqual(bare);

    const result = await engine.up(companyProgram());
    expect(stepNames(result)).toEqual(companyResources.map((name) => `create ${name}`));
    expect(unwrapSecrets(result.outputs["url"] ?? null)).toMatch(/^https?:/);
    expect(await fixture.createdAddresses()).toHaveLength(companyResources.length);

    expect(stepNames(await engine.preview(companyProgram()))).toEqual([]);
    expect(stepNames(await engine.up(companyProgram()))).toEqual([]);

    const changed = await engine.up(companyProgram({ display: "Acme Stores" }));
    expect(stepNames(changed)).toEqual(["update acme"]);
    expect(changed.steps[0]?.detailed).toEqual({ displayName: "UPDATE" });

    const renamed = companyProgram({ tenant: "acme-retail", display: "Acme Stores" });
    const planned = stepNames(await engine.preview(renamed));
    expect(stepNames(await engine.up(renamed))).toEqual(planned);
    expect(planned).toEqual([
      "delete acme",
      "delete buyers",
      "delete directors",
      "replace acme",
      "replace buyers",
      "replace directors",
    ]);
    expect(await fixture.createdAddresses()).toContain("EmbedGroup/acme-retail/buyers");
    expect(await fixture.createdAddresses()).not.toContain("EmbedTenant/acme-stores");

    await engine.destroy();
    expect(await liveState(service)).toEqual(bare);
    expect(await engine.resources()).toEqual([]);
  });

  it("gives a key access to the deployment that replaces its own under the same name", async () => {
    const { engine, service } = fixture;
    const program = (region: string) => async (): Promise<Record<string, never>> => {
      const options = { replaceOnChanges: ["region"] };
      const production = new svc.Deployment("production", { name: "production", region }, options);
      new svc.ApiKey("ci", { name: "ci", deployments: [production.name] });
      return {};
    };
    await engine.up(program("aws-us-east-1"));
    expect(stepNames(await engine.up(program("aws-eu-central-1")))).toEqual([
      "delete production",
      "replace production",
      "update ci",
    ]);
    const scopes = await service.db.selectFrom("api_key_deployments").selectAll().execute();
    expect(scopes).toHaveLength(1);
    expect(stepNames(await engine.up(program("aws-eu-central-1")))).toEqual([]);
  });

  it("passes a generated secret to other resources and masks it everywhere", async () => {
    const { engine, service } = fixture;
    const program = async (): Promise<{ token: pulumi.Output<string> }> => {
      const ci = new svc.ApiKey("ci", { name: "ci" });
      const value = ci.token;
      new svc.EnvironmentVariable("ci-key", { deployment: "main", name: "CI_KEY", value });
      return { token: value };
    };
    const { outputs, errors } = await engine.up(program);
    expect(errors).toEqual([]);
    const token = unwrapSecrets(outputs["token"] ?? null) as string;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${service.url}/api/v1/users/me`, { headers })).status).toBe(200);
    await engine.refresh();
    expect(stepNames(await engine.up(program))).toEqual([]);
    expect(await engine.allText()).not.toContain(token);
  });

  it("keeps the objects below a deployment that is renamed by the program or outside it", async () => {
    const { engine, service, proxy } = fixture;
    await engine.up(companyProgram());
    const token = async (): Promise<unknown> =>
      (await engine.resources()).find(({ name }) => name === "token")?.state["deploymentId"];
    const before = await token();
    const renamed = companyProgram({ deployment: "renamed" });
    const planned = stepNames(await engine.preview(renamed));
    expect(planned).toEqual(["update production", "update token"]);
    proxy.arm();
    expect(stepNames(await engine.up(renamed))).toEqual(planned);
    // The variable is renamed with it: only the name is written.
    expect(proxy.writes().map(({ method }) => method)).toEqual(["PUT"]);
    expect(await token()).toEqual(before);
    expect(stepNames(await engine.up(renamed))).toEqual([]);
    await service.send("PUT", `/api/v1/deployments/${String(before)}`, {
      body: { name: "by-hand" },
    });
    expect(stepNames(await engine.refresh())).toEqual(["update production", "update token"]);
    expect(stepNames(await engine.up(renamed))).toEqual(planned);
    expect(await fixture.createdAddresses()).toContain("EnvironmentVariable/renamed/API_TOKEN");
    expect(stepNames(await engine.up(renamed))).toEqual([]);
  });

  it("warns in the preview about references that do not exist, and not about planned ones", async () => {
    const { engine } = fixture;
    const missing = await engine.preview(async () => {
      new svc.EmbedGroup("directors", { embedTenant: "no-such-tenant", name: "directors" });
    });
    expect(stepNames(missing)).toEqual(["create directors"]);
    expect(missing.warnings.join()).toMatch(/EmbedTenant "no-such-tenant" does not exist/);
    const { errors, warnings } = await engine.preview(companyProgram());
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
    await engine.up(companyProgram());
    const later = await engine.preview(async () => {
      await companyProgram()();
      new svc.EmbedGroup("extra", { embedTenant: "acme-stores", name: "extra" });
    });
    expect(later.warnings).toEqual([]);
  });

  it("warns in the preview of an update about new references that do not exist", async () => {
    const { engine } = fixture;
    const program = (groups: readonly string[], schedules: readonly string[]) => async () => {
      const analysts = new svc.UserGroup("analysts", { name: "analysts" });
      const ada = { username: "ada", email: "ada@example.com", groups: [...groups] };
      new svc.User("ada", ada, { dependsOn: [analysts] });
      const inPlace = { deployment: "main", name: "Sales", dashboard: { title: "x" } };
      const sales = new svc.Workbook("sales", { ...inPlace, slug: "sales" });
      const weekly = { deployment: "main", workbook: "sales", schedule: "0 9 * * 1" };
      const report = new svc.Notification("weekly", weekly, { dependsOn: [sales] });
      for (const schedule of schedules) {
        const notification = `sales/${encodeURIComponent(schedule)}/UTC`;
        const to = { deployment: "main", notification, user: "admin@svc.localhost" };
        new svc.NotificationRecipient(`to ${schedule}`, to, { dependsOn: [report] });
      }
    };
    const first = await engine.preview(program(["analysts"], ["0 9 * * 1"]));
    expect([first.errors, first.warnings]).toEqual([[], []]);
    await engine.up(program(["analysts"], []));
    const missing = await engine.preview(program(["analysts", "gone"], ["0 9 * * 1", "0 8 * * 1"]));
    const named = missing.warnings.map((text) => /(\w+ ".*") does not exist/.exec(text)?.[1]);
    expect(new Set(named)).toEqual(
      new Set([`Notification "sales/${encodeURIComponent("0 8 * * 1")}/UTC"`, 'UserGroup "gone"']),
    );
  });

  it("creates a deleted object again after a refresh has detected it", async () => {
    const { engine, service } = fixture;
    await engine.up(companyProgram());
    await service.send("DELETE", "/api/v1/deployments/2");
    expect(stepNames(await engine.refresh())).toEqual(["delete production", "delete token"]);
    expect(stepNames(await engine.up(companyProgram()))).toEqual([
      "create production",
      "create token",
    ]);
    expect(stepNames(await engine.up(companyProgram()))).toEqual([]);
  });

  it("shows changes made outside the program and reverts them", async () => {
    const { engine, service } = fixture;
    const program = async (): Promise<void> => {
      new svc.UserGroup("readers", { name: "readers", description: "May read." });
      new svc.UserGroup("writers", { name: "writers", description: "May write." });
      const acme = new svc.EmbedTenant("acme", { name: "acme-stores", displayName: "Acme" });
      new svc.EmbedGroup("directors", { embedTenant: acme.name, name: "directors" });
    };
    await engine.up(program);
    const desired = await liveState(service);
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { items } = body as { items: { id: number; name: string }[] };
    const { id } = items.find(({ name }) => name === "readers") ?? { id: 0 };
    const byHand = { name: "readers", description: "Edited in a hurry." };
    await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: byHand });
    const seen = await engine.refresh();
    expect(stepNames(seen)).toEqual(["update readers"]);
    expect(seen.steps[0]?.detailed).toEqual({ description: "UPDATE" });
    const planned = await engine.preview(program);
    expect(stepNames(planned)).toEqual(["update readers"]);
    expect(planned.steps[0]?.detailed).toEqual({ description: "UPDATE" });
    expect(stepNames(await engine.up(program))).toEqual(["update readers"]);
    expect(await liveState(service)).toEqual(desired);
    expect(stepNames(await engine.refresh())).toEqual([]);
  });

  it("keeps secrets out of state and messages, and detects changed ones", async () => {
    const { engine, service } = fixture;
    await engine.up(companyProgram());
    const changed = await engine.up(companyProgram({ secret: "correct horse" }));
    expect(stepNames(changed)).toEqual(["update token"]);
    await engine.refresh();
    const everything = await engine.allText();
    for (const secret of ["hunter2", "correct horse", service.adminKey]) {
      expect(everything).not.toContain(secret);
    }
  });
});
