// Calls of one deployment's data model, for the tests of files, branches and uploads.
import { createHash } from "node:crypto";
import { expect, vi } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";

/** Address of the deployment's data model, and of its files. */
export const build = "/build/api/v1/deployments/1";
export const files = `${build}/data-model/files`;

/** A response with an object. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the SHA-1 of a text. */
export const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

/** Returns the file of a cube with dimensions. */
export const orders = (dimensions: readonly string[] = ["id"]): string =>
  [
    "cubes:",
    "  - name: orders",
    "    sql_table: orders",
    "    dimensions:",
    ...dimensions.map((name) => `      - { name: ${name}, sql: ${name}, type: string }`),
    "",
  ].join("\n");

/** Calls of one credential. */
export interface ModelCalls {
  send(method: string, path: string, body?: object): Promise<Answer>;
  /** Sends a request that must succeed. */
  done(method: string, path: string, body?: object): Promise<Answer["body"]>;
  /** Enters dev mode and returns the branch. */
  enter(branchName?: string): Promise<string>;
  put(content: string, path?: string, target?: object): Promise<Answer>;
  /** Returns the paths of a branch's files. */
  hashes(branch?: string): Promise<readonly string[]>;
  /** Returns the texts of a branch's files by path. */
  texts(branch: string): Promise<Readonly<Record<string, string>>>;
  commit(message?: string): Promise<Answer>;
  /** Returns the status of a branch's newest build once it has ended, or immediately if there is none. Fails after ten seconds. */
  buildEnded(branch?: string): Promise<Answer["body"]>;
  /** Starts an upload and returns its ID. */
  start(): Promise<string>;
  finish(id: string, contents: Readonly<Record<string, string>>, more?: object): Promise<Answer>;
}

/** The data model of a deployment. An administrator makes the calls, unless `as` names another credential. */
export interface ModelService extends Omit<TestService, "send">, ModelCalls {
  /** Returns the calls of another credential. */
  as(key: string): ModelCalls;
  /** Uploads a file as `multipart/form-data` and returns the status. */
  uploadFile(id: string, fileName: string, content: string): Promise<number>;
  /** Creates a user with a role and a key, and returns the key. */
  userKey(role: string): Promise<string>;
}

let users = 0;

/** Uploads a file as `multipart/form-data` and returns the status. */
export async function uploadModelFile(
  { url, key }: { readonly url: string; readonly key: string },
  { id, path, content }: { readonly id: string; readonly path: string; readonly content: string },
): Promise<number> {
  const form = new FormData();
  form.set("transaction", JSON.stringify({ id }));
  form.set("fileName", path);
  form.set("file", new Blob([content]), "file");
  const response = await fetch(`${url}${build}/data-model/upload/file`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  return response.status;
}

/** Starts a service with an empty data model. Close it after the test. */
export async function startModelService(
  options: Parameters<typeof startService>[0] = {},
): Promise<ModelService> {
  const service = await startService(options);
  const calls = modelCalls(service, service.adminKey);
  return {
    ...service,
    ...calls,
    as: (key) => modelCalls(service, key),
    uploadFile: (id, path, content) =>
      uploadModelFile({ url: service.url, key: service.adminKey }, { id, path, content }),
    userKey: async (role) => {
      const name = `engineer-${++users}`;
      const user = { username: name, email: `${name}@example.com`, defaultRoles: [role] };
      const { body } = await calls.send("POST", "/api/v1/users", user);
      const key = await calls.send("POST", "/api/v1/api-keys", { name, ownerUserId: body["id"] });
      return String(key.body["token"]);
    },
  };
}

/** Puts a model and the rows of `orders` on a new dev-mode branch, and returns it with the address of its data API. */
export async function serveDevMode(
  service: ModelService,
  { model, seeds }: { readonly model: string; readonly seeds: string },
): Promise<{ readonly branchName: string; readonly address: string }> {
  const branchName = await service.enter();
  await service.put(model, "model/orders.yml");
  await service.put(seeds, "seeds/orders.csv");
  expect(await service.buildEnded(branchName)).toMatchObject({ status: "built" });
  return {
    branchName,
    address: `${service.url}/deployments/main/dev-mode/${branchName}/svcjs-api/v1`,
  };
}

/** Returns a data API token of a credential for the deployment. */
export async function dataToken(calls: ModelCalls): Promise<string> {
  const created = await calls.send("POST", "/api/v1/deployments/1/token", {});
  return String(created.body["svcApiToken"]);
}

/** Returns the calls of a credential. */
export function modelCalls(service: Pick<TestService, "send">, key: string): ModelCalls {
  const send: ModelCalls["send"] = (method, path, body) =>
    service.send(method, path, { ...(body && { body }), key }) as Promise<Answer>;
  const done: ModelCalls["done"] = async (method, path, body) => {
    const answer = await send(method, path, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  return {
    send,
    done,
    enter: async (branchName = "main") =>
      String((await done("POST", `${build}/dev-mode`, { branchName }))["branchName"]),
    put: (content, path = "model/cubes/orders.yml", target = {}) =>
      send("PUT", files, { files: [{ path, content }], ...target }),
    hashes: async (branch = "") => {
      const query = branch && `?branchName=${branch}`;
      return Object.keys(await done("GET", `${build}/data-model/file-hashes${query}`));
    },
    texts: async (branch) => {
      const { items } = await done("GET", `${files}?withContent=true&branchName=${branch}`);
      return textsOf(items as readonly Node[]);
    },
    commit: (message = "Change") => send("POST", `${build}/commit`, { message }),
    buildEnded: (branch = "") => {
      const query = branch && `?branchName=${branch}`;
      const ended = async (): Promise<Answer["body"]> => {
        const body = await done("GET", `/api/v1/deployments/1/build-status${query}`);
        if (body["buildJobId"] !== undefined) expect(body["status"]).not.toBe("building");
        return body;
      };
      return vi.waitFor(ended, { timeout: 60_000, interval: 20 });
    },
    start: async () => {
      const started = await done("POST", `${build}/data-model/upload/start`);
      return (started["transaction"] as { id: string }).id;
    },
    finish: (id, contents, more = {}) =>
      send("POST", `${build}/data-model/upload/finish`, {
        transaction: { id },
        files: Object.fromEntries(
          Object.entries(contents).map(([path, text]) => [path, { hash: sha1(text) }]),
        ),
        ...more,
      }),
  };
}

interface Node {
  readonly path: string;
  readonly content?: string;
  readonly children?: readonly Node[];
}

function textsOf(nodes: readonly Node[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { path, content, children = [] } of nodes) {
    if (content !== undefined) found[path.slice(1)] = content;
    Object.assign(found, textsOf(children));
  }
  return found;
}
