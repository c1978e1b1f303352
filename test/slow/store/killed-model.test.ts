// Tests a server that is killed during an upload, a merge or a build of a data model: nothing is lost or incomplete.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { ServerOptions } from "../../../service/server/server.ts";
import {
  build,
  type ModelCalls,
  modelCalls,
  orders,
  uploadModelFile,
} from "../../contract/data-model-service.ts";
import { spawnChild, svcProgram } from "../../support/svc-program.ts";
import { createLastingDatabase, type TestDatabase } from "../../support/test-database.ts";
import { startService, type TestService } from "../../support/test-service.ts";

// The first file that needs the programs bundles them, which takes longer than a test may.
beforeAll(() => svcProgram());

let place: TestDatabase;
const services: TestService[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  place = await createLastingDatabase();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const service of services.splice(0)) await service.close();
  await place.drop();
});

interface ChildServer {
  readonly url: string;
  readonly key: string;
}

/** Runs `work` against a server that kills itself at `killAt`, and waits for its end. */
async function untilKilled(
  killAt: "finishUpload" | "mergeToDefault" | "build",
  work: (calls: ModelCalls, server: ChildServer) => Promise<unknown>,
): Promise<void> {
  const { data, secretKeyFile = "" } = place;
  const child = await spawnChild("model-child", [data, secretKeyFile, killAt]);
  children.push(child);
  const exit = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const server = JSON.parse(line) as ChildServer;
  await work(modelCalls({ send: sendTo(server.url) }, server.key), server);
  expect(await exit).toEqual([null, "SIGKILL"]);
}

function sendTo(url: string): TestService["send"] {
  return async (method, path, { key, body } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: {}, text, body: JSON.parse(text) as unknown };
  };
}

async function restart(options: Partial<ServerOptions> = {}): Promise<[ModelCalls, TestService]> {
  const service = await startService({ ...place, ...options });
  services.push(service);
  return [modelCalls(service, service.adminKey), service];
}

it("in an upload: the branch has its files, and the upload can be finished", async () => {
  const contents = { "model/a.txt": "a", "model/b.txt": "b" };
  let id = "";
  await untilKilled("finishUpload", async (calls, server) => {
    id = await calls.start();
    for (const [path, content] of Object.entries(contents)) {
      expect(await uploadModelFile(server, { id, path, content })).toBe(204);
    }
    await expect(calls.finish(id, contents)).rejects.toThrow("fetch failed");
  });
  const [calls] = await restart();
  expect(await calls.hashes("main")).toEqual(["model/README.md"]);
  expect((await calls.finish(id, contents)).status).toBe(200);
  expect(await calls.texts("main")).toEqual(contents);
});

it("in a merge: both branches are as before, and the merge can be repeated", async () => {
  let dev = "";
  const merge = () => ({ branchName: dev, message: "Release" });
  await untilKilled("mergeToDefault", async (calls) => {
    dev = await calls.enter();
    await calls.put("dev", "model/dev.txt");
    const merged = calls.send("POST", `${build}/merge-to-default`, merge());
    await expect(merged).rejects.toThrow("fetch failed");
  });
  const [calls] = await restart();
  expect(await calls.hashes("main")).toEqual(["model/README.md"]);
  const { items } = await calls.done("GET", `${build}/branches`);
  expect(items).toMatchObject([
    { name: dev, lastCommit: { message: "Create the branch" } },
    { name: "main", lastCommit: { message: "Create the branch" } },
  ]);
  expect(await calls.done("POST", `${build}/merge-to-default`, merge())).toEqual({
    merged: true,
    branchDeleted: true,
  });
  expect(await calls.hashes("main")).toEqual(["model/README.md", "model/dev.txt"]);
});

it("in a build: another server builds it, once the lease is over", async () => {
  let dev = "";
  await untilKilled("build", async (calls) => {
    dev = await calls.enter();
    // The server may be killed before it answers.
    await calls.put(orders()).catch(() => undefined);
  });
  const later = Date.now() + 3_600_000;
  const [calls, service] = await restart({ now: () => later });
  const status = () => calls.done("GET", `/api/v1/deployments/1/build-status?branchName=${dev}`);
  expect(await status()).toMatchObject({ status: "building" });
  await service.accounts[0]?.runBuilds();
  const ended = await status();
  expect(ended).toMatchObject({ status: "built", filesHash: ended["lastHash"] });
});
