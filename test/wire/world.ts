// What the tests of the wire need around the request they are about, made and read over the wire as well.
import { type Answer, type Item, type Server, startServer } from "./server.ts";

/** A server with one deployment. */
export interface World extends Server {
  readonly deploymentId: number;
  /** Sends a session request for the deployment. */
  mint(request: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** As `mint`, for a request that has to succeed; the session's id. */
  minted(request: Readonly<Record<string, unknown>>): Promise<string>;
  /** The items of a list, which has to be there. */
  items(path: string): Promise<readonly Item[]>;
  /** Makes an object, which has to succeed, and returns its id. */
  create(path: string, body: Readonly<Record<string, unknown>>): Promise<number>;
  /** An external user as its embed tenant lists it, or undefined. */
  user(tenant: string, externalId: string): Promise<Item | undefined>;
  /** The values that an external user has, by attribute name. */
  values(tenant: string, externalId: string): Promise<Readonly<Record<string, unknown>>>;
  /** The external ids in a group of an embed tenant. */
  members(tenant: string, group: string): Promise<readonly unknown[]>;
  /** The number of members of an account-wide group. */
  size(group: string): Promise<unknown>;
}

/** Starts it. */
export async function startWorld(options: readonly string[] = []): Promise<World> {
  const server = await startServer(options);
  const deploymentId = await createDeployment(server, "analytics");
  const mint: World["mint"] = (request) =>
    server.call("POST", "/api/v1/embed/generate-session", { body: { deploymentId, ...request } });
  const items: World["items"] = async (path) => {
    const answer = await server.call("GET", path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.error}`);
    return answer.body.items;
  };
  return {
    ...server,
    deploymentId,
    mint,
    items,
    minted: async (request) => succeeded("a session", await mint(request)).body.sessionId,
    create: async (path, body) => created(server, path, body),
    ...readers(server, items),
  };
}

/** Makes a deployment in any region and returns its id. */
export async function createDeployment(server: Server, name: string): Promise<number> {
  const regions = await server.call("GET", "/api/v1/regions");
  const region = regions.body.items[0]?.name;
  return created(server, "/build/api/v1/deployments", { name, region });
}

type Readers = Pick<World, "user" | "values" | "members" | "size">;

function readers(server: Server, items: World["items"]): Readers {
  const user: World["user"] = async (tenant, externalId) => {
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
    size: async (group) => {
      const groups = await items("/api/v1/user-groups");
      return groups.find(({ name }) => name === group)?.["userCount"];
    },
  };
}

async function created(server: Server, path: string, body: unknown): Promise<number> {
  return succeeded(path, await server.call("POST", path, { body })).body.id;
}

function succeeded(what: string, answer: Answer): Answer {
  if (answer.status === 200) return answer;
  throw new Error(`${what}: ${answer.status} ${answer.body.error}`);
}
