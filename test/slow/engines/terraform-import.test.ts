// Tests imports of existing objects of every kind: the configuration that Terraform generates has an empty plan.
import { afterAll, beforeAll, expect, it } from "vitest";
import { keyOf } from "../../../core/kind/identity.ts";
import type { JsonObject } from "../../../core/json.ts";
import { normalize } from "../../../core/spec/normalize.ts";
import { terraformType } from "../../../core/text/naming.ts";
import { everyKind, prepareAccount } from "../../support/every-kind.ts";
import { scimClient } from "../../support/scim-client.ts";
import { liveState } from "../../support/live-state.ts";
import { resolveReferences } from "../../../scripts/resolve-references.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { makeStack } from "../../support/test-stack.ts";
import {
  makeWorkspace,
  providerConfiguration,
  describeWithEngines,
  type Workspace,
} from "../../engines/terraform-workspace.ts";

describeWithEngines("import", (engine) => {
  let service: TestService;
  let workspace: Workspace;

  beforeAll(async () => {
    service = await startService();
    await prepareAccount(service);
    const stack = await makeStack({ url: service.url, key: service.adminKey });
    await stack.write(everyKind);
    await stack.apply();
    await stack.dispose();
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    workspace = await makeWorkspace(engine, env);
    await workspace.write(providerConfiguration());
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await workspace?.dispose();
    await service?.close();
  });

  it("imports every kind, with a generated configuration and an empty plan", async () => {
    const before = await liveState(service);
    // The configuration that Terraform generates declares whole lists, beside which no entry may be declared.
    const blocks = resolveReferences(everyKind)
      .filter(({ kind }) => kind.entryOf === undefined)
      .map(({ kind, name, spec }) => ({
        to: `${terraformType(kind.name)}.${name}`,
        id: keyOf(kind, normalize(kind, spec)),
      }));
    await workspace.write(providerConfiguration({ import: blocks }));
    const generated = await workspace.run("plan", "-generate-config-out=generated.tf");
    expect(generated.output).toContain(
      `Plan: ${blocks.length} to import, 0 to add, 0 to change, 0 to destroy`,
    );
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(await liveState(service)).toEqual(before);
    // An import does not pin fields that the server manages: a new version of the channel is no change.
    await service.db.updateTable("deployments").set({ version: "1.6.5" }).execute();
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("reports an invalid import id and a missing object", async () => {
    const wrong = await workspace.run("import", "svc_embed_group.other", "a/b/c");
    expect(wrong.code).toBe(1);
    await workspace.write(
      providerConfiguration({
        import: [{ to: "svc_embed_group.other", id: "acme-stores/unknown" }],
        resource: { svc_embed_group: { other: { embed_tenant: "acme-stores", name: "unknown" } } },
      }),
    );
    const missing = await workspace.run("plan");
    expect(missing.code).toBe(1);
    expect(missing.output).toContain("EmbedGroup acme-stores/unknown does not exist");
  });

  it("refuses in a plan to change a user that an identity provider manages", async () => {
    await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
    const email = "ann@corp.example";
    await scimClient(() => service).createUser({ userName: email, displayName: "Ann" });
    const plan = async (more: JsonObject) => {
      const ann = { email, username: email, ...more };
      const blocks = [{ to: "svc_user.ann", id: email }];
      const resource = { svc_user: { ann } };
      await workspace.write(providerConfiguration({ import: blocks, resource }));
      return workspace.run("plan");
    };
    const refused = await plan({ first_name: "Bo" });
    expect(refused.code).toBe(1);
    expect(refused.output.replaceAll(/[\s│]+/gu, " ")).toContain(
      `the identity provider (SCIM) manages firstName of User ${email}. Make the change there`,
    );
    expect(await plan({ first_name: "Ann", is_admin: true })).toMatchObject({ code: 0 });
  });
});
