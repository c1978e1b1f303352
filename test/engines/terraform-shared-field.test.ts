// Tests two resources of one configuration that set the email of one external user: the owner's value stays, and no apply
// reverts another.
import { afterEach, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import type { Doc } from "../support/test-stack.ts";
import {
  configurationFor,
  describeWithEngines,
  makeWorkspace,
  type Workspace,
} from "./terraform-workspace.ts";

const owned = "jane@acme.example";
const documents = (store: string): readonly Doc[] => [
  { kind: "Deployment", name: "shop", spec: { name: "shop", region: "aws-us-east-1" } },
  { kind: "EmbedTenant", name: "acme", spec: { name: "acme-stores" } },
  {
    kind: "EmbedUser",
    name: "jane",
    spec: { embedTenant: "acme", externalId: "jane-1", email: owned },
  },
  {
    kind: "Workbook",
    name: "sales",
    spec: { deployment: "shop", slug: "sales", name: "Sales", dashboard: { title: "Sales" } },
  },
  {
    kind: "Notification",
    name: "weekly",
    spec: { deployment: "shop", workbook: "sales", schedule: "0 9 * * 1" },
  },
  {
    kind: "NotificationEmbedRecipient",
    name: "weekly-jane",
    spec: {
      deployment: "shop",
      notification: "weekly",
      embedTenant: "acme",
      externalId: "jane-1",
      email: "reports@acme.example",
      securityContext: { store },
    },
  },
];

describeWithEngines("a field that two resources set", (engine) => {
  let service: TestService;
  let workspace: Workspace;
  beforeEach(async () => {
    service = await startService();
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    workspace = await makeWorkspace(engine, env);
    await workspace.write(configurationFor(documents("Berlin")));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
  });
  afterEach(async () => {
    await workspace.dispose();
    await service.close();
  });

  const apply = async () =>
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
  const plan = async () => (await workspace.run("plan", "-detailed-exitcode")).code;
  const email = async (): Promise<unknown> => {
    const { body } = await service.send("GET", "/api/v1/embed-tenants/acme-stores/users");
    const { items } = body as { items: readonly { externalId: string; email?: string }[] };
    return items.find(({ externalId }) => externalId === "jane-1")?.email;
  };

  it("belongs to the resource of the object, and settles after one more apply", async () => {
    await apply();
    await apply();
    expect([await plan(), await email()]).toEqual([0, owned]);
    await workspace.write(configurationFor(documents("Bremen")));
    await apply();
    expect([await plan(), await email()]).toEqual([0, owned]);
  });
});
