// One call of each operation on the account that succeeds; `sample-requests.ts` contains them.
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

/** By operation id. */
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
  getOidcDiscovery: async () => ({ path: "/.well-known/openid-configuration" }),
  getOidcKeys: async () => ({ path: "/.well-known/jwks.json" }),
};
