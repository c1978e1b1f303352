// `drift` and `why` name who changed an object on the server, from its audit log.
import { expect, it } from "vitest";
import { Secret } from "../../core/secret.ts";
import { drift } from "../../reconciler/verbs/verbs.ts";
import { why } from "../../reconciler/verbs/why.ts";
import { operations } from "../../api/index.ts";
import { auditedObject } from "../../api/audited-object.ts";
import { auditSourceOf, operationsThatChange } from "../../reconciler/verbs/audit-source.ts";
import { kinds } from "../../resources/index.ts";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("names the user, the API key, the time and the operation", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await stack.write([
      { kind: "UserGroup", name: "sellers", spec: { name: "sellers", description: "who sell" } },
    ]);
    await stack.apply();
    const { body: made } = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "laptop" },
    });
    const { token: key } = made as { token: string };
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { id } = (body as { items: { id: number }[] }).items[0] ?? {};
    const change = { key, body: { description: "changed by hand" } };
    await service.send("PATCH", `/api/v1/user-groups/${id}`, change);
    const who =
      /^last changed by admin@svc\.localhost with the API key laptop at \S+Z: updateUserGroup$/;
    const found = await drift(stack.options);
    const notes = found.ok ? found.plan.diagnostics : [];
    expect(notes).toEqual([
      expect.objectContaining({ code: "last-change", summary: expect.stringMatching(who) }),
    ]);
    const explained = await why({ ...stack.options, address: "UserGroup/sellers" });
    const [note] = explained.ok ? explained.explanation.notes : [];
    expect(note).toMatchObject({ code: "last-change", summary: expect.stringMatching(who) });
    await service.send("DELETE", `/api/v1/groups/${id}`, { key });
    const gone = await drift(stack.options);
    expect(gone.ok && gone.plan.diagnostics[0]?.summary).toMatch(
      /^last changed by admin@svc\.localhost with the API key laptop at \S+Z: deleteGroup$/,
    );
    const limited = { name: "limited", permissions: ["DirectoryRead"] };
    const { body: other } = await service.send("POST", "/api/v1/api-keys", { body: limited });
    const credential = new Secret((other as { token: string }).token);
    const connection = { ...stack.options.connection, credential };
    const blind = await drift({ ...stack.options, connection });
    const [refused] = blind.ok ? blind.plan.diagnostics : [];
    expect(refused?.summary).toContain("AuditLogRead");
  } finally {
    await stack.dispose();
    await service.close();
  }
});

it("names who changed a variable of the deployment, and not one of the same name elsewhere", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const deployment = { external: "main" };
    const variable = (name: string) => ({
      kind: "EnvironmentVariable",
      name: name.toLowerCase(),
      spec: { deployment, name, value: "EMEA" },
    });
    await stack.write([variable("REGION"), variable("CITY")]);
    await stack.apply();
    const other = { name: "other", region: "aws-us-east-1" };
    await service.send("POST", "/build/api/v1/deployments", { body: other });
    const { body } = await service.send("POST", "/api/v1/api-keys", { body: { name: "laptop" } });
    const { token: key } = body as { token: string };
    const change = { env_variables: [{ name: "REGION", value: "APAC" }] };
    const path = (id: number) => `/api/v1/deployments/${id}/env-vars`;
    await service.send("PUT", path(1), { key, body: change });
    await service.send("PUT", path(2), { body: change });
    const changed = await drift(stack.options);
    const summaries = changed.ok ? changed.plan.diagnostics.map(({ summary }) => summary) : [];
    expect(summaries).toEqual([
      expect.stringMatching(/^last changed by \S+ with the API key laptop at \S+Z: setVariables$/u),
    ]);
    await service.send("DELETE", `${path(1)}/REGION`, { key });
    const gone = await drift(stack.options);
    expect(gone.ok && gone.plan.diagnostics[0]?.summary).toMatch(/laptop at \S+: deleteVariable$/u);
  } finally {
    await stack.dispose();
    await service.close();
  }
});

it("asks for every item under the type that its operations are recorded with", () => {
  const others = kinds
    .filter(({ shape }) => shape === "item")
    .flatMap((kind) => {
      const source = auditSourceOf(kind, kinds);
      const recordedTypes = operationsThatChange(kind).flatMap((operation) => {
        const isCollection = operations.some(({ path }) => path.startsWith(`${operation.path}/{`));
        const { type } = auditedObject(operation, isCollection);
        return type === source?.objectType ? [] : [`${operation.id}: ${type}`];
      });
      return recordedTypes.map((recorded) => `${kind.name} ${recorded}`);
    });
  // Operations on several objects, or on a part of one.
  expect(others).toMatchInlineSnapshot(`
    [
      "Branch deleteBranch: deployments",
      "Branch createBranch: deployments",
      "StagingEnvironment setStagingEnvironment: deployments",
      "User replaceUserAttributeValues: user-attribute-values",
      "EmbedTenant generateSession: generate-session",
      "EmbedGroup generateSession: generate-session",
      "EmbedUserAttribute generateSession: generate-session",
      "EmbedUser provisionEmbedUser: embed-tenants",
      "EmbedUser generateSession: generate-session",
      "Folder moveWorkspaceItem: deployments",
      "Workbook moveWorkspaceItem: deployments",
      "Report moveWorkspaceItem: deployments",
    ]
  `);
});

it("names no change of what the audit log records under another object", () => {
  const unnamed = kinds.filter((kind) => auditSourceOf(kind, kinds) === undefined);
  expect(unnamed.map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "Branch",
      "StagingEnvironment",
      "RoleAssignment",
      "GroupMembership",
      "DeploymentAccess",
      "DeploymentUserAccess",
      "DeploymentAllUsersAccess",
      "UserAttributeValue",
      "EmbedGroupMembership",
      "FolderAccess",
      "FolderUserAccess",
      "FolderAllUsersAccess",
      "WorkbookAccess",
      "WorkbookUserAccess",
      "WorkbookAllUsersAccess",
      "DashboardEmbedAccess",
      "AllTenantsEmbedAccess",
      "ReportAccess",
      "ReportUserAccess",
      "ReportAllUsersAccess",
      "NotificationRecipient",
      "NotificationEmbedRecipient",
    ]
  `);
});
