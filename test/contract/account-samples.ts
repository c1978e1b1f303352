// One call of each operation on the account that succeeds; `sample-requests.ts` contains them.
import { type OAuthProvider, startOAuthProvider } from "../support/oauth-provider.ts";
import type { TestService } from "../support/test-service.ts";
import type { PrepareSample } from "./sample.ts";

const base = "/api/v1";
const configs = `${base}/oidc-token-configs`;
let names = 0;

async function oidcConfig(service: TestService): Promise<number> {
  const body = { audienceType: "Custom", customAudience: "vault", name: `vault-${++names}` };
  const { status, text, body: answer } = await service.send("POST", configs, { body });
  if (status !== 200) throw new Error(`preparing ${configs}: ${status} ${text}`);
  return (answer as { id: number }).id;
}

const integrations = `${base}/oauth-integrations`;
const oauthTokens = `${base}/user-oauth-tokens`;
let provider: Promise<OAuthProvider> | undefined;

/** Returns the provider for all samples, which does not keep the process alive. */
function oauthProvider(): Promise<OAuthProvider> {
  return (provider ??= startOAuthProvider());
}

async function integrationBody() {
  const { url, clientId, clientSecret } = await oauthProvider();
  return {
    name: `sheets ${++names}`,
    type: "sheets",
    authUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    clientId,
    clientSecret,
    redirectUri: "https://app.example.com/callback",
    scopes: null,
    config: null,
  };
}

async function oauthIntegration(service: TestService): Promise<number> {
  const created = await service.send("POST", integrations, { body: await integrationBody() });
  return (created.body as { id: number }).id;
}

async function authorization(service: TestService) {
  const id = await oauthIntegration(service);
  const { body } = await service.send("POST", `${oauthTokens}/${id}/initiate`);
  const { authorizationUrl } = body as { authorizationUrl: string };
  const answer = await (await oauthProvider()).approve(authorizationUrl);
  return { id, body: { code: answer.get("code"), state: answer.get("state") } };
}

async function userToken(service: TestService): Promise<string> {
  const { id, body } = await authorization(service);
  const { status, text } = await service.send("POST", `${oauthTokens}/${id}/complete`, { body });
  if (status !== 200) throw new Error(`preparing ${oauthTokens}: ${status} ${text}`);
  return `${oauthTokens}/${id}`;
}

/** Samples by operation id. */
export const accountSamples: Readonly<Record<string, PrepareSample>> = {
  getTenantSettings: async () => ({ path: `${base}/tenant/settings` }),
  updateTenantSettings: async () => ({
    path: `${base}/tenant/settings`,
    body: { useCreatorMode: true, embeddingEnabled: null, auditLogEnabled: true },
  }),
  listAuditLogs: async () => ({ path: `${base}/audit-logs?first=1&search=SET` }),
  exportAuditLogs: async () => ({ path: `${base}/audit-logs/export?eventName=setVariables` }),
  getAppConfig: async () => ({ path: `${base}/app-config` }),
  updateAppConfig: async () => ({
    path: `${base}/app-config`,
    body: {
      applyThemeGlobally: true,
      appTheme: { light: { accentColor: "#1a2b3c" } },
      embedding: { showDashboardChat: false, timezone: "Europe/Berlin" },
      creatorMode: null,
    },
  }),
  getAppTheme: async () => ({ path: `${base}/app-theme` }),
  createUser: async () => ({
    path: `${base}/users`,
    body: {
      email: "ann@example.com",
      username: "ann",
      firstName: "Ann",
      isAdmin: true,
      externalId: "00u1",
      password: "correct horse battery",
      settings: { locale: "de" },
    },
  }),
  updateUserSettings: async () => ({
    path: `${base}/users/me/settings`,
    body: { locale: "de", density: null },
  }),
  getEmbedTheme: async () => ({ path: `${base}/users/embed-theme` }),
  listOidcTokenConfigs: async () => ({ path: configs }),
  createOidcTokenConfig: async () => ({
    path: configs,
    body: { audienceType: "AWS", name: "aws", customClaims: { team: "data" }, subFormat: null },
  }),
  getOidcTokenConfig: async (service) => ({ path: `${configs}/${await oidcConfig(service)}` }),
  updateOidcTokenConfig: async (service) => ({
    path: `${configs}/${await oidcConfig(service)}`,
    body: { isEnabled: false, targetEnvVar: "TOKEN_FILE", customClaims: null },
  }),
  deleteOidcTokenConfig: async (service) => ({ path: `${configs}/${await oidcConfig(service)}` }),
  issueOidcToken: async (service) => ({
    path: `${configs}/${await oidcConfig(service)}/token`,
    body: { deploymentId: 1, component: "svc_store" },
  }),
  listOAuthIntegrations: async () => ({ path: integrations }),
  createOAuthIntegration: async () => ({ path: integrations, body: await integrationBody() }),
  getOAuthIntegration: async (service) => ({
    path: `${integrations}/${await oauthIntegration(service)}`,
  }),
  updateOAuthIntegration: async (service) => ({
    path: `${integrations}/${await oauthIntegration(service)}`,
    body: { ...(await integrationBody()), clientSecret: null },
  }),
  deleteOAuthIntegration: async (service) => ({
    path: `${integrations}/${await oauthIntegration(service)}`,
  }),
  listUserOAuthTokens: async () => ({ path: oauthTokens }),
  getUserOAuthToken: async (service) => ({ path: await userToken(service) }),
  deleteUserOAuthToken: async (service) => ({ path: await userToken(service) }),
  initiateUserOAuthToken: async (service) => ({
    path: `${oauthTokens}/${await oauthIntegration(service)}/initiate`,
  }),
  completeUserOAuthToken: async (service) => {
    const { id, body } = await authorization(service);
    return { path: `${oauthTokens}/${id}/complete`, body };
  },
  issueUserOAuthToken: async (service) => ({ path: `${await userToken(service)}/token` }),
  getOidcDiscovery: async () => ({ path: "/.well-known/openid-configuration" }),
  getOidcKeys: async () => ({ path: "/.well-known/jwks.json" }),
};
