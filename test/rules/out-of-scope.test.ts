// Tests that only an object that the credential may read can be gone: where a scope or missing rights hide objects, reads,
// plans, applies, drift, refreshes and deletes fail, and nothing forgets an object.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { isFailure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { type Bridge, createBridge } from "../../provider/bridge/bridge.ts";
import { readTargetFor } from "../../provider/bridge/read-target.ts";
import { create, read, remove } from "../../provider/pulumi/resources.ts";
import type { VerbOptions } from "../../reconciler/verbs/session.ts";
import { apply } from "../../reconciler/apply.ts";
import { drift } from "../../reconciler/drift.ts";
import { plan } from "../../reconciler/plan.ts";
import { resolveReferences } from "../../scripts/resolve-references.ts";
import { applyResource, configureProvider } from "../conformance/terraform-protocol.ts";
import { kindNamed } from "../conformance/registry-cases.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../support/test-stack.ts";
import { kinds } from "../../resources/index.ts";

let service: TestService;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  service = await startService();
  await prepareAccount(service);
  await service.send("PUT", "/api/v1/tenant/settings", { body: { personalKeysEnabled: true } });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(() => service.close());

/** Creates an API key. */
async function keyWith(body: JsonObject): Promise<string> {
  const { status, body: created } = await service.send("POST", "/api/v1/api-keys", { body });
  expect([status, created]).toEqual([200, expect.objectContaining({ token: expect.any(String) })]);
  return (created as { token: string }).token;
}

/** Creates a key that is limited to the deployment `main`, and may write every state. */
const scopedKey = (): Promise<string> =>
  keyWith({ name: "scoped", deploymentIds: [1], states: [{ name: "svc-*", access: "write" }] });

/** Creates a key of a user who is no administrator. */
async function keyOf(name: string): Promise<string> {
  const { body } = await service.send("GET", `/api/v1/users?search=${name}`);
  const [user] = (body as { items: { id: number }[] }).items;
  return keyWith({ name: `of ${name}`, ownerUserId: user?.id ?? 0 });
}

async function bridgeWith(key: string): Promise<Bridge> {
  const client = createClient({ url: service.url, credential: new Secret(key) });
  const bridge = createBridge(client, await client.discoverApi());
  open.push(bridge);
  return bridge;
}

describe("an object of every kind", () => {
  const objects = resolveReferences(everyKind);
  const answers = async (key: string) => {
    const bridge = await bridgeWith(key);
    const found = objects.map(async ({ kind, name, spec }): Promise<readonly [string, string]> => {
      const target = readTargetFor(kind, spec);
      const code = await bridge.read(target).then(
        (observed) => (observed === undefined ? "gone" : "found"),
        (error: unknown): ErrorCode => {
          if (isFailure(error)) return error.code;
          throw error;
        },
      );
      return [`${kind.name}/${name}`, code];
    });
    return Promise.all(found);
  };

  it("is gone for an administrator", async () => {
    const found = await answers(service.adminKey);
    expect(new Set(found.map(([, code]) => code))).toEqual(new Set(["gone"]));
  });

  it("is not gone for a key that is limited to another deployment", async () => {
    const found = await answers(await scopedKey());
    expect(found.filter(([, code]) => code === "out_of_scope").length).toBeGreaterThan(10);
    expect(found.filter(([, code]) => code === "gone")).toEqual([]);
  });

  it("that exists is not gone for a user who is no administrator", async () => {
    const stack = await makeStack({ url: service.url, key: service.adminKey, name: "every-kind" });
    try {
      await stack.write(everyKind);
      await stack.apply();
      // The operator has a role for one of the deployments.
      for (const user of ["analyst", "operator"]) {
        const found = await answers(await keyOf(user));
        expect(found.filter(([, code]) => code === "out_of_scope").length).toBeGreaterThan(0);
        expect(found.filter(([, code]) => code === "gone")).toEqual([]);
      }
      await stack.write([]);
      await stack.apply();
    } finally {
      await stack.dispose();
    }
  });
});

it("an object in the scope of a key is gone once it is deleted", async () => {
  const folder = kindNamed("Folder");
  const spec = { deployment: "main", name: "short-lived" };
  const scoped = await bridgeWith(await scopedKey());
  await scoped.create(folder, spec);
  const found = await scoped.readFresh(readTargetFor(folder, spec));
  expect(found).toBeDefined();
  const all = await bridgeWith(service.adminKey);
  await all.delete(folder, found ?? { id: undefined, spec, status: {} }, kinds);
  expect(await scoped.readFresh(readTargetFor(folder, spec))).toBeUndefined();
});

describe("front ends", () => {
  const hidden: readonly Doc[] = [
    { kind: "Deployment", name: "hidden", spec: { name: "hidden", region: "aws-us-east-1" } },
    { kind: "Folder", name: "sales", spec: { deployment: "hidden", name: "Sales" } },
    { kind: "Folder", name: "marketing", spec: { deployment: "hidden", name: "Marketing" } },
  ];
  const anchorOf = (name: string): Doc => ({
    kind: "Folder",
    name: "anchor",
    spec: { deployment: { external: "main" }, name },
  });
  const names = async (): Promise<readonly string[]> => {
    const { body } = await service.send("GET", "/api/v1/deployments");
    return (body as { items: { name: string }[] }).items.map(({ name }) => name);
  };
  const withKey = ({ options }: TestStack, key: string): VerbOptions => ({
    ...options,
    connection: { ...options.connection, credential: new Secret(key) },
  });
  const code = "out-of-scope";
  const remedy = expect.stringContaining("--target") as string;
  const codes = {
    ok: false,
    diagnostics: [
      { code, remedy, address: "Deployment/hidden" },
      { code, remedy, address: "Folder/marketing" },
      { code, remedy, address: "Folder/sales" },
    ],
  };

  it.each(["file", "service"])(
    "svc with an inventory at %s fails and forgets nothing",
    async (where) => {
      const stack = await makeStack({
        url: service.url,
        key: service.adminKey,
        inventory: where,
        name: `in-${where}`,
      });
      const anchor = anchorOf(where);
      try {
        await stack.write([anchor, ...hidden]);
        await stack.apply();
        const limited = withKey(stack, await scopedKey());
        expect(await plan(limited)).toMatchObject(codes);
        // The rest goes on by name.
        expect(await plan({ ...limited, targets: ["Folder/anchor"] })).toMatchObject({ ok: true });
        expect(await drift(limited)).toMatchObject(codes);
        await stack.write([anchor]);
        expect(await apply({ ...limited, approve: async () => true })).toMatchObject(codes);
        expect(await names()).toContain("hidden");
        const { plan: whole } = await stack.apply();
        expect(whole.changes.map(({ action }) => action)).toEqual(["delete", "delete", "delete"]);
        expect(await names()).not.toContain("hidden");
      } finally {
        await stack.dispose();
      }
    },
  );

  it("svc names a reference that the credential may not read", async () => {
    const stack = await makeStack({ url: service.url, key: await scopedKey(), name: "refers" });
    try {
      const spec = { deployment: { external: "elsewhere" }, name: "Sales" };
      await stack.write([{ kind: "Folder", name: "sales", spec }]);
      expect(await stack.diagnostics()).toMatchObject([
        { code: "out-of-scope", severity: "error" },
      ]);
    } finally {
      await stack.dispose();
    }
  });

  it("a refresh of Terraform fails and keeps the state", async () => {
    const settings = { url: service.url };
    const all = await configureProvider({ ...settings, api_key: service.adminKey });
    const limited = await configureProvider({ ...settings, api_key: await scopedKey() });
    open.push(all, limited);
    const typeName = "svc_deployment";
    const values = { name: "hidden", region: "aws-us-east-1" };
    const { state, private: bytes } = await applyResource(all, typeName, { values });
    const held = { typeName, currentState: state, private: bytes };
    const refused = { newState: state, diagnostics: [{ severity: 1 }] };
    expect(await limited.handlers.ReadResource(held)).toMatchObject(refused);
    expect(await names()).toContain("hidden");
  });

  it("Pulumi refreshes and deletes fail", async () => {
    const [all, limited] = [
      await bridgeWith(service.adminKey),
      await bridgeWith(await scopedKey()),
    ];
    const [deployment, folder] = [kindNamed("Deployment"), kindNamed("Folder")];
    const parent = { name: "unseen", region: "aws-us-east-1" };
    await create(deployment, all, parent);
    const { id, state } = await create(folder, all, { deployment: "unseen", name: "Sales" });
    const held = { id, state, inputs: undefined, kindNamed };
    await expect(read(folder, limited, held)).rejects.toMatchObject({ code: "out_of_scope" });
    await expect(remove(folder, limited, { state, kinds })).rejects.toMatchObject({
      code: "out_of_scope",
    });
    expect(await read(folder, all, held)).toMatchObject({ id });
  });
});
