// Tests that a pull request cannot leave its repository or use the operator's key, on the real service.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { readGrants } from "../../reconciler/policy/grants-file.ts";
import type { VerbOptions } from "../../reconciler/verbs/session.ts";
import { apply } from "../../reconciler/apply.ts";
import { plan } from "../../reconciler/plan.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";
import { listen } from "../support/listen.ts";

/** A server of a third party, which records the requests that it receives. */
interface ForeignServer {
  readonly url: string;
  readonly receivedHeaders: string[];
  close(): void;
}

let service: TestService;
let stack: TestStack;
let foreignServer: ForeignServer;
let outside: string;

const group = (name: string): Doc => ({ kind: "UserGroup", name, spec: { name } });

/** Rewrites the Stack, as a pull request may. */
function writeStackSpec(spec: JsonObject): void {
  const document = { apiVersion: "svc/v1", kind: "Stack", metadata: { name: "conformance" }, spec };
  writeFileSync(join(stack.folder, "stack.yaml"), JSON.stringify(document));
}

async function diagnosticsOf(more: Partial<VerbOptions> = {}): Promise<readonly string[]> {
  const verdict = await plan({ ...stack.options, grants: noGrants, ...more });
  const found = verdict.ok ? verdict.plan.diagnostics : verdict.diagnostics;
  return found.map(({ code, path = "" }) => `${code} ${path}`.trim());
}

async function startForeignServer(): Promise<ForeignServer> {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const url = await listen(server);
  return { url, receivedHeaders: seen, close: () => server.close() };
}

beforeEach(async () => {
  service = await startService();
  foreignServer = await startForeignServer();
  stack = await makeStack({ url: service.url, key: service.adminKey, policy: { maxDeletes: 10 } });
  outside = mkdtempSync(join(tmpdir(), "svc-outside-"));
});

afterEach(async () => {
  await stack.dispose();
  rmSync(outside, { recursive: true, force: true });
  foreignServer.close();
  await service.close();
});

describe("the key", () => {
  it("does not follow the Stack to another server", async () => {
    writeStackSpec({ target: { url: foreignServer.url } });
    await stack.write([group("north")]);
    expect(await diagnosticsOf()).toEqual(["target-mismatch"]);
    expect(foreignServer.receivedHeaders).toEqual([]);
  });

  it("goes to no origin that the operator has not granted, whatever a script connects to", async () => {
    await stack.write([group("north")]);
    const grants = { ...noGrants, origins: [service.url] };
    const connection = { ...stack.options.connection, url: foreignServer.url };
    expect(await diagnosticsOf({ grants, connection })).toEqual(["not-granted"]);
    expect(foreignServer.receivedHeaders).toEqual([]);
    expect(await diagnosticsOf({ grants })).toEqual([]);
  });

  it("does not follow a redirect", async () => {
    const away = createServer((request, response) => {
      response.writeHead(307, { location: `${foreignServer.url}${request.url}` }).end();
    });
    const url = await listen(away);
    await stack.write([group("north")]);
    const connection = { ...stack.options.connection, url };
    await expect(diagnosticsOf({ connection })).rejects.toMatchObject({
      code: "unexpected_answer",
    });
    away.close();
    expect(foreignServer.receivedHeaders).toEqual([]);
  });

  it("does not follow an inventory that names another server", async () => {
    await stack.write([group("north")]);
    await stack.apply();
    const connection = { ...stack.options.connection, url: foreignServer.url };
    await expect(diagnosticsOf({ connection })).rejects.toThrow();
    expect(foreignServer.receivedHeaders.every((line) => line.startsWith("/api/v1/spec"))).toBe(
      true,
    );
  });
});

describe("a path", () => {
  it.each<[JsonObject, string]>([
    [{ manifests: ["../*.yaml"] }, "out-of-bounds /spec/manifests/0"],
    [{ manifests: ["a/../../*.yaml"] }, "out-of-bounds /spec/manifests/0"],
    [{ manifests: ["{a,..}/*.yaml"] }, "out-of-bounds /spec/manifests/0"],
    [{ manifests: ["/etc/*.yaml"] }, "out-of-bounds /spec/manifests/0"],
    [{ inventory: { file: "../inventory.json" } }, "out-of-bounds /spec/inventory/file"],
    [{ inventory: { file: "/tmp/inventory.json" } }, "out-of-bounds /spec/inventory/file"],
    [{ inventory: { file: "a/../../inventory.json" } }, "out-of-bounds /spec/inventory/file"],
  ])("%j is refused", async (spec, expected) => {
    writeStackSpec(spec);
    await stack.write([group("north")]);
    expect(await diagnosticsOf()).toEqual([expected]);
  });

  it("through a link adds no manifest from outside", async () => {
    writeFileSync(join(outside, "secret.yaml"), "password: hunter2\n");
    symlinkSync(join(outside, "secret.yaml"), join(stack.folder, "linked.yaml"));
    await stack.write([group("north")]);
    const verdict = await plan(stack.options);
    expect(verdict.ok).toBe(false);
    expect(JSON.stringify(verdict.diagnostics)).toContain(
      `linked.yaml cannot be read: it is a link out of ${stack.folder}`,
    );
    expect(JSON.stringify(verdict.diagnostics)).not.toContain("hunter2");
  });

  it.each(["folder", "file"])("through a linked %s puts no inventory outside", async (what) => {
    if (what === "folder") symlinkSync(outside, join(stack.folder, ".svc"));
    else {
      mkdirSync(join(stack.folder, ".svc"));
      const target = join(outside, "taken.json");
      writeFileSync(target, "");
      symlinkSync(target, join(stack.folder, ".svc", "conformance.inventory.json"));
    }
    await stack.write([group("north")]);
    expect(await diagnosticsOf()).toEqual(["out-of-bounds /spec/inventory/file"]);
    expect(readdirSync(outside)).toEqual(what === "folder" ? [] : ["taken.json"]);
  });

  it.each(["../ci", "/tmp/ci", "a/../../ci"])(
    "of a generated secret stays inside: %s",
    async (file) => {
      const spec = { name: "ci", admin: true, scope: "all" };
      const document = {
        apiVersion: "svc/v1",
        kind: "ApiKey",
        metadata: { name: "ci" },
        spec,
        secretTo: { file },
      };
      writeFileSync(join(stack.folder, "key.yaml"), JSON.stringify(document));
      expect(await diagnosticsOf()).toContain("out-of-bounds /secretTo/file");
    },
  );
});

describe("the environment", () => {
  const env = { TOKEN: "hunter2", SVC_API_KEY: "sk-mine" };
  const naming = (text: string): Doc => ({
    kind: "UserGroup",
    name: "north",
    spec: { name: "north", description: text },
  });

  it.each([
    ["${env:TOKEN}", ["TOKEN"], "environment-not-allowed /spec/description"],
    ["${env:${which}}", ["TOKEN"], "variable-syntax /spec/description"],
    ["${env:SVC_API_KEY}", ["SVC_API_KEY"], "environment-not-allowed /spec/description"],
    ["${env:svc_api_key}", ["svc_api_key"], "environment-not-allowed /spec/description"],
  ])("%s is not read because the Stack names %j", async (text, environment, expected) => {
    writeStackSpec({ environment, variables: { which: "TOKEN" } });
    await stack.write([naming(text)]);
    const verdict = await plan({ ...stack.options, grants: noGrants, env });
    expect(verdict.ok).toBe(false);
    expect(verdict.diagnostics.map(({ code, path }) => `${code} ${path}`)).toEqual([expected]);
    expect(JSON.stringify(verdict)).not.toMatch(/hunter2|sk-mine/u);
  });

  it("is not read by what a variable holds", async () => {
    writeStackSpec({ environment: ["TOKEN"], variables: { which: "${env:TOKEN}" } });
    await stack.write([naming("${which}")]);
    const verdict = await plan({
      ...stack.options,
      grants: { ...noGrants, environment: "stack" },
      env,
    });
    expect(JSON.stringify(verdict)).not.toContain("hunter2");
  });
});

describe("the record of what the stack owns", () => {
  const pinned = { ...noGrants, inventory: "service" as const };

  it.each<[string, JsonObject]>([
    ["file", { inventory: { file: "forged.json" } }],
    ["file of the usual name", { inventory: "file" }],
    ["database", { inventory: "postgres" }],
  ])("is not put into a %s by the Stack where the operator has pinned it", async (_, spec) => {
    writeStackSpec(spec);
    await stack.write([group("north")]);
    expect(await diagnosticsOf({ grants: pinned })).toEqual(["not-granted /spec/inventory"]);
  });

  it("is at the pinned place of a Stack that names that or none, despite a forged file", async () => {
    const file = join(outside, "grants.yaml");
    writeFileSync(file, "inventory: service\n");
    const grants = { ...readGrants(file), maxDeletes: 10 };
    const north = { ...group("north"), lifecycle: { protect: true } };
    writeStackSpec({ inventory: "service" });
    await stack.write([north]);
    await stack.apply({ grants });
    // A record of the same objects without protection, which a pull request contains.
    writeStackSpec({ inventory: { file: "forged.json" }, policy: { prune: true } });
    await stack.write([group("north")]);
    await stack.adopt();
    await stack.write([group("south")]);
    expect(await diagnosticsOf()).not.toContain("protected");
    expect(await diagnosticsOf({ grants })).toEqual(["not-granted /spec/inventory"]);
    writeStackSpec({ policy: { prune: true } });
    expect((await diagnosticsOf({ grants })).join()).toContain("protected");
  });
});

describe("a delete limit", () => {
  it("is not raised by the Stack beyond what is granted", async () => {
    const documents = Array.from({ length: 13 }, (_, at) => group(`group-${at}`));
    await stack.write(documents);
    await stack.apply();
    writeStackSpec({
      inventory: "file",
      policy: { prune: true, maxDeletes: 1000, maxDeletePercent: 100 },
    });
    await stack.write(documents.slice(0, 2));
    const approve = async () => true;
    const run = (grants = noGrants) => apply({ ...stack.options, grants, approve });
    expect(await diagnosticsOf()).toEqual(["delete-limit"]);
    await expect(run()).rejects.toMatchObject({ details: { count: 11, deleteLimit: 10 } });
    await expect(
      run({ ...noGrants, maxDeletes: 1000, maxDeletePercent: 50 }),
    ).rejects.toMatchObject({
      details: { count: 11, deleteLimit: 6 },
    });
    await run({ ...noGrants, maxDeletes: 11 });
  });
});

it("grants in the Stack's folder grant nothing, also through a link from elsewhere or to it", async () => {
  const file = join(stack.folder, "grants.yaml");
  writeFileSync(file, "maxDeletes: 1000\n");
  const link = join(outside, "grants.yaml");
  symlinkSync(file, link);
  writeFileSync(join(outside, "real.yaml"), "maxDeletes: 1000\n");
  const within = join(stack.folder, "within.yaml");
  symlinkSync(join(outside, "real.yaml"), within);
  symlinkSync(outside, join(stack.folder, "away"));
  const away = join(stack.folder, "away/real.yaml");
  writeStackSpec({ manifests: ["documents.yaml"] });
  await stack.write([group("north")]);
  for (const from of [file, link, within, away]) {
    expect(await diagnosticsOf({ grants: { ...noGrants, file: from } })).toEqual(["not-granted"]);
  }
  expect(
    await diagnosticsOf({ grants: { ...noGrants, file: join(outside, "real.yaml") } }),
  ).toEqual([]);
  expect(existsSync(join(stack.folder, ".svc"))).toBe(false);
});
