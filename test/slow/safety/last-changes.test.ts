// Tests that `drift` and `why` name who changed an object on the server, from its audit log.
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { listAuditLogs } from "../../../api/audit-logs.ts";
import { getSpec } from "../../../api/spec.ts";
import { fieldsOf } from "../../../core/kind/fields.ts";
import type { JsonValue } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { Secret } from "../../../core/secret.ts";
import { drift } from "../../../reconciler/drift.ts";
import { why } from "../../../reconciler/why.ts";
import { kinds } from "../../../resources/index.ts";
import {
  everyKind,
  everyKindChanged,
  everySingleton,
  everySingletonChanged,
  prepareAccount,
} from "../../support/every-kind.ts";
import { startProxy } from "../../support/fault-proxy.ts";
import { startService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

it("names the user, the API key, the time and the operation", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await stack.write([
      { kind: "UserGroup", name: "sellers", spec: { name: "sellers", description: "who sell" } },
    ]);
    await stack.apply();
    const { body: created } = await service.send("POST", "/api/v1/api-keys", {
      body: { name: "laptop" },
    });
    const { token: key } = created as { token: string };
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const { id } = (body as { items: { id: number }[] }).items[0] ?? {};
    const change = { key, body: { description: "changed by hand" } };
    await service.send("PATCH", `/api/v1/user-groups/${id}`, change);
    const who =
      /^last changed by admin@svc\.localhost with the API key laptop at \S+Z: updateUserGroup$/;
    const found = await drift(stack.options);
    const notes = found.ok ? found.plan.diagnostics : [];
    expect(notes).toEqual([
      expect.objectContaining({ code: "last-change", summary: expect.stringMatching(who) }),
    ]);
    const explained = await why({ ...stack.options, address: "UserGroup/sellers" });
    const [note] = explained.ok ? explained.explanation.notes : [];
    expect(note).toMatchObject({ code: "last-change", summary: expect.stringMatching(who) });
    await service.send("DELETE", `/api/v1/groups/${id}`, { key });
    const drifted = await drift(stack.options);
    expect(drifted.ok && drifted.plan.diagnostics[0]?.summary).toMatch(
      /^last changed by admin@svc\.localhost with the API key laptop at \S+Z: deleteGroup$/,
    );
    const limited = { name: "limited", permissions: ["DirectoryRead"] };
    const { body: other } = await service.send("POST", "/api/v1/api-keys", { body: limited });
    const credential = new Secret((other as { token: string }).token);
    const connection = { ...stack.options.connection, credential };
    const blind = await drift({ ...stack.options, connection });
    const [refused] = blind.ok ? blind.plan.diagnostics : [];
    expect(refused?.summary).toContain("AuditLogRead");
  } finally {
    await stack.dispose();
    await service.close();
  }
});

it("names who changed a variable of the deployment, and not one of the same name elsewhere", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const deployment = { external: "main" };
    const variable = (name: string) => ({
      kind: "EnvironmentVariable",
      name: name.toLowerCase(),
      spec: { deployment, name, value: "EMEA" },
    });
    await stack.write([variable("REGION"), variable("CITY")]);
    await stack.apply();
    const other = { name: "other", region: "aws-us-east-1" };
    await service.send("POST", "/build/api/v1/deployments", { body: other });
    const { body } = await service.send("POST", "/api/v1/api-keys", { body: { name: "laptop" } });
    const { token: key } = body as { token: string };
    const change = { env_variables: [{ name: "REGION", value: "APAC" }] };
    const path = (id: number) => `/api/v1/deployments/${id}/env-vars`;
    await service.send("PUT", path(1), { key, body: change });
    await service.send("PUT", path(2), { body: change });
    const changed = await drift(stack.options);
    const summaries = changed.ok ? changed.plan.diagnostics.map(({ summary }) => summary) : [];
    expect(summaries).toEqual([
      expect.stringMatching(/^last changed by \S+ with the API key laptop at \S+Z: setVariables$/u),
    ]);
    await service.send("DELETE", `${path(1)}/REGION`, { key });
    const drifted = await drift(stack.options);
    expect(drifted.ok && drifted.plan.diagnostics[0]?.summary).toMatch(
      /laptop at \S+: deleteVariable$/u,
    );
  } finally {
    await stack.dispose();
    await service.close();
  }
});

it("finds the change behind calls that change nothing, and not that of another object", async () => {
  const service = await startService();
  const proxy = await startProxy(service.url);
  const stack = await makeStack({ url: proxy.url, key: service.adminKey });
  try {
    const shop = { name: "shop", region: "aws-us-east-1" };
    await stack.write([
      { kind: "Deployment", name: "shop", spec: { ...shop, defaultLaunchpadViewGroup: "sales" } },
      {
        kind: "EnvironmentVariable",
        name: "region",
        spec: { deployment: "shop", name: "REGION", value: "EMEA" },
      },
    ]);
    await stack.apply();
    const { body } = await service.send("POST", "/api/v1/api-keys", { body: { name: "laptop" } });
    const { token: key } = body as { token: string };
    const { body: list } = await service.send("GET", "/api/v1/deployments?first=100");
    const { items } = list as { items: { id: number; name: string }[] };
    const { id } = items.find(({ name }) => name === "shop") ?? {};
    const settings = { defaultLaunchpadViewGroup: "by hand" };
    await service.send("PUT", `/api/v1/deployments/${id}`, { key, body: settings });
    const set = (name: string, by?: string) =>
      service.send("PUT", `/api/v1/deployments/${id}/env-vars`, {
        ...(by !== undefined && { key: by }),
        body: { env_variables: [{ name, value: "APAC" }] },
      });
    await set("REGION", key);
    // Sends the current value, with a name that differs in case.
    await set("REGION");
    await set("region");
    const calls = limits.lastChangesPerPage + 1;
    for (let call = 0; call < calls; call++) {
      await service.send("POST", `/api/v1/deployments/${id}/token`, { body: {} });
    }
    const pagesRead = async () => {
      proxy.arm();
      const changes = await lastChanges(stack);
      expect(changes.get("Deployment/shop")).toMatch(/key laptop at \S+: updateDeployment$/u);
      const variable = changes.get("EnvironmentVariable/region");
      expect(variable).toMatch(/key laptop at \S+: setVariables$/u);
      return proxy.requests.filter((one) => one.path.startsWith(listAuditLogs.path)).length;
    };
    const pages = await pagesRead();
    // A server without the filter lists all calls, and refuses the unknown parameter.
    proxy.alterResponses(({ path }, answer) =>
      path === getSpec.path ? withoutParameter(answer, "changed") : answer,
    );
    expect(await pagesRead()).toBeGreaterThan(pages);
  } finally {
    await stack.dispose();
    await proxy.close();
    await service.close();
  }
});

it("warns about a secret that was written after the last apply, although it cannot be compared", async () => {
  let aheadMs = 30_000;
  const service = await startService({ now: () => Date.now() + aheadMs });
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const deployment = { external: "main" };
    const variable = (name: string, value: string) => ({
      kind: "EnvironmentVariable",
      name: name.toLowerCase(),
      spec: { deployment, name, value },
    });
    const jane = { username: "jane", email: "jane@example.com", password: "a first passphrase" };
    const members = [
      { kind: "UserGroup", name: "buyers", spec: { name: "buyers" } },
      { kind: "GroupMembership", name: "jane-buyer", spec: { user: "jane", group: "buyers" } },
    ];
    const documents = (token: string) => [
      variable("API_TOKEN", token),
      variable("DB_PASSWORD", "kept"),
      { kind: "User", name: "jane", spec: jane },
      ...members,
    ];
    await stack.write(documents("first"));
    await stack.apply({ createsKey: true });
    const warnings = async () => {
      const found = await drift(stack.options);
      expect(found.ok && found.plan.changes).toEqual([]);
      return (found.ok ? found.plan.diagnostics : []).filter(
        ({ severity }) => severity === "warning",
      );
    };
    // The clock of the server is ahead, and the membership, which is written after the user, is an entry of the user too.
    expect(await warnings()).toEqual([]);
    aheadMs = 90_000;
    const { body } = await service.send("POST", "/api/v1/api-keys", { body: { name: "laptop" } });
    const { token: key } = body as { token: string };
    const change = { env_variables: [{ name: "API_TOKEN", value: "by hand" }] };
    await service.send("PUT", "/api/v1/deployments/1/env-vars", { key, body: change });
    const { body: list } = await service.send("GET", "/api/v1/users?first=100");
    const { items } = list as { items: { id: number; username: string }[] };
    const id = items.find(({ username }) => username === "jane")?.id;
    const other = { password: "another passphrase" };
    const set = await service.send("PUT", `/api/v1/users/${id}`, { key, body: other });
    expect(set.status).toBe(200);
    const written = (field: string, operation: string) =>
      expect.stringMatching(
        new RegExp(
          `^${field} cannot be verified, and the object was changed after the last apply at \\S+Z: by \\S+ with the API key laptop at \\S+Z: ${operation}$`,
          "u",
        ),
      );
    const code = "not-verifiable";
    expect(await warnings()).toEqual([
      expect.objectContaining({
        code,
        address: "EnvironmentVariable/api_token",
        summary: written("value", "setVariables"),
      }),
      expect.objectContaining({
        code,
        address: "User/jane",
        summary: written("password", "updateUser"),
      }),
    ]);
    const explained = await why({ ...stack.options, address: "User/jane" });
    const notes = explained.ok ? explained.explanation.notes : [];
    expect(notes.map((one) => one.code)).toEqual([code, "last-change"]);
    // The next apply of the object writes the value of the manifest.
    aheadMs = 30_000;
    await stack.write(documents("second"));
    await stack.apply({ createsKey: true });
    expect((await warnings()).map(({ address }) => address)).toEqual(["User/jane"]);
  } finally {
    await stack.dispose();
    await service.close();
  }
});

it("says how many secrets it did not look up", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    const deployment = { external: "main" };
    const variable = (_: unknown, at: number) => ({
      kind: "EnvironmentVariable",
      name: `token-${at}`,
      spec: { deployment, name: `TOKEN_${at}`, value: "secret" },
    });
    await stack.write(Array.from({ length: limits.lastChangesShown + 3 }, variable));
    await stack.apply();
    const found = await drift(stack.options);
    const summaries = (found.ok ? found.plan.diagnostics : []).map(({ summary }) => summary);
    expect(summaries).toContainEqual(expect.stringContaining("not for those of 3 more"));
  } finally {
    await stack.dispose();
    await service.close();
  }
});

/** Returns an OpenAPI document in which the audit log has no such parameter. */
function withoutParameter(body: JsonValue, name: string): JsonValue {
  const spec = structuredClone(body) as {
    paths: Record<string, { get: { parameters: { name: string }[] } }>;
  };
  const list = spec.paths[listAuditLogs.path]?.get;
  const kept = list?.parameters.filter((one) => one.name !== name) ?? [];
  expect(list?.parameters.length).toBe(kept.length + 1);
  if (list !== undefined) list.parameters = kept;
  return spec as object as JsonValue;
}

it("does not name an older change of an object that went with another one", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await stack.write([
      { kind: "User", name: "jane", spec: { username: "jane", email: "jane@example.com" } },
      { kind: "UserGroup", name: "buyers", spec: { name: "buyers" } },
      { kind: "GroupMembership", name: "jane-buyer", spec: { user: "jane", group: "buyers" } },
    ]);
    await stack.apply();
    const { body } = await service.send("GET", "/api/v1/users?first=100");
    const { items } = body as { items: { id: number; username: string }[] };
    const id = items.find(({ username }) => username === "jane")?.id;
    expect((await service.send("DELETE", `/api/v1/users/${id}`)).status).toBeLessThan(300);
    const notes = await lastChanges(stack);
    expect([...notes.keys()]).toEqual(["User/jane"]);
    expect(notes.get("User/jane")).toMatch(/: deleteUser$/u);
  } finally {
    await stack.dispose();
    await service.close();
  }
});

/** Returns the notes on the last change of each object that drifted, by address. */
async function lastChanges(
  { options }: TestStack,
  of?: string,
): Promise<ReadonlyMap<string, string>> {
  const drifted = of === undefined ? await drift(options) : undefined;
  const addresses = drifted?.ok ? drifted.plan.changes.map(({ address }) => address) : [of ?? ""];
  const notes = new Map<string, string>();
  // With the objects that they refer to, there may be several times as many targets.
  const batchSize = limits.lastChangesShown / 4;
  for (let at = 0; at < addresses.length; at += batchSize) {
    const targets = addresses.slice(at, at + batchSize);
    const some = await drift({ ...options, targets });
    for (const { code, summary, address } of some.ok ? some.plan.diagnostics : []) {
      if (code === "last-change") notes.set(address ?? "", summary);
    }
  }
  return notes;
}

/** Types in which only values that no read returns can change. */
const deleted = new Set(["NotificationEmbedRecipient", "EmbedUserAttribute"]);

it("names who changed or deleted an object of every type", { timeout: 300_000 }, async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await prepareAccount(service);
    const all = [...everyKind, ...everySingleton];
    await stack.write(all);
    await stack.apply({ createsKey: true });
    const { body } = await service.send("POST", "/api/v1/api-keys", { body: { name: "laptop" } });
    const { token } = body as { token: string };
    const inventory = join(stack.folder, ".svc");
    const copy = join(stack.folder, "copy");
    await cp(inventory, copy, { recursive: true });
    // Another key would mean another object, and its contents would be deleted with the old one.
    const changed = [...everyKindChanged, ...everySingletonChanged].map((one) =>
      withSameObject(one, all),
    );
    const isSame = (one: Doc) =>
      all.some((doc) => doc.name === one.name && isDeepStrictEqual(doc, one));
    const kept = withReferredTo(
      changed.filter((one) => !isSame(one) && !deleted.has(one.kind)),
      all,
    );
    await stack.write(kept);
    const connection = { ...stack.options.connection, credential: new Secret(token) };
    await stack.apply({ connection, createsKey: true });
    await rm(inventory, { recursive: true });
    await cp(copy, inventory, { recursive: true });
    await stack.write(all);
    const notes = await lastChanges(stack);
    const others = [...notes].filter(([, note]) => !note.includes("key laptop"));
    expect(others).toEqual([]);
    // Other objects refer to it, so it was kept.
    const tenant = everyKind.find(({ kind }) => kind === "EmbedTenant");
    const path = `/api/v1/embed-tenants/${tenant?.spec["name"] as string}`;
    expect((await service.send("DELETE", path, { key: token })).text).toBe("");
    const changes = await lastChanges(stack, `EmbedTenant/${tenant?.name}`);
    expect(changes.get(`EmbedTenant/${tenant?.name}`)).toMatch(
      /key laptop at \S+: deleteEmbedTenant$/u,
    );
    const found = new Set([...notes.keys(), "EmbedTenant"].map((one) => one.split("/")[0]));
    expect(kinds.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
  } finally {
    await stack.dispose();
    await service.close();
  }
});

/** Returns documents together with the documents of `all` that they refer to by name. */
function withReferredTo(documents: readonly Doc[], all: readonly Doc[]): readonly Doc[] {
  const kept = [...documents];
  const missing = () =>
    all.filter(
      ({ kind, name }) =>
        !kept.some((one) => one.kind === kind && one.name === name) &&
        kept.some((one) => Object.values(one.spec).includes(name)),
    );
  for (let more = missing(); more.length > 0; more = missing()) kept.push(...more);
  return kept;
}

/** Returns a document with the unchangeable values of the document that has the same name. */
function withSameObject(one: Doc, all: readonly Doc[]): Doc {
  const before = all.find(({ kind, name }) => kind === one.kind && name === one.name);
  const kind = kinds.find(({ name }) => name === one.kind);
  if (before === undefined || kind === undefined) return one;
  const replacing = fieldsOf(kind).filter(({ traits }) => traits.onChange === "replace");
  const fixed = new Set([...kind.key, ...replacing.map(({ name }) => name)]);
  const spec = Object.entries(one.spec).filter(([name]) => !fixed.has(name));
  const kept = Object.entries(before.spec).filter(([name]) => fixed.has(name));
  return { ...one, spec: Object.fromEntries([...spec, ...kept]) };
}
