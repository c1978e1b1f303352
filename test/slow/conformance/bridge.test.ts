// Tests the bridge with the real service: the lifecycle of every kind, shared reads, batched writes, and conflicts with
// existing objects.
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../../client/client.ts";
import { isFailure } from "../../../core/errors.ts";
import { keyOf } from "../../../core/kind/identity.ts";
import type { JsonObject } from "../../../core/json.ts";
import { type Kind, kindsByName } from "../../../core/kind/kind.ts";
import { limits } from "../../../core/limits/limits.ts";
import { Secret } from "../../../core/secret.ts";
import { kinds } from "../../../resources/index.ts";
import { everyKind, everySingleton, prepareAccount } from "../../support/every-kind.ts";
import { resolveReferences } from "../../../scripts/resolve-references.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Bridge, createBridge } from "../../../provider/bridge/bridge.ts";
import { fingerprintsFor, openBridge, resolveSettings } from "../../../provider/bridge/connect.ts";
import { diffInputs } from "../../../provider/bridge/diff-inputs.ts";
import { readTargetFor, readTargetForImport } from "../../../provider/bridge/read-target.ts";
import { listen } from "../../support/listen.ts";

let service: TestService;
let proxy: Proxy;
let bridge: Bridge;

const desiredObjects = resolveReferences(everyKind);

function kindNamed(name: string): Kind {
  const kind = kindsByName(kinds).get(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

beforeEach(async () => {
  service = await startService();
  await prepareAccount(service);
  proxy = await startProxy(service.url);
  bridge = await open();
});
afterEach(async () => {
  await bridge.close();
  await proxy.close();
  await service.close();
});

async function open(): Promise<Bridge> {
  const client = createClient({ url: proxy.url, credential: new Secret(service.adminKey) });
  return createBridge(client, await client.discoverApi());
}

async function createAll(): Promise<void> {
  for (const { kind, spec } of desiredObjects) {
    const { failure } = await bridge.create(kind, spec);
    expect(failure).toBeUndefined();
  }
}

describe("every kind", () => {
  it("is created, refused a second time, found by its import id, and deleted", async () => {
    await createAll();
    for (const { kind, spec } of desiredObjects) {
      const seen = await bridge.read(readTargetForImport(kind, keyOf(kind, spec)));
      const hidden = diffInputs(kind, spec, seen?.spec ?? {}).filter(
        ({ reason }) => reason !== "unverified",
      );
      expect([kind.name, hidden]).toEqual([kind.name, []]);
    }
    const other = await open();
    try {
      for (const { kind, spec } of desiredObjects) {
        await expect(other.create(kind, spec)).rejects.toMatchObject({ code: "conflict" });
      }
      for (const { kind, spec } of desiredObjects.toReversed()) {
        const observed = await other.readFresh(readTargetFor(kind, spec));
        if (observed === undefined) throw new Error(`${kind.name} does not exist`);
        await other.delete(kind, observed, kinds);
        expect(await other.readFresh(readTargetFor(kind, spec))).toBeUndefined();
        await other.delete(kind, observed, kinds);
      }
    } finally {
      await other.close();
    }
  });
});

describe("every singleton", () => {
  it("is created by an update, changed and kept by a delete", async () => {
    for (const { kind, spec } of resolveReferences(everySingleton)) {
      const variations = kind.examples[0]?.variations as JsonObject;
      for (const desired of [variations, spec]) {
        const { observed, failure } = await bridge.create(kind, desired);
        expect(failure).toBeUndefined();
        expect(diffInputs(kind, desired, observed.spec)).toEqual([]);
      }
      const imported = await bridge.read(readTargetForImport(kind, "account"));
      expect(imported?.spec).toMatchObject(spec);
      for (const verb of ["create", "update", "delete"] as const) {
        const write = { spec, live: undefined, changed: new Set(Object.keys(spec)) };
        expect(bridge.preflightError(verb, kind, write)).toBeUndefined();
      }
      if (imported === undefined) throw new Error(`${kind.name} does not exist`);
      proxy.arm();
      await bridge.delete(kind, imported, kinds);
      expect(proxy.writes()).toEqual([]);
      expect((await bridge.readFresh(readTargetFor(kind, spec)))?.spec).toMatchObject(spec);
      expect(() => readTargetForImport(kind, "another")).toThrow("is not an import id");
    }
  });
});

const group = kindNamed("UserGroup");
const names = Array.from({ length: 40 }, (_, at) => `group-${at}`);
const reads = () => proxy.requests.filter(({ method }) => method === "GET");

describe("reads", () => {
  it("share one list until a write", async () => {
    for (const name of names.slice(0, 3)) await bridge.create(group, { name });
    proxy.arm();
    await Promise.all(names.map((name) => bridge.read(readTargetFor(group, { name }))));
    await bridge.read(readTargetFor(group, { name: "another" }));
    expect(reads()).toHaveLength(1);
    await bridge.create(group, { name: "another" });
    expect(await bridge.read(readTargetFor(group, { name: "another" }))).toBeDefined();
  });

  it("after a write are fresh and shared by concurrent writes", async () => {
    proxy.arm();
    const created = await Promise.all(names.map((name) => bridge.create(group, { name })));
    expect(created.map(({ observed }) => observed.spec["name"])).toEqual(names);
    expect(created.every(({ observed }) => observed.id !== undefined)).toBe(true);
    expect(reads().length).toBeLessThan(names.length / 2);
  });

  it("by id find a renamed object", async () => {
    const kind = kindNamed("Deployment");
    const desired = desiredObjects.find((one) => one.kind === kind)?.spec ?? {};
    const { observed } = await bridge.create(kind, desired);
    await service.send("PUT", `/api/v1/deployments/${observed.id}`, { body: { name: "renamed" } });
    const seen = await bridge.readFresh(readTargetFor(kind, desired, { id: observed.id }));
    expect(seen?.spec["name"]).toBe("renamed");
    expect((await bridge.read(readTargetForImport(kind, `id=${observed.id}`)))?.spec["name"]).toBe(
      "renamed",
    );
    expect(() => readTargetForImport(kind, "a/b")).toThrow("is not an import id");
  });
});

describe("writes", () => {
  const variable = kindNamed("EnvironmentVariable");
  const desired = (name: string, value = "x"): JsonObject => ({
    deployment: "production",
    name,
    value,
  });

  it("share batch requests; a refused batch fails only its invalid object", async () => {
    const deployment = desiredObjects.find(({ kind }) => kind.name === "Deployment");
    if (deployment === undefined) throw new Error("no deployment");
    await bridge.create(deployment.kind, deployment.spec);
    proxy.arm();
    const specs = names.map((_, at) => desired(`VAR_${at}`));
    const created = await Promise.all(specs.map((spec) => bridge.create(variable, spec)));
    expect(created.every(({ failure }) => failure === undefined)).toBe(true);
    expect(proxy.writes()).toHaveLength(1);

    const bad = [
      ...specs.map((spec) => ({ ...spec, name: `${spec.name as string}_B` })),
      desired("1BAD"),
    ];
    const ended = await Promise.allSettled(bad.map((spec) => bridge.create(variable, spec)));
    expect(ended.map(({ status }) => status)).toEqual([
      ...specs.map(() => "fulfilled"),
      "rejected",
    ]);
  });

  it("do not count an object as created that may have been there before a lost answer", async () => {
    proxy.arm(1, "lose-answer", limits.attempts);
    const created = bridge.create(group, { name: "lone" });
    await expect(created).rejects.toMatchObject({ code: "conflict" });
    const again = bridge.create(group, { name: "lone" });
    await expect(again).rejects.toMatchObject({
      code: "conflict",
      remedy: expect.stringContaining("Import it with the id lone"),
    });
  });

  it("name the rotation of a generated secret that a lost answer contained", async () => {
    const scim = kindNamed("ScimIntegration");
    await bridge.create(kindNamed("TenantSettings"), { scimEnabled: true });
    proxy.arm(1, "lose-answer", limits.attempts);
    await expect(bridge.create(scim, { name: "okta" })).rejects.toMatchObject({
      code: "conflict",
      remedy: expect.stringContaining("svc scim-integrations rotate-token okta"),
    });
  });

  it("do not start after a stop", async () => {
    bridge.stop();
    proxy.arm();
    await expect(bridge.create(group, { name: "late" })).rejects.toMatchObject({ code: "aborted" });
    expect(proxy.writes()).toEqual([]);
  });
});

describe("fingerprints", () => {
  it("cover secrets only with a key in the environment, and are equal for equal keys", () => {
    const env = { SVC_FINGERPRINT_KEY: "k".repeat(32) };
    const of = (salt: string, given: Readonly<Record<string, string>>, secret: boolean) =>
      fingerprintsFor(salt, given).fingerprints.of("value", secret);
    expect(fingerprintsFor("salt", {}).coversSecrets).toBe(false);
    expect(fingerprintsFor("salt", env).coversSecrets).toBe(true);
    expect(of("salt", env, true)).toBe(of("another", env, true));
    expect(of("salt", {}, true)).not.toBe(of("salt", {}, true));
    expect(of("salt", {}, false)).toBe(of("salt", env, false));
  });
});

describe("connecting", () => {
  it("reports all errors of a configuration", () => {
    const given = { authScheme: "basic", retries: 99, requestsPerSecond: 0, ca: "no-such-file" };
    const wrong = resolveSettings(given, {});
    if (!Array.isArray(wrong)) throw new Error("it was taken");
    expect(wrong.map(({ field }: { field: string }) => field)).toEqual([
      "url",
      "apiKey",
      "authScheme",
      "requestsPerSecond",
      "retries",
      "ca",
    ]);
  });

  it.each(["acme.example.com", "ftp://acme.example.com", "http://acme.example.com", "https://x/y"])(
    "refuses the address %s before anything is sent",
    (url) => {
      expect(resolveSettings({ url, apiKey: "sk-any" }, {})).toMatchObject([{ field: "url" }]);
    },
  );

  it.each([
    ["an unreachable server", { url: "http://127.0.0.1:9" }, "unreachable"],
    ["a wrong key", { apiKey: "sk-wrong" }, "unauthenticated"],
  ])("fails first for %s, with a remedy", async (_, changed, code) => {
    const settings = resolveSettings(
      { retries: 0, ...changed },
      {
        SVC_API_URL: service.url,
        SVC_API_KEY: service.adminKey,
      },
    );
    if (Array.isArray(settings)) throw new Error("it was refused");
    const opened = openBridge(settings as never, { userAgent: "test" });
    const error: unknown = await opened.catch((one: unknown) => one);
    expect(isFailure(error) && error.code).toBe(code);
    expect(isFailure(error) && error.remedy).toBeTruthy();
  });

  it("times out with a silent server and can be cancelled", async () => {
    const silent = createServer(() => undefined);
    const url = await listen(silent);
    const settings = resolveSettings({ url, apiKey: "sk-any" }, {});
    if (!("url" in settings)) throw new Error("it was refused");
    try {
      const opened = openBridge(settings, { userAgent: "test", connectMs: 50 });
      await expect(opened).rejects.toMatchObject({
        code: "timeout",
        remedy: expect.stringContaining("Check the server's address"),
      });
      const stopping = new AbortController();
      silent.once("request", () => stopping.abort());
      const stopped = openBridge(settings, { userAgent: "test", signal: stopping.signal });
      await expect(stopped).rejects.toMatchObject({ code: "aborted" });
      await expect(
        openBridge(settings, { userAgent: "test", signal: stopping.signal }),
      ).rejects.toMatchObject({ code: "aborted" });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it("stops with the same signal afterwards, and still reads back finished writes", async () => {
    const settings = resolveSettings({ url: service.url, apiKey: service.adminKey }, {});
    if (!("url" in settings)) throw new Error("it was refused");
    const stopping = new AbortController();
    const opening = { userAgent: "test", signal: stopping.signal };
    const opened = await openBridge(settings, opening);
    stopping.abort();
    await expect(opened.create(group, { name: "late" })).rejects.toMatchObject({ code: "aborted" });
    expect(await opened.readFresh(readTargetFor(group, { name: "late" }))).toBeUndefined();
    await opened.close();
  });
});
