// Tests generated secrets: they are stored before a run reports them, a loss is reported, no other file is overwritten.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { protect } from "../../../reconciler/verbs/protect.ts";
import { adopt } from "../../../reconciler/adopt.ts";
import { spawnApply } from "../../support/apply-process.ts";
import { type Proxy, startProxy } from "../../support/fault-proxy.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { changeSummaries, makeStack, type TestStack } from "../../support/test-stack.ts";

const doc = { kind: "ApiKey", name: "ci", spec: { name: "ci" } };
const anchor = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };

let service: TestService;
let proxy: Proxy;
let stack: TestStack;

beforeEach(async () => {
  service = await startService();
  proxy = await startProxy(service.url);
  const policy = { concurrency: 1 };
  stack = await makeStack({ url: proxy.url, key: service.adminKey, policy });
  await stack.write([doc, anchor]);
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

const sink = () => join(stack.folder, "secrets", "ci");
const secret = () => readFile(sink(), "utf8");
const isValidKey = async (key: string) =>
  (await service.send("GET", "/api/v1/users/me", { key })).status === 200;
const changes = async () => changeSummaries((await stack.plan()).changes);
const codes = async () => (await stack.diagnostics()).map(({ code }) => code);

async function keys(): Promise<readonly number[]> {
  const { body } = await service.send("GET", "/api/v1/api-keys");
  const { items } = body as { items: { id: number; name: string }[] };
  return items.filter(({ name }) => name !== "operator").map(({ id }) => id);
}

/** Returns the contents of the stack's folder except the secret. */
async function otherFiles(): Promise<string> {
  const names = await readdir(stack.folder, { recursive: true });
  const texts = names
    .filter((name) => !name.startsWith("secrets"))
    .map((name) => readFile(join(stack.folder, name), "utf8").catch(() => ""));
  return (await Promise.all(texts)).join("\n");
}

it("are in a file that only its owner can read, and nowhere else", async () => {
  const applied = await stack.apply();
  expect(await isValidKey(await secret())).toBe(true);
  expect((await stat(sink())).mode & 0o777).toBe(0o600);
  expect(await secret()).toMatch(/^sk-[\w-]{43}$/);
  const everything = `${await otherFiles()}${JSON.stringify([applied, await stack.plan()])}`;
  expect(everything).not.toContain((await secret()).slice(4));
  expect(await changes()).toEqual([]);
});

it.each(["before", "after"] as const)(
  "are created again by the run after one that was killed %s the key was created",
  { timeout: 120_000 },
  async (when) => {
    const { folder } = stack;
    const child = await spawnApply({ folder, url: proxy.url, key: service.adminKey });
    let writes = 0;
    proxy.arm(await keyWriteNumber(), async () => {
      writes += 1;
      child.kill("SIGKILL");
      return when === "before" ? "drop" : "pass";
    });
    await once(child, "close");
    await proxy.idle();
    expect([writes, child.signalCode]).toEqual([1, "SIGKILL"]);
    const orphaned = await keys();
    expect(orphaned).toHaveLength(when === "before" ? 0 : 1);
    proxy.arm();
    if (when === "after") {
      expect(await changes()).toContain("replace ApiKey/ci");
      expect(await codes()).toContain("secret-lost");
    }
    await stack.apply();
    const [id, ...others] = await keys();
    expect(others).toEqual([]);
    expect(orphaned).not.toContain(id);
    expect(await isValidKey(await secret())).toBe(true);
    expect(await changes()).toEqual([]);
  },
);

/** Returns the number of the write that creates the key. */
async function keyWriteNumber(): Promise<number> {
  const other = await makeStack({ url: proxy.url, key: service.adminKey, name: "other" });
  await other.write([
    { ...doc, spec: { name: "measured" } },
    { ...anchor, spec: { name: "measured" } },
  ]);
  proxy.arm();
  await other.apply();
  const at = proxy.writes().findIndex((write) => JSON.stringify(write).includes("api-keys"));
  await other.write([{ ...anchor, spec: { name: "measured" } }]);
  await other.apply();
  await other.dispose();
  return at + 1;
}

it("that cannot be kept fail the create, and the next run makes another", async () => {
  // The path is free during the plan, but a file exists when the secret is written.
  const failed = await stack.apply({
    progress: (event) => {
      if (event.event !== "phase" || event.phase !== "apply") return;
      writeFileSync(join(stack.folder, "secrets"), "in the way");
    },
  });
  expect(failed.outcomes.find(({ address }) => address === "ApiKey/ci")).toMatchObject({
    result: "failed",
    failure: { message: expect.stringContaining("its secret could not be written") },
  });
  const before = await keys();
  await rm(join(stack.folder, "secrets"));
  expect(await changes()).toEqual(["replace ApiKey/ci"]);
  await stack.apply();
  expect(await keys()).not.toEqual(before);
  expect(await isValidKey(await secret())).toBe(true);
});

it("that can be rotated may be kept elsewhere: no plan advises to replace the object", async () => {
  const settings = { kind: "TenantSettings", name: "account", spec: { scimEnabled: true } };
  const okta = { kind: "ScimIntegration", name: "okta", spec: { name: "okta" } };
  await stack.write([settings, okta]);
  await stack.apply();
  await rm(join(stack.folder, "secrets"), { recursive: true });
  expect(await changes()).toEqual([]);
  expect(await stack.diagnostics()).toEqual([
    expect.objectContaining({
      code: "sink-drift",
      severity: "info",
      remedy: expect.stringContaining("svc scim-integrations rotate-token okta "),
    }),
  ]);
});

it("that are lost with the answer to a create name the rotation, and replace nothing", async () => {
  const settings = { kind: "TenantSettings", name: "account", spec: { scimEnabled: true } };
  const okta = { kind: "ScimIntegration", name: "okta", spec: { name: "okta" } };
  await stack.write([settings]);
  await stack.apply();
  await stack.write([settings, okta]);
  proxy.arm(1, "lose-answer", 100);
  expect((await stack.apply()).outcomes).toMatchObject([
    {
      address: "ScimIntegration/okta",
      result: "failed",
      failure: {
        code: "conflict",
        message: expect.stringContaining("The object exists now"),
        remedy: expect.stringMatching(
          /its token is lost: .*`svc scim-integrations rotate-token okta`.*delete it/u,
        ),
      },
    },
  ]);
  proxy.arm();
  expect(await changes()).toEqual(["refuse ScimIntegration/okta"]);
  await stack.apply({ adopt: () => true });
  expect(await changes()).toEqual([]);
});

it("that were rotated without the stack are reported until the file has the new one", async () => {
  const settings = { kind: "TenantSettings", name: "account", spec: { scimEnabled: true } };
  const okta = { kind: "ScimIntegration", name: "okta", spec: { name: "okta" } };
  await stack.write([settings, okta]);
  await stack.apply();
  expect([await changes(), await codes()]).toEqual([[], []]);
  const { body: found } = await service.send("GET", "/api/v1/scim-integrations");
  const [{ id }] = found as [{ id: number }];
  const path = `/api/v1/scim-integrations/${id}/rotate-token`;
  const { body } = await service.send("POST", path, { body: {} });
  expect(await changes()).toEqual([]);
  const [note] = await stack.diagnostics();
  expect(note).toMatchObject({
    code: "sink-drift",
    summary: expect.stringContaining("contains a secret that was rotated since"),
  });
  // The suggested command does not change the file if the rotation fails, and is the only one that may read it.
  const safely = /`\(umask 077 && .* > (\S+)\.new && mv \1\.new (\S+)\)`/u;
  const [, , file] = safely.exec(String(note?.remedy)) ?? [];
  const place = join(stack.folder, "secrets", basename(file ?? ""));
  const { token } = body as { readonly token: string };
  await writeFile(place, `${token}\n`);
  expect([await changes(), await codes()]).toEqual([[], []]);
  // Its first characters are right.
  await writeFile(place, token.slice(0, 12));
  expect([await changes(), await codes()]).toEqual([[], ["sink-drift"]]);
});

it("that are gone or edited later are reported, and replaced only when that is asked for", async () => {
  await stack.apply();
  const first = await secret();
  await rm(sink());
  expect([await changes(), await codes()]).toEqual([[], ["sink-drift"]]);
  await writeFile(sink(), "sk-something-else");
  expect([await changes(), await codes()]).toEqual([[], ["sink-drift"]]);
  const replace = ["ApiKey/ci"];
  expect(changeSummaries((await stack.plan({ replace })).changes)).toEqual(["replace ApiKey/ci"]);
  await expect(stack.plan({ replace: ["ApiKey/none"] })).rejects.toThrow(
    "the stack does not declare ApiKey/none",
  );
  await stack.apply({ replace });
  expect(await isValidKey(first)).toBe(false);
  expect(await isValidKey(await secret())).toBe(true);
  expect([await changes(), await codes()]).toEqual([[], []]);
});

it("that were never kept here are reported as the key is adopted, and not missed later", async () => {
  await stack.apply();
  await stack.loseInventory();
  const first = await secret();
  await rm(sink());
  const taking = await adopt(stack.options);
  expect(taking.diagnostics).toMatchObject([
    { code: "secret-unknown", severity: "info", address: "ApiKey/ci" },
  ]);
  expect([await changes(), await codes()]).toEqual([[], []]);
  await writeFile(sink(), first);
  expect([await changes(), await codes()]).toEqual([[], []]);
  expect(await isValidKey(first)).toBe(true);
});

it("keep their value when the key is renamed, and are deleted with it", async () => {
  await stack.apply();
  const first = await secret();
  await stack.write([{ ...doc, spec: { name: "renamed" } }, anchor]);
  expect(await changes()).toEqual(["update ApiKey/ci /name"]);
  await stack.apply();
  expect([await secret(), await isValidKey(first)]).toEqual([first, true]);
  expect(await codes()).toEqual([]);
  await stack.write([anchor]);
  await stack.apply();
  await expect(secret()).rejects.toThrow("ENOENT");
  expect(await keys()).toEqual([]);
});

it("overwrite nothing that is not theirs, and stay in the stack's folder", async () => {
  await mkdir(join(stack.folder, "secrets"));
  await writeFile(sink(), "mine");
  expect(await codes()).toContain("sink-unusable");
  await expect(stack.apply()).rejects.toThrow("nothing was written");
  expect(await secret()).toBe("mine");
  await rm(join(stack.folder, "secrets"), { recursive: true });
  const elsewhere = await mkdtemp(join(tmpdir(), "svc-elsewhere-"));
  await symlink(elsewhere, join(stack.folder, "secrets"));
  expect(await codes()).toContain("sink-unusable");
  await expect(stack.apply()).rejects.toThrow("nothing was written");
  expect(await keys()).toEqual([]);
  await rm(elsewhere, { recursive: true });
});

it.each(["/etc/key", "../key", "a/../../key", "a//b", "key.yaml", "", "."])(
  "do not go to %j",
  async (file) => {
    await manifest({ secretTo: { file } });
    expect(await codes()).toContain("out-of-bounds");
  },
);

it("are written over that of an object which the same plan deletes, unless it is protected", async () => {
  const spec = { email: "robot@corp.example", username: "robot", isAdmin: true };
  const robot = { kind: "User", name: "robot", spec };
  const other = { kind: "ApiKey", name: "other", spec: { name: "other" } };
  await stack.write([{ ...doc, lifecycle: { protect: true } }, other, robot, anchor]);
  await stack.apply();
  const former = await secret();
  // The key of `other` now has the file of a key that no document declares.
  await stack.write([{ ...other, spec: { ...other.spec, owner: "robot" } }, robot, anchor]);
  const documents = join(stack.folder, "documents.yaml");
  const text = await readFile(documents, "utf8");
  await writeFile(documents, text.replace("secrets/other", "secrets/ci"));
  expect(await codes()).toContain("protected");
  await expect(stack.apply({ allowDeletes: 9 })).rejects.toMatchObject({ code: "refused" });
  expect([await secret(), await isValidKey(former)]).toEqual([former, true]);
  await protect({ ...stack.options, addresses: ["ApiKey/ci"], protect: false });
  expect(await changes()).toEqual(["delete ApiKey/ci", "replace ApiKey/other /owner"]);
  await stack.apply({ allowDeletes: 9 });
  expect([await isValidKey(former), await isValidKey(await secret())]).toEqual([false, true]);
  expect(await changes()).toEqual([]);
});

it("need a file of their own, and other kinds cannot have one", async () => {
  await manifest({});
  expect(await codes()).toContain("missing-field");
  await manifest({ secretTo: { file: "key" } }, { secretTo: { file: "key" } });
  expect(await codes()).toContain("sink-unusable");
  const group = { apiVersion: "svc/v1", kind: "UserGroup", metadata: { name: "g" } };
  const text = JSON.stringify({ ...group, spec: { name: "g" }, secretTo: { file: "key" } });
  await writeFile(join(stack.folder, "documents.yaml"), text);
  expect(await codes()).toContain("unknown-field");
});

async function manifest(...parts: readonly object[]): Promise<void> {
  const texts = parts.map((part, at) => {
    const metadata = { name: `key-${at}` };
    const spec = { name: `key-${at}` };
    return JSON.stringify({ apiVersion: "svc/v1", kind: "ApiKey", metadata, spec, ...part });
  });
  await writeFile(join(stack.folder, "documents.yaml"), texts.join("\n---\n"));
}
