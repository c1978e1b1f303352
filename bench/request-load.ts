// Sends the requests with which benches load the service and the bare routes that it is compared with.
import { Pool, type Dispatcher } from "undici";
import { folder } from "../resources/folder.ts";
import type { Served } from "./server.ts";

const connections = 16;

/** A request of the service, and the same of the bare server. */
export interface RequestCase {
  readonly name: string;
  /** At most this many times the CPU of the bare route. */
  readonly aim: number;
  readonly ours: Dispatcher.DispatchOptions;
  readonly bare: Dispatcher.DispatchOptions;
}

/** Creates the objects that the requests name, and returns the requests: a read, and a session of a known user. */
export async function requestCases({ url, apiKey }: Served): Promise<readonly RequestCase[]> {
  const headers = { authorization: `Api-Key ${apiKey}`, "content-type": "application/json" };
  const session = {
    method: "POST",
    headers,
    body: JSON.stringify({ deploymentId: 1, externalId: "viewer", embedTenantName: "acme-inc" }),
  } as const;
  const group = await fetch(`${url}/api/v1/user-groups`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "everybody" }),
  });
  const { id } = (await group.json()) as { id: number };
  const read = { method: "GET", headers: { authorization: headers.authorization } } as const;
  return [
    {
      name: "GET one group",
      aim: 4,
      ours: { ...read, path: `/api/v1/user-groups/${id}` },
      bare: { ...read, path: "/group" },
    },
    {
      name: "generate-session, user known; bare with one durable insert",
      aim: 5,
      ours: { ...session, path: "/api/v1/embed/generate-session" },
      bare: { ...session, path: "/sessions" },
    },
  ];
}

/** A user's key without administrator rights, and the objects that it may read. */
interface Reader {
  readonly apiKey: string;
  readonly groupPath: string;
  readonly folderPath: string;
}

/**
 * Returns reads by a user who is not an administrator: one permitted by a role, and one permitted by a policy of a
 * folder.
 */
export async function permissionCases(served: Served): Promise<readonly RequestCase[]> {
  const { apiKey, groupPath, folderPath } = await createReader(served);
  const read = (path: string, key: string): Dispatcher.DispatchOptions => ({
    method: "GET",
    path,
    headers: { authorization: `Api-Key ${key}` },
  });
  const bare = read("/group", apiKey);
  const [role, policy] = [read(groupPath, apiKey), read(folderPath, apiKey)];
  const all = read(folderPath, served.apiKey);
  return [
    { name: "GET one group, permitted by a role", aim: 4, ours: role, bare },
    { name: "GET one folder, by an administrator", aim: 4, ours: all, bare },
    {
      name: "GET one folder, permitted by a policy of the folder above",
      aim: 4,
      ours: policy,
      bare,
    },
  ];
}

/** Creates a user with a role for the directory, and with a policy on one folder that contains another. */
async function createReader({ url, apiKey }: Served): Promise<Reader> {
  const send = async <Answer>(method: string, path: string, body: object): Promise<Answer> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Api-Key ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Answer;
  };
  const create = async (path: string, body: object): Promise<number> =>
    (await send<{ readonly id: number }>("POST", path, body)).id;
  await send("PUT", "/tenant/settings", { personalKeysEnabled: true });
  const user = { username: "reader", email: "reader@example.com", defaultRoles: ["Guest"] };
  const userId = await create("/users", user);
  const policies = [{ resourceType: "Global", actions: ["DirectoryRead"], resources: "All" }];
  const roleId = await create("/roles", { name: "Directory", policies });
  await send("PUT", `/roles/${roleId}/users/${userId}`, {});
  const above = await create("/deployments/1/folders", { name: "EMEA" });
  const inside = await create("/deployments/1/folders", { name: "Germany", parentId: above });
  const policy = { resourceType: folder.name, resourceId: above, userId, action: "FolderRead" };
  await send("PUT", "/resource-policies/user", policy);
  const group = await create("/user-groups", { name: "readers" });
  const key = { name: "reader", ownerUserId: userId };
  const { token } = await send<{ readonly token: string }>("POST", "/api-keys", key);
  return {
    apiKey: token,
    groupPath: `/api/v1/user-groups/${group}`,
    folderPath: `/api/v1/deployments/1/folders/${inside}`,
  };
}

/**
 * Sends a request many times, over 16 connections to each server: the faster server gets more of them, as behind a load
 * balancer. Fails if a request does not succeed.
 */
export async function sendRequests(
  servers: readonly Pick<Served, "url">[],
  request: Dispatcher.DispatchOptions,
  count: number,
): Promise<void> {
  let left = count;
  const sendTo = async ({ url }: Pick<Served, "url">): Promise<void> => {
    const pool = new Pool(url, { connections, pipelining: 1 });
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const answer = await pool.request(request);
        const text = await answer.body.text();
        if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    await pool.close();
  };
  await Promise.all(servers.map(sendTo));
}
