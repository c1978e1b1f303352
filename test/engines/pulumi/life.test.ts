// Real programs of users on the real SDK and the real provider: whole lives of stacks.
import type * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { opened } from "../../../provider/pulumi/values.ts";
import { liveState } from "../../support/live.ts";
import { company, everyone } from "./company.ts";
import { setStage } from "./scene.ts";
import { steps } from "./steps.ts";
import { underEngines } from "./under.ts";

underEngines("a stack", (open) => {
  const stage = setStage(open);

  it("is previewed, made, left alone, changed, replaced with what depends on it, and destroyed", async () => {
    const { engine, service, bare } = stage;
    const preview = await engine.preview(company());
    expect(steps(preview)).toEqual(everyone.map((name) => `create ${name}`));
    expect(await liveState(service)).toEqual(bare);

    const made = await engine.up(company());
    expect(steps(made)).toEqual(everyone.map((name) => `create ${name}`));
    expect(opened(made.outputs["url"] ?? null)).toMatch(/^https?:/);
    expect(await stage.made()).toHaveLength(everyone.length);

    expect(steps(await engine.preview(company()))).toEqual([]);
    expect(steps(await engine.up(company()))).toEqual([]);

    const changed = await engine.up(company({ display: "Acme Stores" }));
    expect(steps(changed)).toEqual(["update acme"]);
    expect(changed.steps[0]?.detailed).toEqual({ displayName: "UPDATE" });

    const renamed = company({ tenant: "acme-retail", display: "Acme Stores" });
    const planned = steps(await engine.preview(renamed));
    expect(steps(await engine.up(renamed))).toEqual(planned);
    expect(planned).toEqual([
      "delete acme",
      "delete buyers",
      "delete directors",
      "replace acme",
      "replace buyers",
      "replace directors",
    ]);
    expect(await stage.made()).toContain("EmbedGroup/acme-retail/buyers");
    expect(await stage.made()).not.toContain("EmbedTenant/acme-stores");

    await engine.destroy();
    expect(await liveState(service)).toEqual(bare);
    expect(await engine.kept()).toEqual([]);
  });

  it("hands a secret that the service mints to other resources, and shows it nowhere", async () => {
    const { engine, service } = stage;
    const program = async (): Promise<{ token: pulumi.Output<string> }> => {
      const ci = new svc.ApiKey("ci", { name: "ci" });
      const value = ci.token;
      new svc.EnvironmentVariable("ci-key", { deployment: "main", name: "CI_KEY", value });
      return { token: value };
    };
    const { outputs, errors } = await engine.up(program);
    expect(errors).toEqual([]);
    const token = opened(outputs["token"] ?? null) as string;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${service.url}/api/v1/users/me`, { headers })).status).toBe(200);
    await engine.refresh();
    expect(steps(await engine.up(program))).toEqual([]);
    expect(await engine.everything()).not.toContain(token);
  });

  it("keeps what lies below a deployment that is renamed, by the program or by somebody else", async () => {
    const { engine, service, proxy } = stage;
    await engine.up(company());
    const token = async (): Promise<unknown> =>
      (await engine.kept()).find(({ name }) => name === "token")?.state["deploymentId"];
    const before = await token();
    const renamed = company({ deployment: "renamed" });
    const planned = steps(await engine.preview(renamed));
    expect(planned).toEqual(["update production", "update token"]);
    proxy.arm();
    expect(steps(await engine.up(renamed))).toEqual(planned);
    // The variable went along: nothing but the name was written.
    expect(proxy.writes().map(({ method }) => method)).toEqual(["PUT"]);
    expect(await token()).toEqual(before);
    expect(steps(await engine.up(renamed))).toEqual([]);
    await service.send("PUT", `/api/v1/deployments/${String(before)}`, {
      body: { name: "by-hand" },
    });
    expect(steps(await engine.refresh())).toEqual(["update production", "update token"]);
    expect(steps(await engine.up(renamed))).toEqual(planned);
    expect(await stage.made()).toContain("EnvironmentVariable/renamed/API_TOKEN");
    expect(steps(await engine.up(renamed))).toEqual([]);
  });

  it("makes again what somebody deleted, once a refresh has seen it", async () => {
    const { engine, service } = stage;
    await engine.up(company());
    await service.send("DELETE", "/api/v1/deployments/2");
    expect(steps(await engine.refresh())).toEqual(["delete production", "delete token"]);
    expect(steps(await engine.up(company()))).toEqual(["create production", "create token"]);
    expect(steps(await engine.up(company()))).toEqual([]);
  });

  it("shows what somebody changed by hand, as it moved away, and puts it back", async () => {
    const { engine, service } = stage;
    const program = async (): Promise<void> => {
      new svc.UserGroup("readers", { name: "readers", description: "May read." });
      new svc.UserGroup("writers", { name: "writers", description: "May write." });
      new svc.EmbedTenant("acme", { name: "acme-stores", displayName: "Acme" });
      new svc.EmbedGroup("directors", { embedTenant: "acme-stores", name: "directors" });
    };
    await engine.up(program);
    const wished = await liveState(service);
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { items } = body as { items: { id: number; name: string }[] };
    const { id } = items.find(({ name }) => name === "readers") ?? { id: 0 };
    const byHand = { name: "readers", description: "Edited in a hurry." };
    await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: byHand });
    const seen = await engine.refresh();
    expect(steps(seen)).toEqual(["update readers"]);
    expect(seen.steps[0]?.detailed).toEqual({ description: "UPDATE" });
    const planned = await engine.preview(program);
    expect(steps(planned)).toEqual(["update readers"]);
    expect(planned.steps[0]?.detailed).toEqual({ description: "UPDATE" });
    expect(steps(await engine.up(program))).toEqual(["update readers"]);
    expect(await liveState(service)).toEqual(wished);
    expect(steps(await engine.refresh())).toEqual([]);
  });

  it("keeps secrets out of state and messages, and sees that one changed", async () => {
    const { engine, service } = stage;
    await engine.up(company());
    const changed = await engine.up(company({ secret: "correct horse" }));
    expect(steps(changed)).toEqual(["update token"]);
    await engine.refresh();
    const everything = await engine.everything();
    for (const secret of ["hunter2", "correct horse", service.adminKey]) {
      expect(everything).not.toContain(secret);
    }
  });
});
