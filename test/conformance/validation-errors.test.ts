// Validation errors of the server appear at the field that they belong to, for every kind.
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import { Failure } from "../../core/errors.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { splitPointer, valueAt } from "../../core/pointer.ts";
import { Secret } from "../../core/secret.ts";
import { type Bridge, createBridge } from "../../provider/bridge/bridge.ts";
import type { AttributeValues } from "../../provider/terraform/attribute-values.ts";
import { resolveReferences } from "../../scripts/resolve-references.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { type Proxy, startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { applyResource, configureProvider, type ResourceState } from "./terraform-protocol.ts";

let service: TestService;
let proxy: Proxy;
let bridge: Bridge;
beforeEach(async () => {
  service = await startService();
  await prepareAccount(service);
  proxy = await startProxy(service.url);
  const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
  bridge = createBridge(client, await client.discoverApi());
});
afterEach(async () => {
  await bridge.close();
  await proxy.close();
  await service.close();
});

/** Returns the request members of validation errors with the spec paths that were reported. */
function errorPaths(failure: Failure): Readonly<Record<string, string>> {
  return Object.fromEntries(
    failure.validationErrors.map(({ path, message }) => [
      message.replace(/^.*refused body\.?/u, "").replace(/ = .*/u, ""),
      path,
    ]),
  );
}

it("validation errors of the service appear at their attributes", async () => {
  const provider = await configureProvider({ url: service.url, api_key: service.adminKey });
  const refused = async (type: string, values: AttributeValues, held?: ResourceState) => {
    const { diagnostics: reported } = await applyResource(provider, type, { values, held });
    return reported.map(({ attribute, summary, detail }) => ({
      at: attribute?.steps,
      summary,
      detail,
    }));
  };
  try {
    const deployment = {
      name: "d",
      region: "aws-us-east-1",
      release: { channel: null, version: null, hold: null },
    };
    const moon = { ...deployment, region: "moon", release: null };
    expect(await refused("svc_deployment", moon)).toEqual([
      {
        at: [{ attributeName: "region" }],
        summary: "Cannot create Deployment",
        detail: expect.stringMatching(/^region: there is no region "moon"; use one of .*\.$/),
      },
    ]);
    const held = await applyResource(provider, "svc_deployment", {
      values: { ...deployment, release: null },
    });
    const future = { ...deployment, release: { channel: null, version: "9.9.9", hold: null } };
    expect(await refused("svc_deployment", future, held)).toMatchObject([
      {
        at: [{ attributeName: "release" }, { elementKeyString: "version" }],
        summary: "Deployment was not updated as planned",
      },
    ]);
    await applyResource(provider, "svc_user_group", { values: { name: "taken" } });
    const group = await applyResource(provider, "svc_user_group", { values: { name: "free" } });
    expect(await refused("svc_user_group", { name: "taken" }, group)).toMatchObject([
      {
        at: [{ attributeName: "name" }],
        detail: 'name: a group named "taken" already exists; choose another name.',
      },
    ]);
  } finally {
    await provider.close();
  }
});

it("secrets that the server repeats are masked, for single objects and batches", async () => {
  for (const { kind, spec } of resolveReferences(everyKind)) {
    if (kind.name === "Deployment") await bridge.create(kind, spec);
    if (kind.name !== "EnvironmentVariable") continue;
    const secret = 'correct "horse" battery';
    proxy.arm(1, "refuse", Infinity);
    const specs = ["API_TOKEN", "OTHER_TOKEN", "DATABASE_URL"].map((name) => ({
      ...spec,
      name,
      value: secret,
    }));
    const ended = await Promise.allSettled(specs.map((desired) => bridge.create(kind, desired)));
    const shown = inspect(ended, { depth: 9 });
    expect(shown).toContain('refused body.env_variables[0].value = "•••"');
    expect(shown).not.toContain("horse");
    proxy.arm();
  }
});

it("every kind's refused request members map to fields of its spec", async () => {
  const created: Record<string, Readonly<Record<string, string>>> = {};
  for (const { kind, spec } of resolveReferences(everyKind)) {
    proxy.arm(1, "refuse");
    const failure = await bridge.create(kind, spec).catch((error: unknown) => error);
    proxy.arm();
    if (!(failure instanceof Failure)) {
      // The request has no members to refuse.
      created[kind.name] = {};
      continue;
    }
    const reported = errorPaths(failure);
    // A write of all settings sends the defaults of omitted ones too.
    const complete = normalize(kind, spec);
    for (const path of Object.values(reported))
      expect(valueAt(complete, splitPointer(path))).toBeDefined();
    created[kind.name] = { ...reported, ...created[kind.name] };
    await bridge.create(kind, spec);
  }
  expect(created).toMatchInlineSnapshot(`
    {
      "AllTenantsEmbedAccess": {},
      "ApiKey": {
        "deploymentIds": "",
        "deploymentIds[0]": "/deployments",
        "name": "/name",
        "ownerUserId": "/owner",
        "permissions[0]": "/permissions/0",
        "states[0].access": "/states/0/access",
        "states[0].name": "/states/0/name",
      },
      "Branch": {
        "from": "/from",
        "name": "/name",
      },
      "DashboardAccess": {},
      "DashboardAllUsersAccess": {},
      "DashboardEmbedAccess": {
        "action": "",
        "embedTenantName": "/embedTenant",
      },
      "DashboardUserAccess": {},
      "DataModel": {},
      "Deployment": {
        "cloudProvider": "/cloudProvider",
        "creationMethod": "/creationMethod",
        "creationStep": "",
        "deployMode": "/deployMode",
        "isManaged": "/isManaged",
        "name": "/name",
        "region": "/region",
        "targetPlatform": "/targetPlatform",
      },
      "DeploymentAccess": {
        "action": "/action",
        "groupId": "",
        "resourceId": "",
        "resourceType": "",
      },
      "DeploymentAllUsersAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
      },
      "DeploymentUserAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
        "userId": "",
      },
      "EmbedGroup": {
        "description": "/description",
        "name": "/name",
      },
      "EmbedGroupMembership": {
        "members[0].externalId": "/user",
      },
      "EmbedTenant": {},
      "EmbedUser": {
        "users[0].email": "/email",
        "users[0].externalId": "/externalId",
        "users[0].groups[0]": "/groups/0",
        "users[0].tenantGroups[0]": "/tenantGroups/0",
        "users[0].userProfile.displayName": "/displayName",
        "users[0].userProfile.picture": "/picture",
      },
      "EmbedUserAttribute": {
        "creatorMode": "",
        "deploymentId": "",
        "embedTenantName": "/embedTenant",
        "externalId": "",
        "userAttributeDefinitions[0].defaultValue": "/defaultValue",
        "userAttributeDefinitions[0].description": "/description",
        "userAttributeDefinitions[0].displayName": "/displayName",
        "userAttributeDefinitions[0].name": "/name",
        "userAttributeDefinitions[0].type": "/type",
      },
      "EnvironmentVariable": {
        "env_variables[0].name": "/name",
        "env_variables[0].value": "/value",
      },
      "Folder": {
        "name": "/name",
        "parentId": "",
        "position": "/position",
      },
      "FolderAccess": {
        "action": "/action",
        "groupId": "",
        "resourceId": "",
        "resourceType": "",
      },
      "FolderAllUsersAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
      },
      "FolderUserAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
        "userId": "",
      },
      "GitConnection": {
        "branch": "/branch",
        "commit": "/commit",
        "deployProjectRoot": "/deployProjectRoot",
        "knownHosts": "/knownHosts",
        "remoteUrl": "/remoteUrl",
        "token": "/token",
        "username": "/username",
        "webhookSecret": "/webhookSecret",
      },
      "GroupMembership": {
        "members[0].email": "/user",
      },
      "IdentityProvider": {
        "clientId": "/clientId",
        "clientSecret": "/clientSecret",
        "displayName": "/displayName",
        "emailDomains[0]": "/emailDomains/0",
        "issuer": "/issuer",
        "name": "/name",
      },
      "Notification": {
        "dashboardId": "",
        "dayOfWeek": "/schedule",
        "embedTenantName": "/embedTenant",
        "filters[0].member": "/filters/0/member",
        "filters[0].operator": "/filters/0/operator",
        "filters[0].value[0]": "/filters/0/value/0",
        "hour": "/schedule",
        "memberSwitchers[0].from": "/memberSwitchers/0/from",
        "memberSwitchers[0].to": "/memberSwitchers/0/to",
        "minute": "/schedule",
        "notificationAiSummary": "/notificationAiSummary",
        "notificationEnabled": "/notificationEnabled",
        "notificationFormat": "/notificationFormat",
        "scheduleType": "/schedule",
        "timeGrains[0].grain": "/timeGrains/0/grain",
        "timeGrains[0].member": "/timeGrains/0/member",
        "timezone": "/timezone",
      },
      "NotificationEmbedRecipient": {
        "recipients[0].email": "/email",
        "recipients[0].embedTenantName": "/embedTenant",
        "recipients[0].externalId": "/externalId",
        "recipients[0].groups[0]": "/tenantGroups/0",
        "recipients[0].securityContext.store": "/securityContext/store",
        "recipients[0].type": "",
        "recipients[0].userAttributes[0].name": "/tenantUserAttributes/0/name",
        "recipients[0].userAttributes[0].value": "/tenantUserAttributes/0/value",
      },
      "NotificationRecipient": {
        "recipients[0].email": "/user",
        "recipients[0].type": "",
      },
      "OAuthClient": {
        "allowsDevices": "/allowsDevices",
        "clientId": "/clientId",
        "clientSecret": "/clientSecret",
        "name": "/name",
        "redirectUris[0]": "/redirectUris/0",
        "scopes[0]": "/scopes/0",
      },
      "OAuthIntegration": {
        "authUrl": "/authUrl",
        "clientId": "/clientId",
        "clientSecret": "/clientSecret",
        "config.revocationUrl": "/config/revocationUrl",
        "name": "/name",
        "redirectUri": "/redirectUri",
        "scopes[0]": "/scopes/0",
        "scopes[1]": "/scopes/1",
        "tokenUrl": "/tokenUrl",
        "type": "/type",
      },
      "OidcTokenConfig": {
        "audienceType": "/audienceType",
        "customAudience": "/audience",
        "customClaims.team": "/customClaims/team",
        "isEnabled": "/isEnabled",
        "name": "/name",
        "subFormat": "/subFormat",
        "targetEnvVar": "/targetEnvVar",
      },
      "Report": {
        "folderId": "",
        "jsonQuery": "/jsonQuery",
        "meta.team": "/meta/team",
        "name": "/name",
        "pivotItems.x[0]": "/pivotItems/x/0",
        "pivotItems.y[0]": "/pivotItems/y/0",
        "source": "/source",
        "title": "/title",
        "workbookId": "",
      },
      "ReportAccess": {
        "action": "/action",
        "groupId": "",
        "resourceId": "",
        "resourceType": "",
      },
      "ReportAllUsersAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
      },
      "ReportUserAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
        "userId": "",
      },
      "Role": {
        "description": "/description",
        "name": "/name",
        "policies[0].actions[0]": "/policies",
        "policies[0].actions[1]": "/policies",
        "policies[0].actions[2]": "/policies",
        "policies[0].resourceType": "/policies",
        "policies[0].resources": "/policies",
        "policies[0].resources[0]": "/policies",
      },
      "RoleAssignment": {},
      "ScimIntegration": {
        "defaultRoles[0]": "/defaultRoles/0",
        "isEnabled": "/isEnabled",
        "name": "/name",
        "providerType": "/providerType",
      },
      "StagingEnvironment": {
        "branchName": "/branch",
        "enabled": "",
      },
      "TransformIntegration": {
        "branch": "/branch",
        "manifestPath": "/manifestPath",
        "outputPath": "/outputPath",
        "projectRoot": "/projectRoot",
        "repoUrl": "/repoUrl",
        "token": "/token",
        "webhookSecret": "/webhookSecret",
      },
      "User": {
        "defaultRoles[0]": "/roles/0",
        "email": "/email",
        "externalId": "/externalId",
        "firstName": "/firstName",
        "isAdmin": "/isAdmin",
        "password": "/password",
        "picture": "/picture",
        "settings.locale": "/settings/locale",
        "username": "/username",
      },
      "UserAttribute": {
        "defaultValue": "/defaultValue",
        "description": "/description",
        "displayName": "/displayName",
        "name": "/name",
        "type": "/type",
      },
      "UserAttributeValue": {
        "userAttributeId": "",
        "userId": "",
        "value": "/value",
      },
      "UserGroup": {
        "description": "/description",
        "name": "/name",
      },
      "Workbook": {
        "meta.team": "/meta/team",
        "name": "/name",
      },
      "WorkbookAccess": {
        "action": "/action",
        "groupId": "",
        "resourceId": "",
        "resourceType": "",
      },
      "WorkbookAllUsersAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
      },
      "WorkbookUserAccess": {
        "action": "/action",
        "resourceId": "",
        "resourceType": "",
        "userId": "",
      },
      "WorkloadTrust": {
        "audience": "/audience",
        "claims[0].name": "/claims/0/name",
        "claims[0].value": "/claims/0/value",
        "claims[1].name": "/claims/1/name",
        "claims[1].value": "/claims/1/value",
        "deploymentIds": "",
        "isReusable": "/isReusable",
        "issuer": "/issuer",
        "jwksUri": "/jwksUri",
        "name": "/name",
        "ownerUserId": "/owner",
        "tokenSeconds": "/tokenSeconds",
      },
    }
  `);
});
