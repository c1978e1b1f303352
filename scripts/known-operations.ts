// The operations of the product family that the specification and public facts name: method and path, by area.

const deployment = "/api/v1/deployments/{deploymentId}";
const build = "/build/api/v1/deployments/{deploymentId}";
const tenant = "/api/v1/embed-tenants/{embedTenantName}";
const dataApi = "/svcjs-api/v1";

/** Known operations by area. Names of parameters do not matter. */
export const knownOperations: Readonly<Record<string, readonly string[]>> = {
  deployments: [
    "GET /api/v1/deployments",
    "POST /build/api/v1/deployments",
    ...methods(deployment, "GET", "PUT", "DELETE"),
    `GET ${deployment}/settings`,
    `GET ${deployment}/versions`,
    `POST ${deployment}/token`,
    `GET ${deployment}/build-status`,
    `POST ${deployment}/creation-step/advance`,
    `POST ${deployment}/creation-step/reset`,
    `GET ${deployment}/pods`,
    `GET ${deployment}/logs`,
  ],
  "data model": [
    `GET ${build}/data-model/file-hashes`,
    ...["start", "file", "finish"].map((step) => `POST ${build}/data-model/upload/${step}`),
    `GET ${build}/data-model/validate`,
    ...methods(`${build}/data-model/files`, "GET", "PUT", "DELETE"),
    `POST ${build}/data-model/files/rename`,
  ],
  branches: [
    ...methods(`${build}/dev-mode`, "POST", "DELETE"),
    ...methods(`${build}/branches`, "GET", "POST", "DELETE"),
    ...["commit", "pull", "merge", "merge-to-default"].map((verb) => `POST ${build}/${verb}`),
    `PUT ${build}/branches/staging-environment`,
  ],
  "Git provider": [
    "GET /api/v1/github/status",
    "GET /api/v1/github/installations",
    "GET /api/v1/github/installations/{installationId}/repositories",
    "GET /api/v1/github/repositories/{owner}/{repo}/branches",
    `POST ${build}/github/connect`,
  ],
  "transformation-project sync": [
    ...methods(`${deployment}/transform-sync`, "GET", "POST"),
    ...methods(`${deployment}/transform-sync/{syncJobId}`, "GET", "DELETE"),
    ...["result", "logs", "generated-files"].map(
      (part) => `GET ${deployment}/transform-sync/{syncJobId}/${part}`,
    ),
  ],
  regions: ["GET /api/v1/regions"],
  variables: methods(`${deployment}/env-vars`, "GET", "PUT"),
  environments: [
    `GET ${deployment}/environments`,
    ...methods(`${deployment}/environments/{environmentId}/tokens`, "GET", "POST"),
    `POST ${deployment}/environments/{environmentId}/tokens-for-meta-sync`,
  ],
  folders: [
    ...methods(`${deployment}/folders`, "GET", "POST"),
    ...methods(`${deployment}/folders/{folderId}`, "PUT", "DELETE"),
    `GET ${deployment}/folders/{folderId}/ancestors`,
  ],
  workbooks: [
    ...methods(`${deployment}/workbooks`, "GET", "POST"),
    ...methods(`${deployment}/workbooks/{workbookId}`, "GET", "PUT", "DELETE"),
    `PUT ${deployment}/workbooks/by-slug/{slug}`,
    `PUT ${deployment}/workbooks/{workbookId}/dashboard`,
    `POST ${deployment}/workbooks/{workbookId}/publish`,
    `POST ${deployment}/workbooks/{workbookId}/duplicate`,
    `POST ${deployment}/workbooks/{workbookId}/dashboard/ai-widget-thread`,
  ],
  reports: [
    ...methods(`${deployment}/reports`, "GET", "POST"),
    ...methods(`${deployment}/reports/{reportId}`, "GET", "PUT", "DELETE"),
    `PUT ${deployment}/reports/by-public-id/{publicId}`,
    `PUT ${deployment}/reports/{reportId}/refresh`,
    ...methods(`${deployment}/reports/{reportId}/connect-workbook`, "PUT", "DELETE"),
    `GET ${deployment}/report-folders`,
  ],
  workspace: [
    `GET ${deployment}/workspace`,
    `GET ${deployment}/shared-workspace`,
    ...["move", "bulk-move", "bulk-delete"].map((verb) => `POST ${deployment}/workspace/${verb}`),
    `POST ${deployment}/dashboard-exports`,
    `GET ${deployment}/dashboard-exports/{jobId}`,
    `GET ${deployment}/dashboard-exports/{jobId}/download`,
  ],
  users: [
    ...methods("/api/v1/users", "GET", "POST"),
    "GET /api/v1/users/me",
    "PATCH /api/v1/users/me/settings",
    ...methods("/api/v1/users/{id}", "PUT", "DELETE"),
    "POST /api/v1/users/bulk",
    "GET /api/v1/users/embed-theme",
  ],
  groups: ["GET /api/v1/user-groups", "DELETE /api/v1/groups/{id}"],
  "user attributes": [
    ...methods("/api/v1/user-attributes", "GET", "POST"),
    ...methods("/api/v1/user-attributes/{id}", "PUT", "DELETE"),
    "GET /api/v1/user-attribute-values/{userId}",
    "POST /api/v1/user-attribute-values",
  ],
  "policies and roles": [
    "GET /api/v1/resource-policies",
    "PUT /api/v1/resource-policies/user",
    "PUT /api/v1/resource-policies/group",
    ...methods("/api/v1/roles", "GET", "POST"),
    ...methods("/api/v1/roles/{roleId}", "GET", "PUT", "DELETE"),
    ...methods("/api/v1/roles/{roleId}/users/{userId}", "PUT", "DELETE"),
  ],
  "tenant settings": methods("/api/v1/tenant/settings", "GET", "PUT"),
  notifications: [
    ...methods(`${deployment}/notifications`, "GET", "POST"),
    ...methods(`${deployment}/notifications/{id}`, "GET", "PUT", "DELETE"),
    ...methods(`${deployment}/notifications/{id}/recipients`, "GET", "POST", "DELETE"),
  ],
  "OAuth integrations": [
    ...methods("/api/v1/oauth-integrations", "GET", "POST"),
    ...methods("/api/v1/oauth-integrations/{id}", "GET", "PUT", "DELETE"),
    "GET /api/v1/user-oauth-tokens",
    ...methods("/api/v1/user-oauth-tokens/{integrationId}", "GET", "DELETE"),
    "POST /api/v1/user-oauth-tokens/{integrationId}/initiate",
  ],
  OIDC: [
    ...methods("/api/v1/oidc-token-configs", "GET", "POST"),
    ...methods("/api/v1/oidc-token-configs/{id}", "GET", "PUT", "DELETE"),
    "GET /.well-known/openid-configuration",
    "GET /.well-known/jwks.json",
  ],
  "API keys": [
    ...methods("/api/v1/api-keys", "GET", "POST"),
    ...methods("/api/v1/api-keys/{id}", "GET", "DELETE"),
  ],
  "signed embedding": [
    "POST /api/v1/embed/generate-session",
    "POST /api/v1/embed/session/token",
    "POST /api/v1/embed/session/revoke",
    ...methods("/api/v1/embed/dashboard/{publicId}", "GET", "PATCH"),
    ...methods(`${deployment}/workbooks/{workbookId}/embed-access`, "GET", "PUT"),
    `GET ${deployment}/embed-tenants/{embedTenantName}/workbooks`,
    ...methods("/api/v1/embed/dashboard/{publicId}/comments", "GET", "POST"),
    ...methods("/api/v1/embed/dashboard/{publicId}/comments/{commentId}", "PATCH", "DELETE"),
    "POST /api/v1/embed/dashboard/{publicId}/comments/{commentId}/resolve",
    "GET /api/v1/embed/dashboard/{publicId}/mentionable-users",
  ],
  "embed tenants": [
    "GET /api/v1/embed-tenants",
    `DELETE ${tenant}`,
    ...methods(`${tenant}/groups`, "GET", "POST"),
    ...methods(`${tenant}/groups/{id}`, "GET", "PATCH", "DELETE"),
    ...methods(`${tenant}/groups/{id}/users`, "GET", "POST", "DELETE"),
    `POST ${tenant}/user`,
    ...methods(`${tenant}/users`, "GET", "POST"),
    `GET ${tenant}/user-attributes`,
    `DELETE ${tenant}/user-attributes/{id}`,
  ],
  agents: [
    `GET ${deployment}/agents`,
    `GET ${deployment}/agent-skills`,
    "GET /api/v1/ai-engineer/settings",
    "POST /api/v1/public/{account}/agents/{agentId}/chat/stream-chat-state",
    "POST /api/v1/public/{account}/agents/{agentId}/chat/abort",
    ...methods(`${deployment}/evaluations`, "GET", "POST"),
    `GET ${deployment}/evaluations/{id}`,
    `GET ${deployment}/evaluations/{id}/results`,
  ],
  app: ["GET /api/v1/app-config", "GET /api/v1/app-theme"],
  "data API": [
    "POST /api/v1/meta",
    "GET /livez",
    "GET /readyz",
    `GET ${dataApi}/meta`,
    ...methods(`${dataApi}/load`, "GET", "POST"),
    `POST ${dataApi}/cubesql`,
  ],
  SCIM: ["Users", "Groups"]
    .flatMap((name) => [
      ...methods(`/api/scim/v2/${name}`, "GET", "POST"),
      ...methods(`/api/scim/v2/${name}/{id}`, "GET", "PUT", "PATCH", "DELETE"),
    ])
    .concat(
      ["ResourceTypes", "Schemas", "ServiceProviderConfig"].map(
        (name) => `GET /api/scim/v2/${name}`,
      ),
    ),
  "sign-in": ["POST /auth/device/code", "POST /auth/device/token", "POST /auth/oauth2/refresh"],
  "audit log": ["GET /api/v1/audit-logs/export"],
  spec: ["GET /api/v1/spec"],
};

const noEngine = "it needs a language model, which the service does not run";

/** Reasons for known operations that the service leaves out, by the beginning of their paths. */
export const leftOut: Readonly<Record<string, string>> = {
  [`GET ${deployment}/agents`]:
    "agents are created in the hosted application, which runs their language models: the files of a data model only " +
    "configure those, and no operation creates one; the skills in these files are served",
  "GET /api/v1/ai-engineer/settings": noEngine,
  "POST /api/v1/public/{account}/agents/": noEngine,
  [`GET ${deployment}/evaluations`]: noEngine,
  [`POST ${deployment}/evaluations`]: noEngine,
  [`POST ${deployment}/workbooks/{workbookId}/dashboard/ai-widget-thread`]: noEngine,
  "POST /api/v1/meta": `its answer is not public; \`GET ${dataApi}/meta\` of an environment has the metadata`,
  [`POST ${dataApi}/cubesql`]: `its SQL dialect is not public; \`POST ${dataApi}/load\` answers queries`,
};

function methods(path: string, ...names: readonly string[]): readonly string[] {
  return names.map((name) => `${name} ${path}`);
}
