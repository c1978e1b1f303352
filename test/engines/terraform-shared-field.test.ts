// Tests two resources of one configuration that declare one field of a live object: refused in the plan.
import { afterEach, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Doc } from "../support/test-stack.ts";
import {
  configurationFor,
  describeWithEngines,
  makeWorkspace,
  providerConfiguration,
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

describeWithEngines("a field that two resources declare", (engine) => {
  let service: TestService;
  let workspace: Workspace;
  beforeEach(async () => {
    service = await startService();
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    workspace = await makeWorkspace(engine, env);
  });
  afterEach(async () => {
    await workspace.dispose();
    await service.close();
  });

  const refusal = async (configuration: JsonObject, command: string): Promise<string> => {
    await workspace.write(configuration);
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    const { code, output } = await workspace.run(
      command,
      ...(command === "apply" ? ["-auto-approve"] : []),
    );
    expect(code).toBe(1);
    return output.replaceAll(/[\s│]+/g, " ");
  };

  it("is refused if they set different values", async () => {
    expect(await refusal(configurationFor(documents("Berlin")), "apply")).toContain(
      "EmbedUser/acme-stores/jane-1 sets the same field to another value.",
    );
  });

  it("is refused in the plan if one is the list and the other an entry of it", async () => {
    const blocks = (groups: JsonObject): JsonObject =>
      providerConfiguration({
        resource: {
          svc_user_group: { team: { name: "team" } },
          svc_user: { ada: { email: "ada@svc.localhost", username: "ada", ...groups } },
          svc_group_membership: {
            one: {
              group: "team",
              user: "ada@svc.localhost",
              depends_on: ["svc_user_group.team", "svc_user.ada"],
            },
          },
        },
      });
    expect(await refusal(blocks({ groups: [] }), "plan")).toContain(
      "GroupMembership/team/ada@svc.localhost is an entry of groups of User/ada@svc.localhost, which replaces all entries.",
    );
    await workspace.write(blocks({}));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    expect(await workspace.run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(await refusal(blocks({ groups: ["team"] }), "plan")).toContain(
      "Two resources declare one field",
    );
  });
});
