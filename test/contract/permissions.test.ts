// Calls every operation as every type of principal: tests which get 401 or 403, and that both change nothing.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import {
  authorize,
  authorizeCall,
  rightsFor,
  type CredentialLimits,
  type Rights,
  type Targets,
} from "../../core/operation/authorize.ts";
import type { Operation } from "../../core/operation/operation.ts";
import {
  builtInRoles,
  defaultRole,
  type Grant,
  type PermissionAction,
  userRoles,
  personalKeyGrants,
} from "../../core/operation/permission-actions.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { sampled } from "../support/sampling.ts";
import { refusedQuery } from "./refused-requests.ts";
import { startService, type TestService } from "../support/test-service.ts";

/** A principal: its credential, and the status of calls that `permits` allows. */
interface Caller {
  readonly credential: () => Promise<string | null>;
  /** Undefined for a credential that is not accepted. */
  readonly rights?: Rights;
  /** The status without rights. */
  readonly rejected: 401 | 403;
  readonly isEmbedToken?: boolean;
}

let service: TestService;
let other: number;

beforeAll(async () => {
  service = await startService();
  const body = { name: "other", region: "aws-us-east-1" };
  other = idOf(await service.send("POST", "/build/api/v1/deployments", { body }));
  await service.send("POST", "/api/v1/deployments/1/folders", { body: { name: "Sales" } });
  const workbook = { name: "Sales", folderId: 1 };
  await service.send("POST", "/api/v1/deployments/1/workbooks", { body: workbook });
});
afterAll(async () => service.close());

const idOf = ({ body }: { readonly body: unknown }) => (body as { id: number }).id;

const admin = (limits: CredentialLimits = {}): Rights => ({ isAdmin: true, grants: [], limits });
const role = (name: keyof typeof builtInRoles, limits: CredentialLimits = {}): Rights => ({
  isAdmin: false,
  grants: [...builtInRoles[name].grants, ...personalKeyGrants],
  limits,
});

async function embedToken(of: object): Promise<string> {
  const body = { deploymentId: 1, ...of };
  const session = await service.send("POST", "/api/v1/embed/generate-session", { body });
  const exchange = { key: null, body: session.body };
  const exchanged = await service.send("POST", "/api/v1/embed/session/token", exchange);
  return (exchanged.body as { token: string }).token;
}

let users = 0;

/** Creates a user with a key, and returns both. */
async function userWithKey(input: object = {}): Promise<{ id: number; key: string; name: string }> {
  const name = `caller-${++users}`;
  const body = { username: name, email: `${name}@example.com`, ...input };
  const id = idOf(await service.send("POST", "/api/v1/users", { body }));
  return { id, name, key: await keyOf({ ownerUserId: id }) };
}

async function keyOf(input: object): Promise<string> {
  const body = { name: "caller", ...input };
  return ((await service.send("POST", "/api/v1/api-keys", { body })).body as { token: string })
    .token;
}

/** A caller for each role that a user can have. */
const usersByRole = Object.fromEntries(
  userRoles.map((name): [string, Caller] => [
    `a user with the role ${name}`,
    {
      credential: async () => (await userWithKey({ defaultRoles: [name] })).key,
      rights: role(name),
      rejected: 403,
    },
  ]),
);

const grant = (
  resourceType: Grant["resourceType"],
  actions: Grant["actions"],
  resources: Grant["resources"] = ["1"],
): Grant => ({ resourceType, actions, resources });

const guest = (grants: readonly Grant[]): Rights => ({
  isAdmin: false,
  grants: [...grants, ...personalKeyGrants],
  limits: {},
});

/** The workbook is in the folder, so grants on the folder apply to the workbook. */
const isOnFolder = ({ resourceType }: Grant) => resourceType === "Folder";
const onWorkbook = (one: Grant): Grant => ({ ...one, resourceType: "Workbook" });

/** A user whose only role was defined for it. */
const userByRole = (grants: readonly Grant[]): Caller => ({
  credential: async () => {
    const { id, key, name } = await userWithKey({ defaultRoles: ["Guest"] });
    const body = { name, policies: grants };
    const roleId = idOf(await service.send("POST", "/api/v1/roles", { body }));
    await service.send("PUT", `/api/v1/roles/${roleId}/users/${id}`);
    return key;
  },
  rights: guest([...grants, ...grants.filter(isOnFolder).map(onWorkbook)]),
  rejected: 403,
});

/** A user with only a policy on object 1 of a type: its own, or a group's. */
const userByPolicy = (
  resourceType: Grant["resourceType"],
  action: PermissionAction,
  through: "user" | "group",
): Caller => ({
  credential: async () => {
    const { id, key, name } = await userWithKey({ defaultRoles: ["Guest"] });
    const body = { resourceType, resourceId: 1, action };
    if (through === "user") {
      const own = { body: { ...body, userId: id } };
      await service.send("PUT", "/api/v1/resource-policies/user", own);
      return key;
    }
    const groupId = idOf(await service.send("POST", "/api/v1/user-groups", { body: { name } }));
    const members = { body: { members: [{ userId: id }] } };
    await service.send("POST", `/api/v1/user-groups/${groupId}/users`, members);
    const ofGroup = { body: { ...body, groupId } };
    await service.send("PUT", "/api/v1/resource-policies/group", ofGroup);
    return key;
  },
  rights: guest([
    grant(resourceType, [action]),
    ...(resourceType === "Folder" ? [grant("Workbook", [action])] : []),
  ]),
  rejected: 403,
});

/** A key of an administrator with limits. */
const limitedKey = (limits: CredentialLimits): Caller => ({
  credential: () => keyOf({ permissions: limits.actions ?? null, states: limits.states ?? null }),
  rights: admin(limits),
  rejected: 403,
});

/** A session of an external user with every role that a session can have. Its rights do not depend on them. */
function externalUser(options: object): Caller {
  const roles = [...userRoles, "EmbedUser"];
  const actions = ["EmbedDeploymentRead", "EmbedDashboardRead", "EmbedExport"] as const;
  return {
    credential: async () => {
      return embedToken({ externalId: "viewer", embedTenantName: "makers", roles, ...options });
    },
    rights: {
      isAdmin: false,
      grants: [grant("Global", actions, "All")],
      limits: { deployments: [1] },
    },
    rejected: 403,
    isEmbedToken: true,
  };
}

const callers: Readonly<Record<string, Caller>> = {
  ...usersByRole,
  "a key that reads": limitedKey({ actions: ["ReadAll"] }),
  "a key that plans": limitedKey({
    actions: ["ReadAll"],
    states: [{ name: "sh*", access: "read" }],
  }),
  "a key with chosen permissions": limitedKey({ actions: ["WorkbookEdit", "UsersRead"] }),
  "a key of a state": limitedKey({ states: [{ name: "shop", access: "write" }] }),
  "a key of other states": limitedKey({ states: [{ name: "shop-2", access: "write" }] }),
  "a viewer's key with more permissions than the viewer": {
    credential: async () =>
      keyOf({ ownerUserId: (await userWithKey()).id, permissions: ["WorkbookManage"] }),
    rights: role(defaultRole, { actions: ["WorkbookManage"] }),
    rejected: 403,
  },
  "a user with a role for a deployment": userByRole([grant("Deployment", ["SchemaUpdate"])]),
  "a user with a role for all workbooks": userByRole([grant("Workbook", ["WorkbookEdit"], "All")]),
  "a user with a role for a folder": userByRole([grant("Folder", ["FolderEdit"])]),
  "a user with a policy on a workbook": userByPolicy("Workbook", "WorkbookManage", "user"),
  "a user in a group with a policy on a folder": userByPolicy("Folder", "FolderEdit", "group"),
  "a user with a policy on a deployment": userByPolicy("Deployment", "DeploymentRead", "user"),
  "a caller without a credential": { credential: async () => null, rejected: 401 },
  "an unknown key": { credential: async () => "sk-unknown", rejected: 401 },
  "a key of a removed user": {
    credential: async () => {
      const { id, key } = await userWithKey();
      await service.send("DELETE", `/api/v1/users/${id}`);
      return key;
    },
    rejected: 401,
  },
  "a key of a suspended administrator": {
    credential: async () => {
      const { id, key } = await userWithKey({ isAdmin: true });
      await service.send("PUT", `/api/v1/users/${id}`, { body: { isDeactivated: true } });
      return key;
    },
    rejected: 403,
  },
  "an administrator": {
    credential: async () => service.adminKey,
    rights: admin(),
    rejected: 403,
  },
  "a user without a role": {
    credential: async () => (await userWithKey()).key,
    rights: role(defaultRole),
    rejected: 403,
  },
  "a key of the deployment": {
    credential: () => keyOf({ deploymentIds: [1] }),
    rights: admin({ deployments: [1] }),
    rejected: 403,
  },
  "a key of another deployment": {
    credential: () => keyOf({ deploymentIds: [other] }),
    rights: admin({ deployments: [2] }),
    rejected: 403,
  },
  "a viewer's key of another deployment": {
    credential: async () => {
      const { id } = await userWithKey();
      return keyOf({ ownerUserId: id, deploymentIds: [other] });
    },
    rights: role(defaultRole, { deployments: [2] }),
    rejected: 403,
  },
  "an embed session of an external user": {
    credential: () => embedToken({ externalId: "viewer" }),
    rights: role("EmbedUser", { deployments: [1] }),
    rejected: 403,
    isEmbedToken: true,
  },
  "an embed session of an external user with every role": externalUser({}),
  "an embed session of creator mode with every role": externalUser({ creatorMode: true }),
  "an embed session of a user": {
    credential: async () => embedToken({ internalId: (await userWithKey()).name }),
    rights: role(defaultRole, { deployments: [1] }),
    rejected: 403,
    isEmbedToken: true,
  },
  "an embed session of an administrator": {
    credential: () => embedToken({ internalId: "admin" }),
    rights: admin({ deployments: [1] }),
    rejected: 403,
    isEmbedToken: true,
  },
};

/**
 * Returns a call of an operation on deployment 1, workbook 1 and the state `shop`. A permitted call is refused with
 * 400.
 */
function requestOf(operation: Operation) {
  const params = Object.fromEntries(
    [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [
      name,
      /Id$|^id$/.test(name) && name !== "publicId" ? 1 : "shop",
    ]),
  );
  const { permission } = operation;
  const isInBody = JSON.stringify(permission).includes("body.deploymentId");
  const named = { resourceType: "Workbook", resourceId: 1 };
  const isNamedBy = (part: string) =>
    typeof permission === "object" && JSON.stringify(permission.scope) === `{"resource":"${part}"}`;
  const query = isNamedBy("query") ? named : undefined;
  const body = isNamedBy("body") ? named : isInBody ? { deploymentId: 1 } : undefined;
  const search = query && `resourceType=${query.resourceType}&resourceId=${query.resourceId}`;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  return { params, query, body, path: `${path}?${search ?? ""}&${refusedQuery(operation)}` };
}

function expectedStatus(operation: Operation, { rights, rejected, isEmbedToken }: Caller): number {
  if (operation.permission === "public") return 400;
  if (rights === undefined) return rejected;
  if (isEmbedToken === true && operation.requiresApiKey === true) return 403;
  const { permission } = operation;
  const isSharing =
    typeof permission === "object" && JSON.stringify(permission).includes('"resource"');
  const refusal = isSharing
    ? authorize(rightsFor(rights, operation), "WorkbookManage", placedWorkbook)
    : authorizeCall(rights, operation, requestOf(operation));
  return refusal === undefined ? 400 : 403;
}

/** Workbook 1 with its containers, which only the store knows. */
const placedWorkbook: Targets = [
  { type: "workbook", id: "1" },
  { type: "folder", id: "1" },
  { type: "deployment", id: "1" },
];

describe("the operations, called by", () => {
  it.each(Object.entries(callers))("%s, answer as declared", async (name, caller) => {
    const key = await caller.credential();
    const before = await databaseDigest(service.db);
    const [found, expected]: Record<string, number>[] = [{}, {}];
    // In an ordinary run, each caller tests other operations.
    const offset = Object.keys(callers).indexOf(name);
    for (const operation of sampled(operations, 1, offset)) {
      const { path, body } = requestOf(operation);
      const { status } = await service.send(operation.method, path, { key, body });
      Object.assign(found ?? {}, { [operation.id]: status });
      Object.assign(expected ?? {}, { [operation.id]: expectedStatus(operation, caller) });
    }
    expect(found).toEqual(expected);
    expect(await databaseDigest(service.db)).toBe(before);
  });
});

describe("a credential", () => {
  const withAuthorization = async (operation: Operation, authorization: string | undefined) =>
    service.send(operation.method, requestOf(operation).path, {
      key: null,
      raw: operation.body ? "{" : "",
      headers: authorization === undefined ? {} : { authorization },
    });
  const locked = operations.filter(({ permission }) => permission !== "public");

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer sk-unknown",
    "Basic YTpi",
    "Api-Key a b",
    "Bearer a.b.c",
  ])("of the form %s is refused before anything else", async (authorization) => {
    for (const operation of locked) {
      const answer = await withAuthorization(operation, authorization);
      expect([operation.id, answer.status]).toEqual([operation.id, 401]);
      expect(answer.headers["www-authenticate"]).toContain("Bearer");
    }
  });

  it.each(["bEARER", "api-key"])("has a scheme in any case: %s", async (scheme) => {
    for (const operation of locked) {
      const { status } = await withAuthorization(operation, `${scheme} ${service.adminKey}`);
      expect([operation.id, status]).toEqual([operation.id, 400]);
    }
  });
});

describe("a permission that depends on what is stored", () => {
  it("is checked for the deployment of a dashboard, and for embedding it", async () => {
    const workbooks = "/api/v1/deployments/1/workbooks";
    const workbookId = idOf(await service.send("POST", workbooks, { body: { name: "Sales" } }));
    const publish = async (key: string, body: object) =>
      service.send("POST", `${workbooks}/${workbookId}/publish`, {
        key,
        body: { workbookId, config: { title: "Sales" }, ...body },
      });
    const { key: developer } = await userWithKey({ defaultRoles: ["Developer"] });
    expect((await publish(developer, { allowEmbed: true })).status).toBe(403);
    const published = await publish(developer, {});
    expect(published.status).toBe(200);
    const { publicId } = published.body as { publicId: string };
    const embed = async (deploymentIds: number[]) => {
      const key = await keyOf({ deploymentIds });
      const path = `/api/v1/embed/dashboard/${publicId}`;
      return (await service.send("PATCH", path, { key, body: { allowEmbed: true } })).status;
    };
    expect([await embed([other]), await embed([1])]).toEqual([403, 200]);
  });

  it("limits the deployments and the members of users in lists", async () => {
    const key = await keyOf({ deploymentIds: [other], permissions: ["ReadAll"] });
    const deployments = await service.send("GET", "/api/v1/deployments", { key });
    expect(deployments.body).toMatchObject({ items: [{ id: other }] });
    const membersFor = async (permissions: string[]) => {
      const own = await keyOf({ permissions });
      const { body } = await service.send("GET", "/api/v1/users?first=1", { key: own });
      return Object.keys((body as { items: object[] }).items[0] ?? {});
    };
    expect(await membersFor(["UsersRead"])).toContain("isAdmin");
    expect(await membersFor(["DirectoryRead"])).not.toContain("isAdmin");
  });

  it("is in the answer about the current user", async () => {
    const key = await keyOf({ permissions: ["ReadAll"], deploymentIds: [1] });
    const { body } = await service.send("GET", "/api/v1/users/me", { key });
    expect(body).toMatchObject({
      permissions: { isAdmin: true, limits: { actions: ["ReadAll"], deployments: [1] } },
    });
  });
});

describe("a refusal", () => {
  it("names the missing permission, and what to use", async () => {
    const { key } = await userWithKey();
    const answer = await service.send("DELETE", "/api/v1/deployments/1", { key });
    expect(answer.body).toMatchObject({
      statusCode: 403,
      code: "forbidden",
      message: expect.stringContaining(
        "grants the permission DeploymentDelete for deployment 1; use",
      ),
      details: { permission: "DeploymentDelete" },
    });
  });
});

describe("the scope of an operation", () => {
  it("names required members of the request", () => {
    for (const { id, permission, params, query, body } of operations) {
      if (typeof permission === "string" || permission.scope === "account") continue;
      if ("resource" in permission.scope) continue;
      for (const path of Object.values(permission.scope).filter((one) => one !== "any")) {
        const [part = "", name = ""] = path.split(".");
        const schema: unknown = { params, query, body }[part];
        const { required = [] } = schema as { required?: readonly string[] };
        expect([id, required]).toEqual([id, expect.arrayContaining([name])]);
      }
    }
  });
});
