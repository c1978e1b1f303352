// Lists the existing objects of a fuzzed service, by the names of the members that refer to them.
import type { KnownValues } from "../support/arbitrary-values.ts";
import type { TestService } from "../support/test-service.ts";

interface CreatedObject {
  readonly id: number;
  readonly publicId?: string;
}

const base = "/api/v1";
const attributes = [
  { name: "region", type: "string" },
  { name: "height", type: "number" },
  { name: "tags", type: "string_array" },
];

/**
 * Creates users, groups, attributes and a published dashboard. Returns their names in requests, together with values
 * that have a grammar.
 */
export async function seedFuzzData(service: TestService): Promise<KnownValues> {
  const make = async (path: string, body: object): Promise<CreatedObject> => {
    const answer = await service.send("POST", path, { body });
    if (answer.status !== 200) throw new Error(`preparing ${path}: ${answer.text}`);
    return answer.body as CreatedObject;
  };
  await service.send("PUT", `${base}/tenant/settings`, { body: { scimEnabled: true } });
  const user = await make(`${base}/users`, { email: "eva@example.com", username: "eva" });
  await make(`${base}/user-groups`, { name: "everyone" });
  for (const attribute of attributes) await make(`${base}/user-attributes`, attribute);
  await make(`${base}/embed/generate-session`, {
    deploymentId: 1,
    externalId: "eve@example.com",
    embedTenantName: "globex",
    creatorMode: true,
    groupDefinitions: [{ name: "everyone" }],
    userAttributeDefinitions: attributes,
  });
  const list = await service.send("GET", `${base}/embed-tenants/globex/users`);
  const [embedUser] = (list.body as { items: { id: number }[] }).items;
  const workbook = await make(`${base}/deployments/1/workbooks`, { name: "Known" });
  const dashboard = await make(`${base}/deployments/1/workbooks/${workbook.id}/publish`, {
    workbookId: workbook.id,
    config: { title: "Known" },
  });
  return {
    ...formattedValues,
    deploymentId: [1],
    deploymentIds: [1],
    ownerUserId: [1, user.id],
    userIds: [user.id],
    userId: [1, user.id, String(user.id)],
    internalId: ["eva"],
    email: ["eva@example.com", "Eva@Example.com"],
    externalId: ["eve@example.com", "visitor", "someone@example.com"],
    embedUserId: [embedUser?.id ?? 0],
    embedTenantName: ["globex", "acme-inc", "other"],
    groups: ["everyone"],
    tenantGroups: ["everyone"],
    name: ["everyone", "region", "height", "tags"],
    userAttributeId: ["1", "2", "3"],
    dashboardId: [dashboard.id],
    dashboardPublicId: [dashboard.publicId ?? ""],
    recipientUserId: [1],
    recipientEmail: ["eva@example.com"],
    recipientExternalId: ["eve@example.com"],
    recipientEmbedTenantName: ["globex"],
  };
}

/** Members for which the schema allows more values than the service accepts. */
const formattedValues: KnownValues = {
  region: ["aws-us-east-1"],
  releaseChannelVersion: ["1.2.3", "v1.2.3"],
  timezone: ["UTC", "Europe/Berlin", "Asia/Kathmandu"],
  customCron: ["0 9 * * MON", "*/15 8-18 1,15 * *"],
  slug: ["sales", " Sales.2026 "],
  first: [1, 2, 1000],
};
