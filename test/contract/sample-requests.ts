// Provides one successful request for each operation, for tests of all operations.
import { accountSamples } from "./account-samples.ts";
import { accessSamples } from "./access-samples.ts";
import { bulkSamples } from "./bulk-samples.ts";
import { commentSamples } from "./comment-samples.ts";
import { contentSamples } from "./content-samples.ts";
import { exportSamples } from "./export-samples.ts";
import type { TestService } from "../support/test-service.ts";
import { type PrepareSample, type Sample, sampleAfter, sampleOfRemoval } from "./sample.ts";
import { scimSamples } from "./scim-samples.ts";
import { sessionSamples } from "./session-samples.ts";
import { stateSamples } from "./state-samples.ts";
import { gitSamples } from "./git-samples.ts";
import { syncSamples } from "./sync-samples.ts";
import { dataModelSamples } from "./data-model-samples.ts";

const base = "/api/v1";
const tenant = `${base}/embed-tenants/acme-inc`;
const variablesPath = `${base}/deployments/1/env-vars`;
const visitor = { externalId: "visitor", email: "visitor@example.com" };

/** Samples by operation id. A new operation only needs an entry here. */
export const samples: Readonly<Record<string, PrepareSample>> = {
  ...accountSamples,
  ...accessSamples,
  ...bulkSamples,
  ...commentSamples,
  ...contentSamples,
  ...dataModelSamples,
  ...exportSamples,
  ...gitSamples,
  ...syncSamples,
  ...scimSamples,
  ...sessionSamples,
  ...stateSamples,
  getDeployments: async () => ({ path: `${base}/deployments?first=2&creationStep=project` }),
  getDeployment: async () => ({ path: `${base}/deployments/1` }),
  createDeployment: async () => ({
    path: "/build/api/v1/deployments",
    body: { name: "second", region: "aws-us-east-1", isManaged: null },
  }),
  updateDeployment: async () => ({
    path: `${base}/deployments/1`,
    body: {
      name: "main",
      template: "single",
      releaseChannel: "latest",
      releaseChannelVersionHold: false,
      launchpadTabs: ["home"],
      templateVariables: { currency: "EUR", decimals: 2, gone: null },
      cspsConfig: { enabled: true, storageProvider: "s3", s3Bucket: "extracts" },
      customDomain: "",
    },
  }),
  deleteDeployment: async (service) => ({
    path: `${base}/deployments/${await deployment(service)}`,
  }),
  getDeploymentSettings: async () => ({ path: `${base}/deployments/1/settings` }),
  listDeploymentVersions: async () => ({ path: `${base}/deployments/1/versions?first=1` }),
  deploymentToken: async () => ({
    path: `${base}/deployments/1/token`,
    body: { expiresIn: 60 },
  }),
  advanceCreationStep: async () => ({
    path: `${base}/deployments/1/creation-step/advance`,
    body: { creationStep: "ready" },
  }),
  resetCreationStep: async () => ({ path: `${base}/deployments/1/creation-step/reset` }),
  listVariables: async (service) => sampleAfter(variable(service), `${variablesPath}?first=1`),
  setVariables: async () => ({
    path: variablesPath,
    body: { env_variables: [{ name: "REGION", value: "EMEA" }] },
  }),
  deleteVariable: async (service) => sampleAfter(variable(service), `${variablesPath}/DB_PASS`),
  listRegions: async () => ({ path: `${base}/regions` }),
  listEmbedTenants: async (service) =>
    sampleAfter(provision(service), `${base}/embed-tenants?search=M`),
  deleteEmbedTenant: async (service) => sampleAfter(provision(service), tenant),
  listEmbedTenantGroups: async (service) => sampleAfter(group(service), `${tenant}/groups?first=1`),
  createEmbedTenantGroup: async (service) => ({
    ...(await sampleAfter(provision(service), `${tenant}/groups`)),
    body: { name: "buyers", description: "who buy" },
  }),
  getEmbedTenantGroup: async (service) => ({ path: `${tenant}/groups/${await group(service)}` }),
  updateEmbedTenantGroup: async (service) => ({
    path: `${tenant}/groups/${await group(service)}`,
    body: { description: "others" },
  }),
  deleteEmbedTenantGroup: async (service) => ({ path: `${tenant}/groups/${await group(service)}` }),
  listEmbedTenantGroupUsers: async (service) => ({ path: await membersPath(service) }),
  addEmbedTenantGroupUsers: async (service) => ({
    path: await membersPath(service),
    body: { members: [{ externalId: "visitor" }] },
  }),
  removeEmbedTenantGroupUsers: async (service) =>
    sampleOfRemoval(service, await membersPath(service), {
      members: [{ externalId: "visitor" }],
    }),
  provisionEmbedUser: async () => ({
    path: `${tenant}/user`,
    body: { ...visitor, userProfile: { picture: "https://example.com/a.png" } },
  }),
  listEmbedUsers: async (service) => sampleAfter(provision(service), `${tenant}/users`),
  provisionEmbedUsers: async () => ({ path: `${tenant}/users`, body: { users: [visitor] } }),
  deleteEmbedUser: async (service) => ({ path: `${tenant}/users/${await provision(service)}` }),
  listEmbedTenantUserAttributes: async (service) =>
    sampleAfter(tenantAttribute(service), `${tenant}/user-attributes`),
  deleteEmbedTenantUserAttribute: async (service) => ({
    path: `${tenant}/user-attributes/${await tenantAttribute(service)}`,
  }),
  listUserAttributes: async (service) =>
    sampleAfter(attribute(service), `${base}/user-attributes?offset=0&limit=5&type=number`),
  createUserAttribute: async () => ({
    path: `${base}/user-attributes`,
    body: { name: "level", type: "number", displayName: "Level", description: null },
  }),
  updateUserAttribute: async (service) => ({
    path: `${base}/user-attributes/${await attribute(service)}`,
    body: { displayName: "Height", defaultValue: null },
  }),
  deleteUserAttribute: async (service) => ({
    path: `${base}/user-attributes/${await attribute(service)}`,
  }),
  listUserAttributeValues: async (service) => {
    const userAttributeId = String(await attribute(service));
    const body = { userId: "1", userAttributeId, value: 3 };
    await createdId(service, `${base}/user-attribute-values`, body);
    return { path: `${base}/user-attribute-values/1` };
  },
  setUserAttributeValue: async (service) => ({
    path: `${base}/user-attribute-values`,
    body: { userId: "1", userAttributeId: String(await attribute(service)), value: 3 },
  }),
  replaceUserAttributeValues: async (service) => {
    const name = uniqueName("height");
    await createdId(service, `${base}/user-attributes`, { name, type: "number" });
    const body = { userAttributes: [{ name, value: 3 }] };
    return { path: `${base}/user-attribute-values/1`, body };
  },
  listUserGroups: async (service) =>
    sampleAfter(accountGroup(service), `${base}/user-groups?search=SELL`),
  deleteGroup: async (service) => ({ path: `${base}/groups/${await accountGroup(service)}` }),
  createUserGroup: async () => ({
    path: `${base}/user-groups`,
    body: { name: "sellers", description: "who sell" },
  }),
  getUserGroup: async (service) => ({ path: `${base}/user-groups/${await accountGroup(service)}` }),
  updateUserGroup: async (service) => ({
    path: `${base}/user-groups/${await accountGroup(service)}`,
    body: { name: "renamed", description: "" },
  }),
  deleteUserGroup: async (service) => ({
    path: `${base}/user-groups/${await accountGroup(service)}`,
  }),
  listUserGroupUsers: async (service) => {
    const path = `${base}/user-groups/${await accountGroup(service)}/users`;
    await service.send("POST", path, { body: { members: [{ userId: 1 }] } });
    return { path: `${path}?first=2` };
  },
  addUserGroupUsers: async (service) => ({
    path: `${base}/user-groups/${await accountGroup(service)}/users`,
    body: { members: [{ userId: 1 }, { email: "admin@svc.localhost" }] },
  }),
  removeUserGroupUsers: async (service) => {
    const path = `${base}/user-groups/${await accountGroup(service)}/users`;
    return sampleOfRemoval(service, path, { members: [{ userId: 1 }] });
  },
  listUsers: async () => ({ path: `${base}/users?search=admin` }),
  getCurrentUser: async () => ({ path: `${base}/users/me` }),
  getUser: async () => ({ path: `${base}/users/1` }),
  updateUser: async (service) => ({
    path: `${base}/users/${await user(service)}`,
    body: {
      firstName: "Bo",
      title: null,
      picture: null,
      isAdmin: true,
      isDeactivated: true,
      password: "correct horse battery",
      securityContext: { region: "eu" },
      settings: { locale: "de" },
      embedTheme: "dark",
    },
  }),
  deleteUser: async (service) => ({ path: `${base}/users/${await user(service)}` }),
  bulkUsers: async (service) => ({
    path: `${base}/users/bulk`,
    body: { action: "DEACTIVATE", userIds: [await user(service)] },
  }),
  createPasswordLink: async () => ({ path: `${base}/users/1/password-link` }),
  setUserGroups: async (service) => {
    const name = uniqueName("sellers");
    await createdId(service, `${base}/user-groups`, { name });
    return { path: `${base}/users/1/groups`, body: { groups: [name] } };
  },
  listApiKeys: async () => ({ path: `${base}/api-keys` }),
  createApiKey: async () => ({
    path: `${base}/api-keys`,
    body: { name: "build", deploymentIds: [1], ownerUserId: 1 },
  }),
  getApiKey: async () => ({ path: `${base}/api-keys/1` }),
  updateApiKey: async (service) => ({
    path: `${base}/api-keys/${await createdId(service, `${base}/api-keys`, { name: "spare" })}`,
    body: { name: "renamed", deploymentIds: [1] },
  }),
  deleteApiKey: async (service) => ({
    path: `${base}/api-keys/${await createdId(service, `${base}/api-keys`, { name: "spare" })}`,
  }),
  listWorkbooks: async (service) => sampleAfter(workbook(service), `${workbooks}?first=1`),
  createWorkbook: async () => ({
    path: workbooks,
    body: { name: "Sales", meta: { team: "sales" } },
  }),
  getWorkbook: async (service) => ({ path: `${workbooks}/${await workbook(service)}` }),
  updateWorkbook: async (service) => ({
    path: `${workbooks}/${await workbook(service)}`,
    body: { name: "Sales 2", meta: null, slug: " Sales ", slugTakeover: true },
  }),
  upsertWorkbook: async () => ({
    path: `${workbooks}/by-slug/sales`,
    body: { name: "Sales", meta: { team: "sales" } },
  }),
  deleteWorkbook: async (service) => ({ path: `${workbooks}/${await workbook(service)}` }),
  saveDashboardDraft: async (service) => ({
    path: `${workbooks}/${await workbook(service)}/dashboard`,
    body: { config: { title: "Sales", widgets: [] } },
  }),
  publishDashboard: async (service) => {
    const workbookId = await workbook(service);
    const body = { workbookId, config: { title: "Sales" }, title: null, allowEmbed: true };
    return { path: `${workbooks}/${workbookId}/publish`, body };
  },
  setDashboardEmbedding: async (service) => ({
    path: `${base}/embed/dashboard/${(await dashboard(service)).publicId}`,
    body: { allowEmbed: true },
  }),
  getEmbeddedDashboard: async (service) => ({
    path: `${base}/embed/dashboard/${(await dashboard(service)).publicId}`,
  }),
  getLinkedDashboard: async (service) => {
    const { publicId } = await dashboard(service);
    return { path: `${base}/embed/dashboard/${publicId}/links/${publicId}` };
  },
  getEmbedAccess: async (service) => ({ path: await accessPath(service) }),
  listEmbedAccess: async (service) =>
    sampleAfter(workbook(service), `${base}/deployments/1/embed-access?first=1`),
  setEmbedAccess: async (service) => {
    await provision(service);
    const body = { embedTenantName: "acme-inc", action: "read", allowEmbed: true };
    return { path: await accessPath(service), body };
  },
  listEmbedTenantWorkbooks: async (service) => {
    await provision(service);
    const path = await accessPath(service);
    await service.send("PUT", path, { body: { embedTenantName: "acme-inc", action: "read" } });
    return {
      path: `${base}/deployments/1/embed-tenants/acme-inc/workbooks?first=1&accessSource=tenant`,
    };
  },
  listNotifications: async (service) =>
    sampleAfter(notification(service), `${notifications}?first=1&recipientEmail=a@b.example`),
  createNotification: async (service) => ({
    path: notifications,
    body: {
      dashboardId: (await dashboard(service)).id,
      scheduleType: "WEEKLY",
      dayOfWeek: 1,
      timezone: "Europe/Berlin",
      filters: [{ member: "orders.status", operator: "equals", value: ["done"] }],
    },
  }),
  getNotification: async (service) => ({
    path: `${notifications}/${await notification(service)}`,
  }),
  updateNotification: async (service) => ({
    path: `${notifications}/${await notification(service)}`,
    body: { isEnabled: false, hour: 7, notificationFormat: "pdf" },
  }),
  deleteNotification: async (service) => ({
    path: `${notifications}/${await notification(service)}`,
  }),
  listRecipients: async (service) => ({
    path: `${notifications}/${await notification(service)}/recipients?first=2`,
  }),
  addRecipients: async (service) => ({
    path: `${notifications}/${await notification(service)}/recipients`,
    body: {
      recipients: [
        { type: "USER", userId: 1 },
        { type: "EMBED_USER", embedTenantName: "acme-inc", externalId: "v@example.com" },
      ],
    },
  }),
  removeRecipients: async (service) => {
    const path = `${notifications}/${await notification(service)}/recipients`;
    await service.send("POST", path, { body: { recipients: [{ type: "USER", userId: 1 }] } });
    return { path, body: { recipients: [{ type: "USER", id: 1 }] } };
  },
  getSpec: async () => ({ path: `${base}/spec` }),
};

/** Prepares the sample of an operation and returns it. */
export async function sampleOf(id: string, service: TestService): Promise<Sample> {
  const sample = await samples[id]?.(service);
  if (sample === undefined) throw new Error(`add a sample of ${id} to sample-requests.ts`);
  return sample;
}

async function createdId(service: TestService, path: string, body: object): Promise<number> {
  const { status, text, body: answer } = await service.send("POST", path, { body });
  if (status !== 200) throw new Error(`preparing ${path}: ${status} ${text}`);
  return (answer as { id: number }).id;
}

async function variable(service: TestService): Promise<void> {
  const body = { env_variables: [{ name: "DB_PASS", value: "s3cret" }] };
  await service.send("PUT", variablesPath, { body });
}

const workbooks = `${base}/deployments/1/workbooks`;
const notifications = `${base}/deployments/1/notifications`;

let count = 0;

/** Returns an unused name, so that objects can be prepared next to existing ones. */
const uniqueName = (name: string): string => `${name}-${++count}`;

/** Returns the first deployment, or a new one if it was deleted. */
async function deployment(service: TestService): Promise<number> {
  const first = await service.send("GET", `${base}/deployments/1`);
  if (first.status === 200) return 1;
  const body = { name: uniqueName("main"), region: "aws-us-east-1" };
  return createdId(service, "/build/api/v1/deployments", body);
}

const workbook = (service: TestService) => createdId(service, workbooks, { name: "Sales" });

async function dashboard(
  service: TestService,
): Promise<{ id: number; publicId: string; workbookId: number }> {
  const workbookId = await workbook(service);
  const path = `${workbooks}/${workbookId}/publish`;
  const body = { workbookId, config: { title: "Sales" } };
  const { body: published } = await service.send("POST", path, { body });
  return { ...(published as { id: number; publicId: string }), workbookId };
}

async function accessPath(service: TestService): Promise<string> {
  return `${workbooks}/${(await dashboard(service)).workbookId}/embed-access`;
}

async function notification(service: TestService): Promise<number> {
  const { id: dashboardId } = await dashboard(service);
  return createdId(service, notifications, { dashboardId, scheduleType: "DAILY", hour: 9 });
}

const provision = (service: TestService) => createdId(service, `${tenant}/user`, visitor);

async function group(service: TestService): Promise<number> {
  await provision(service);
  return createdId(service, `${tenant}/groups`, { name: uniqueName("sellers") });
}

async function membersPath(service: TestService): Promise<string> {
  return `${tenant}/groups/${await group(service)}/users`;
}

async function tenantAttribute(service: TestService): Promise<number> {
  const body = {
    deploymentId: 1,
    externalId: "visitor",
    embedTenantName: "acme-inc",
    creatorMode: true,
    userAttributeDefinitions: [{ name: "level", type: "number" }],
  };
  await service.send("POST", `${base}/embed/generate-session`, { body });
  const list = await service.send("GET", `${tenant}/user-attributes`);
  return (list.body as { items: { id: number }[] }).items[0]?.id ?? 0;
}

const attribute = (service: TestService) =>
  createdId(service, `${base}/user-attributes`, { name: uniqueName("height"), type: "number" });

const user = (service: TestService) =>
  createdId(service, `${base}/users`, { email: "bo@example.com", username: "bo" });

const accountGroup = (service: TestService) =>
  createdId(service, `${base}/user-groups`, { name: uniqueName("sellers") });
