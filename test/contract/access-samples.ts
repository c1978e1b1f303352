// One call of each operation on roles, policies, trusts and identity providers that succeeds.
import type { TestService } from "../support/test-service.ts";

const base = "/api/v1";
const policies = [
  { resourceType: "Deployment", actions: ["SchemaUpdate"], resources: ["1"] },
  { resourceType: "Global", actions: ["DirectoryRead"], resources: "All" },
];
const deployment = { resourceType: "Deployment", resourceId: 1 };

const trusts = `${base}/workload-trusts`;
const trusted = {
  issuer: "https://token.actions.githubusercontent.com",
  audience: "https://acme.example.com",
  claims: [
    { name: "repository_id", value: "42" },
    { name: "ref", value: "refs/heads/release-*" },
  ],
};

const providers = `${base}/identity-providers`;
const login = {
  issuer: "https://login.acme.example.com",
  clientId: "analytics",
  clientSecret: "a secret",
};

let count = 0;

async function trust(service: TestService): Promise<string> {
  const body = { name: `pipeline-${++count}`, ...trusted };
  const created = await service.send("POST", trusts, { body });
  return `${trusts}/${(created.body as { id: number }).id}`;
}

async function provider(service: TestService): Promise<string> {
  const body = { name: `login-${++count}`, ...login };
  const created = await service.send("POST", providers, { body });
  return `${providers}/${(created.body as { id: number }).id}`;
}

async function oauthClient(service: TestService): Promise<string> {
  const body = { clientId: `portal-${++count}`, name: "Portal", allowsDevices: true };
  const created = await service.send("POST", `${base}/oauth-clients`, { body });
  return `${base}/oauth-clients/${(created.body as { id: number }).id}`;
}

async function scimIntegration(service: TestService): Promise<string> {
  const body = { name: `entra-${++count}`, providerType: "entra", defaultRoles: ["AIBIUser"] };
  const created = await service.send("POST", `${base}/scim-integrations`, { body });
  return `${base}/scim-integrations/${(created.body as { id: number }).id}`;
}

async function role(service: TestService): Promise<string> {
  const body = { name: `modelers-${++count}`, description: "who model", policies };
  const created = await service.send("POST", `${base}/roles`, { body });
  return `${base}/roles/${(created.body as { id: number }).id}`;
}

/** Samples by operation id. */
export const accessSamples = {
  listRoles: async (service: TestService) => {
    await role(service);
    return { path: `${base}/roles?search=MODEL&first=1` };
  },
  createRole: async () => ({
    path: `${base}/roles`,
    body: { name: "modelers", description: null, policies },
  }),
  getRole: async (service: TestService) => ({ path: await role(service) }),
  updateRole: async (service: TestService) => ({
    path: await role(service),
    body: { description: "", policies: [] },
  }),
  deleteRole: async (service: TestService) => ({ path: await role(service) }),
  assignRole: async (service: TestService) => ({ path: `${await role(service)}/users/1` }),
  unassignRole: async (service: TestService) => {
    const path = `${await role(service)}/users/1`;
    await service.send("PUT", path);
    return { path };
  },
  listRoleUsers: async (service: TestService) => {
    const path = `${await role(service)}/users`;
    await service.send("PUT", `${path}/1`);
    return { path };
  },
  listWorkloadTrusts: async (service: TestService) => {
    await trust(service);
    return { path: `${trusts}?first=1` };
  },
  createWorkloadTrust: async () => ({
    path: trusts,
    body: {
      name: "pipeline",
      ...trusted,
      jwksUri: null,
      isReusable: true,
      tokenSeconds: 600,
      ownerUserId: 1,
      deploymentIds: [1],
      permissions: ["SchemaUpdate"],
      states: [{ name: "svc-*", access: "write" }],
    },
  }),
  getWorkloadTrust: async (service: TestService) => ({ path: await trust(service) }),
  updateWorkloadTrust: async (service: TestService) => ({
    path: await trust(service),
    body: { permissions: ["ReadAll"], tokenSeconds: null },
  }),
  deleteWorkloadTrust: async (service: TestService) => ({ path: await trust(service) }),
  listIdentityProviders: async (service: TestService) => {
    await provider(service);
    return { path: providers };
  },
  createIdentityProvider: async () => ({
    path: providers,
    body: {
      name: "login",
      displayName: "Acme",
      ...login,
      emailDomains: ["acme.example.com"],
      claims: [{ name: "groups", value: "analysts" }],
    },
  }),
  getIdentityProvider: async (service: TestService) => ({ path: await provider(service) }),
  updateIdentityProvider: async (service: TestService) => ({
    path: await provider(service),
    body: { displayName: null, clientSecret: "another secret", claims: null },
  }),
  deleteIdentityProvider: async (service: TestService) => ({ path: await provider(service) }),
  listOAuthClients: async (service: TestService) => {
    await oauthClient(service);
    return { path: `${base}/oauth-clients` };
  },
  createOAuthClient: async () => ({
    path: `${base}/oauth-clients`,
    body: {
      clientId: "portal",
      name: "Portal",
      clientSecret: "0123456789abcdef0123456789abcdef",
      redirectUris: ["https://portal.acme.example.com/callback"],
      allowsDevices: false,
      scopes: ["ReportRead"],
    },
  }),
  getOAuthClient: async (service: TestService) => ({ path: await oauthClient(service) }),
  updateOAuthClient: async (service: TestService) => ({
    path: await oauthClient(service),
    body: { name: "Intranet", clientSecret: null, scopes: ["ReportRead"] },
  }),
  deleteOAuthClient: async (service: TestService) => ({ path: await oauthClient(service) }),
  listScimIntegrations: async (service: TestService) => {
    await scimIntegration(service);
    return { path: `${base}/scim-integrations` };
  },
  createScimIntegration: async () => ({
    path: `${base}/scim-integrations`,
    body: { name: "okta", providerType: "okta", isEnabled: true, defaultRoles: ["AIBIUser"] },
  }),
  getScimIntegration: async (service: TestService) => ({ path: await scimIntegration(service) }),
  updateScimIntegration: async (service: TestService) => ({
    path: await scimIntegration(service),
    body: { name: "workforce", isEnabled: false, providerType: null, defaultRoles: null },
  }),
  deleteScimIntegration: async (service: TestService) => ({
    path: await scimIntegration(service),
  }),
  rotateScimIntegrationToken: async (service: TestService) => ({
    path: `${await scimIntegration(service)}/rotate-token`,
    body: { previousTokenSeconds: 60 },
  }),
  getResourcePolicies: async (service: TestService) => {
    const body = { ...deployment, userId: 1, action: "SchemaRead" };
    await service.send("PUT", `${base}/resource-policies/user`, { body });
    return { path: `${base}/resource-policies?resourceType=Deployment&resourceId=1` };
  },
  listResourcePolicies: async (service: TestService) => {
    const path = `${base}/deployments/1`;
    const body = { name: `policies-${++count}` };
    const { id } = (await service.send("POST", `${path}/folders`, { body })).body as { id: number };
    const policy = { resourceType: "Folder", resourceId: id, userId: 1, action: "FolderRead" };
    await service.send("PUT", `${base}/resource-policies/user`, { body: policy });
    return { path: `${path}/resource-policies?resourceType=Folder&first=1` };
  },
  setUserPolicy: async () => ({
    path: `${base}/resource-policies/user`,
    body: { ...deployment, userId: 1, action: "SchemaRead" },
  }),
  setGroupPolicy: async (service: TestService) => {
    const body = { name: `modelers-${++count}` };
    const created = await service.send("POST", `${base}/user-groups`, { body });
    const groupId = (created.body as { id: number }).id;
    return {
      path: `${base}/resource-policies/group`,
      body: { ...deployment, groupId, action: "SchemaRead" },
    };
  },
};
