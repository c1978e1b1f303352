// Tests uploads of data models: many files share one call where the server has it, and lost responses or two actors leave no
// partial upload.
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { uploadFiles } from "../../../api/data-model.ts";
import { fileHash, fileText } from "../../../core/text/file-text.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { makeFolder, runSvc } from "../../golden/run-cli.ts";
import { type FaultHook, type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
/** Whether the server does not list an operation that uploads many files. */
let isOlder = false;

function alterSpec({ path }: { readonly path: string }, body: JsonValue): JsonValue {
  if (!isOlder || !isObject(body) || !path.endsWith("/api/v1/spec")) return body;
  const { [uploadFiles.path]: _, ...paths } = body["paths"] as JsonObject;
  return { ...body, paths };
}

beforeEach(async () => {
  service = await startService();
  isOlder = false;
  proxy = await startProxy(service.url, alterSpec);
  stack = await makeStack({ url: proxy.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

const model = (files: JsonObject): Doc => ({
  kind: "DataModel",
  name: "shop",
  spec: { deployment: { external: "main" }, files },
});
const cube = (name: string): string =>
  `cubes:\n  - name: ${name}\n    sql_table: ${name}\n    dimensions:\n      - { name: id, sql: id, type: string }\n`;
const many = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`model/cubes/c${at}.yml`, cube(`c${at}`)]),
  );
const uploads = (end: "file" | "files") =>
  proxy.writes().filter(({ path }) => path.endsWith(`/upload/${end}`));
const build = "/build/api/v1/deployments/1";

async function stored(): Promise<JsonObject> {
  const { body } = await service.send("GET", `${build}/data-model/file-hashes?branchName=main`);
  return body as JsonObject;
}

/** Applies a fault to the first request whose path ends with `end`. */
function once(end: string, fault: Awaited<ReturnType<FaultHook>>): void {
  let isDone = false;
  const hook: FaultHook = async ({ path }) => {
    if (isDone || !path.endsWith(end)) return "pass";
    isDone = true;
    return fault;
  };
  proxy.arm(1, hook, 10_000);
}

const results = async () =>
  (await stack.apply()).outcomes.map(({ result, failure }) => failure?.code ?? result);

describe("the files of a data model", () => {
  it("take a few calls for 1,200 of them, as the plan says", async () => {
    await stack.write([model(many(1200))]);
    const { cost } = await stack.plan();
    proxy.arm();
    expect(await results()).toEqual(["done"]);
    expect(proxy.writes()).toHaveLength(cost.writeCalls);
    expect(uploads("files")).toHaveLength(2);
    expect(cost.writeCalls).toBeLessThan(10);
    expect(Object.keys(await stored())).toHaveLength(1200);
  });

  it("are divided by their bytes, with those of the largest size", async () => {
    const parts = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`seeds/s${at}.txt`, "x".repeat(200_000 + at)]),
    );
    const largest = fileText(randomBytes(limits.modelFileBytes));
    const files = { ...parts, "docs/large.bin": largest, "model/cubes/a.yml": cube("a") };
    await stack.write([model(files)]);
    const { cost } = await stack.plan();
    proxy.arm();
    expect(await results()).toEqual(["done"]);
    expect(proxy.writes()).toHaveLength(cost.writeCalls);
    const sizes = uploads("files").map(({ bytes }) => bytes);
    const [most = 0, next = 0] = sizes.toSorted((a, b) => b - a);
    expect(most).toBeLessThan(limits.bodyBytes);
    expect(next).toBeLessThan(limits.uploadCallBytes + 1000);
    expect(sizes.length).toBeLessThan(7);
    expect((await stack.plan()).changes).toEqual([]);
  });

  it("take a call each where the server does not list the operation", async () => {
    isOlder = true;
    await stack.write([model(many(30))]);
    const { cost } = await stack.plan();
    proxy.arm();
    expect(await results()).toEqual(["done"]);
    expect([uploads("file").length, uploads("files").length]).toEqual([30, 0]);
    expect(proxy.writes()).toHaveLength(cost.writeCalls);
    expect(Object.keys(await stored())).toHaveLength(30);
  });

  it.each(["not-implemented", "html", "not-found"] as const)(
    "take a call each where the server has no such operation: %s",
    async (fault) => {
      await stack.write([model(many(30))]);
      once("/upload/files", fault);
      expect(await results()).toEqual(["done"]);
      expect([uploads("file").length, uploads("files").length]).toEqual([30, 1]);
      const folder = makeFolder({ ...many(20), "model/cubes/new.yml": cube("new") });
      once("/upload/files", fault);
      const args = ["deploy", "main", "--no-wait", "--folder", folder.path];
      const env = { SVC_API_URL: proxy.url, SVC_API_KEY: service.adminKey };
      const { code, out } = await runSvc(args, { env });
      folder.remove();
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(/^Uploaded 1 of 21 files, removed 10/u),
      ]);
      expect([uploads("file").length, uploads("files").length]).toEqual([1, 1]);
      expect(Object.keys(await stored())).toHaveLength(21);
    },
  );

  it("end with a conflict where the upload is not found by any call", async () => {
    await stack.write([model(many(3))]);
    const before = await stored();
    const isUpload = (path: string) => /\/upload\/files?$/u.test(path);
    proxy.arm(1, async ({ path }) => (isUpload(path) ? "not-found" : "pass"), 10_000);
    expect(await results()).toEqual(["conflict"]);
    expect(uploads("files")).toHaveLength(1);
    expect(await stored()).toEqual(before);
  });

  it.each(["lose-answer", "lose-request", "fail-after", "give-up"] as const)(
    "are sent again after %s",
    async (fault) => {
      await stack.write([model(many(30))]);
      once("/upload/files", fault);
      expect(await results()).toEqual(["done"]);
      expect(uploads("files")).toHaveLength(2);
      expect(Object.keys(await stored())).toHaveLength(30);
      expect((await stack.plan()).changes).toEqual([]);
    },
  );

  it("are the model of the actor that ends first, whole, and the other gets a conflict", async () => {
    await stack.write([model(many(60))]);
    const theirs = { "model/cubes/other.yml": cube("other") };
    let isDone = false;
    const hook: FaultHook = async ({ path }) => {
      if (isDone || !path.endsWith("/upload/files")) return "pass";
      isDone = true;
      await uploadElsewhere(theirs);
      return "pass";
    };
    proxy.arm(1, hook, 10_000);
    expect(await results()).toEqual(["conflict"]);
    expect(Object.keys(await stored())).toEqual(Object.keys(theirs));
    const { body } = await service.send("GET", `${build}/branches`);
    expect(body).toMatchObject({ items: [{ name: "main" }] });
  });
});

/** Replaces the files of the deploy branch, as another client does. */
async function uploadElsewhere(files: Readonly<Record<string, string>>): Promise<void> {
  const key = await service.key({});
  const send = async (end: string, body: JsonObject) => {
    const answer = await service.send("POST", `${build}/data-model/upload/${end}`, { body, key });
    expect(answer.status).toBeLessThan(300);
    return answer.body as { readonly transaction: JsonObject };
  };
  const { transaction } = await send("start", { branchName: "main" });
  const contents = Object.entries(files).map(([fileName, text]) => ({
    fileName,
    file: Buffer.from(text).toString("base64"),
  }));
  await send("files", { transaction, files: contents });
  const hashes = Object.entries(files).map(([path, text]) => [path, { hash: fileHash(text) }]);
  await send("finish", { transaction, files: Object.fromEntries(hashes) as JsonObject });
}
