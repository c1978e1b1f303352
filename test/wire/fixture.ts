// Creates and reads over HTTP what a test of literal requests needs in addition to its own request.
import { type ApiResponse, type ListItem, type Server, startServer } from "./server-process.ts";

/** A server with one deployment. */
export interface WireFixture extends Server {
  readonly deploymentId: number;
  /** Sends a session request for the deployment. */
  generateSession(request: Readonly<Record<string, unknown>>): Promise<ApiResponse>;
  /** Like `generateSession`, for a request that must succeed. Returns the session's id. */
  createSessionId(request: Readonly<Record<string, unknown>>): Promise<string>;
  /** Returns the items of a list, which must exist. */
  items(path: string): Promise<readonly ListItem[]>;
  /** Creates an object, which must succeed, and returns its id. */
  create(path: string, body: Readonly<Record<string, unknown>>): Promise<number>;
  /** Returns an external user from the list of its embed tenant, or undefined. */
  user(tenant: string, externalId: string): Promise<ListItem | undefined>;
  /** Returns the values of an external user, by attribute name. */
  values(tenant: string, externalId: string): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the external ids in a group of an embed tenant. */
  members(tenant: string, group: string): Promise<readonly unknown[]>;
  /** Returns the number of members of an account-wide group. */
  memberCount(group: string): Promise<unknown>;
}

/** Starts the server. */
export async function startWireFixture(options: readonly string[] = []): Promise<WireFixture> {
  const server = await startServer(options);
  const deploymentId = await createDeployment(server, "analytics");
  const generateSession: WireFixture["generateSession"] = (request) =>
    server.call("POST", "/api/v1/embed/generate-session", { body: { deploymentId, ...request } });
  const items: WireFixture["items"] = async (path) => {
    const answer = await server.call("GET", path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.error}`);
    return answer.body.items;
  };
  return {
    ...server,
    deploymentId,
    generateSession,
    items,
    createSessionId: async (request) =>
      expectSuccess("a session", await generateSession(request)).body.sessionId,
    create: async (path, body) => createObject(server, path, body),
    ...fixtureReaders(server, items),
  };
}

/** Creates a deployment in any region and returns its id. */
export async function createDeployment(server: Server, name: string): Promise<number> {
  const regions = await server.call("GET", "/api/v1/regions");
  const region = regions.body.items[0]?.name;
  return createObject(server, "/build/api/v1/deployments", { name, region });
}

type FixtureReaders = Pick<WireFixture, "user" | "values" | "members" | "memberCount">;

function fixtureReaders(server: Server, items: WireFixture["items"]): FixtureReaders {
  const user: WireFixture["user"] = async (tenant, externalId) => {
    const users = await items(`/api/v1/embed-tenants/${tenant}/users`);
    return users.find((candidate) => candidate["externalId"] === externalId);
  };
  return {
    user,
    values: async (tenant, externalId) => {
      const id = (await user(tenant, externalId))?.id;
      const answer = await server.call("GET", `/api/v1/user-attribute-values/${id}`);
      const values = answer.json as { name: string; value: unknown }[];
      return Object.fromEntries(values.map(({ name, value }) => [name, value]));
    },
    members: async (tenant, group) => {
      const groups = await items(`/api/v1/embed-tenants/${tenant}/groups`);
      const id = groups.find(({ name }) => name === group)?.id;
      const users = await items(`/api/v1/embed-tenants/${tenant}/groups/${id}/users`);
      return users.map((member) => String(member["externalId"])).toSorted();
    },
    memberCount: async (group) => {
      const groups = await items("/api/v1/user-groups");
      return groups.find(({ name }) => name === group)?.["userCount"];
    },
  };
}

async function createObject(server: Server, path: string, body: unknown): Promise<number> {
  return expectSuccess(path, await server.call("POST", path, { body })).body.id;
}

function expectSuccess(what: string, answer: ApiResponse): ApiResponse {
  if (answer.status === 200) return answer;
  throw new Error(`${what}: ${answer.status} ${answer.body.error}`);
}
