// Tests backups of a running server: they are restored completely or not at all.
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAccountsFile } from "../../../service/server/accounts-file.ts";
import { backup, restore } from "../../../service/maintenance/backup.ts";
import { runSvc } from "../../golden/run-cli.ts";
import { Secret } from "../../../core/secret.ts";
import {
  everyKind,
  everyKindChanged,
  prepareAccount,
  shareOfKinds,
} from "../../support/every-kind.ts";
import { findFreePort } from "../../support/free-port.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { changeSummaries, type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";

const groups = "/api/v1/user-groups";
const variables = "/api/v1/deployments/1/env-vars";
let folder: string;
const pathIn = (...names: string[]): string => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withServer<T>(
  data: string,
  work: (service: TestService) => Promise<T>,
  port?: number,
): Promise<T> {
  const service = await startService({ data, ...(port !== undefined && { port }) });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** Keeps the stack from being empty: an empty stack deletes nothing. */
const anchor: Doc = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };

/** Creates an account with a variable and a group, and a backup of it with a separate key. */
async function makeBackup(): Promise<void> {
  await withServer(pathIn("data"), async (service) => {
    await service.send("PUT", variables, {
      body: { env_variables: [{ name: "REGION", value: "EMEA" }] },
    });
    await service.send("POST", groups, { body: { name: "kept" } });
    await backup(pathIn("data"), pathIn("backup"));
  });
  copyFileSync(pathIn("data", "secret.key"), pathIn("key"));
}

const groupsIn = (data: string) =>
  withServer(data, async (service) => {
    const { body } = await service.send("GET", `${groups}?first=1000`);
    return (body as { items: { name: string }[] }).items.map(({ name }) => name);
  });

describe("a backup", () => {
  it("is a consistent snapshot during concurrent writes, with all acknowledged writes", async () => {
    const { before, after } = await withServer(pathIn("data"), async (service) => {
      const created: string[] = [];
      const over = new AbortController();
      const write = async (writer: number): Promise<void> => {
        for (let count = 0; !over.signal.aborted || count < 20; count++) {
          const name = `${writer}-${count}`;
          await service.send("POST", groups, { body: { name } });
          created.push(name);
        }
      };
      const writers = [0, 1, 2, 3].map(write);
      while (created.length < 40) await new Promise((done) => setTimeout(done, 5));
      const known = [...created];
      await backup(pathIn("data"), pathIn("backup"), { withKey: true });
      over.abort();
      await Promise.all(writers);
      return { before: known, after: created };
    });
    await restore(pathIn("backup"), pathIn("restored"));
    const restored = await groupsIn(pathIn("restored"));
    expect(before.filter((name) => !restored.includes(name))).toEqual([]);
    expect(restored.filter((name) => !after.includes(name))).toEqual([]);
    // The writes of each writer have no gap: a later write never exists without the earlier ones.
    for (const writer of [0, 1, 2, 3]) {
      const own = restored.filter((name) => name.startsWith(`${writer}-`)).length;
      expect(restored).toEqual(expect.arrayContaining(own > 0 ? [`${writer}-${own - 1}`] : []));
    }
  });

  it("contains no key unless that is requested, and only its owner can read it", async () => {
    await makeBackup();
    expect(readdirSync(pathIn("backup")).toSorted()).toEqual(["account.db", "backup.json"]);
    await backup(pathIn("data"), pathIn("whole"), { withKey: true });
    expect(readFileSync(pathIn("whole", "secret.key"), "utf8")).toBe(
      readFileSync(pathIn("key"), "utf8"),
    );
  });

  it("is refused into a folder that is not empty, and of a folder without data", async () => {
    await makeBackup();
    await expect(backup(pathIn("data"), pathIn("backup"))).rejects.toMatchObject({
      code: "refused",
    });
    await expect(backup(pathIn("nothing"), pathIn("x"))).rejects.toMatchObject({ code: "usage" });
    expect(readdirSync(folder).toSorted()).toEqual(["backup", "data", "key"]);
  });
});

describe("a restore", () => {
  it("restores encrypted values with the key that was stored separately", async () => {
    await makeBackup();
    await restore(pathIn("backup"), pathIn("restored"), { keyFile: pathIn("key") });
    await withServer(pathIn("restored"), async (service) => {
      const { body } = await service.send("GET", variables);
      expect(body).toMatchObject({ items: [{ name: "REGION", value: "EMEA" }] });
    });
    expect(readdirSync(pathIn("backup")).toSorted()).toEqual(["account.db", "backup.json"]);
  });

  it("is refused without the key, with another one, or into a folder that is not empty", async () => {
    await makeBackup();
    await expect(restore(pathIn("backup"), pathIn("x"))).rejects.toMatchObject({ code: "refused" });
    writeFileSync(pathIn("other"), `${"A".repeat(43)}\n`);
    const other = restore(pathIn("backup"), pathIn("x"), { keyFile: pathIn("other") });
    await expect(other).rejects.toMatchObject({ code: "corrupt" });
    const full = restore(pathIn("backup"), pathIn("data"), { keyFile: pathIn("key") });
    await expect(full).rejects.toMatchObject({ code: "refused" });
    expect(readdirSync(folder).toSorted()).toEqual(["backup", "data", "key", "other"]);
  });

  it("over existing data keeps that beside it, and is refused while a server runs", async () => {
    await makeBackup();
    await withServer(pathIn("data"), async (service) => {
      await service.send("POST", groups, { body: { name: "later" } });
      const robbed = restore(pathIn("backup"), pathIn("data"), {
        keyFile: pathIn("key"),
        replace: true,
      });
      await expect(robbed).rejects.toMatchObject({ code: "locked" });
    });
    const { replaced } = await restore(pathIn("backup"), pathIn("data"), {
      keyFile: pathIn("key"),
      replace: true,
    });
    expect(await groupsIn(pathIn("data"))).toEqual(["kept"]);
    expect((await groupsIn(replaced ?? "")).toSorted()).toEqual(["kept", "later"]);
  });

  it.each([
    ["a byte", "corrupt"],
    ["its end", "corrupt"],
    ["what it says of itself", "corrupt"],
    ["a newer schema", "corrupt"],
    ["an older schema", "refused"],
  ])("is refused where the backup is damaged or of another version: %s", async (what, code) => {
    await makeBackup();
    cpSync(pathIn("backup"), pathIn("bad"), { recursive: true });
    const database = pathIn("bad", "account.db");
    const about = pathIn("bad", "backup.json");
    const bytes = readFileSync(database);
    if (what === "a byte") bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    if (what === "its end") writeFileSync(database, bytes.subarray(0, bytes.length - 4096));
    else writeFileSync(database, bytes);
    if (what === "what it says of itself") writeFileSync(about, '{"format":"svc-backup/1"');
    if (what.endsWith("schema")) {
      const name = what === "a newer schema" ? "9999-later" : "0074-lease-holders";
      const other = new Sqlite(database);
      if (what === "an older schema") other.exec("delete from migrations");
      other.exec(`insert into migrations values ('${name}', '2999-01-01')`);
      other.close();
      const sha256 = createHash("sha256").update(readFileSync(database)).digest("hex");
      const recorded = JSON.parse(readFileSync(about, "utf8")) as object;
      writeFileSync(about, JSON.stringify({ ...recorded, sha256 }));
    }
    const restoring = restore(pathIn("bad"), pathIn("x"), { keyFile: pathIn("key") });
    await expect(restoring).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).not.toContain("x");
  });
});

it("of every account of a file has a folder for each, and is restored in this form", async () => {
  writeFileSync(
    pathIn("accounts.yaml"),
    "host: svc.test\naccounts: { acme-inc: {}, northwind: {} }\n",
  );
  const accounts = readAccountsFile(pathIn("accounts.yaml"));
  const during = async (data: string, work: (service: TestService) => Promise<unknown>) => {
    const service = await startService({ data, accounts });
    try {
      await work(service);
    } finally {
      await service.close();
    }
  };
  // One process runs both commands.
  const admin = async (...args: readonly string[]) => {
    const { code, out, err } = await runSvc([
      "admin",
      ...args,
      "--accounts",
      pathIn("accounts.yaml"),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  };
  await during(pathIn("data"), async (service) => {
    for (const { name, adminKey } of service.accounts) {
      const headers = { host: `${name}.svc.test` };
      const key = adminKey.reveal();
      await service.send("POST", groups, { headers, key, body: { name: `of ${name}` } });
    }
    expect(
      await admin("backup", pathIn("all"), "--data", pathIn("data"), "--with-secret-key"),
    ).toMatch(/^Backed up acme-inc to .*\nBacked up northwind to .*\nThe backup contains the/u);
  });
  expect(readdirSync(pathIn("all")).toSorted()).toEqual(["acme-inc", "northwind"]);
  expect(await admin("restore", pathIn("all"), "--data", pathIn("restored"))).toMatch(
    /^Restored acme-inc from .*\nRestored northwind from .*\n$/u,
  );
  await during(pathIn("restored"), async (service) => {
    for (const { name, db } of service.accounts) {
      const found = await db.selectFrom("user_groups").select("name").execute();
      expect(found).toEqual([{ name: `of ${name}` }]);
    }
  });
});

it("holds what a stack manages, which is changed and deleted once it is restored", async () => {
  const share = { part: 0, of: 6 };
  const documents = shareOfKinds(everyKind, share);
  // The inventory names the address, which the restored account also has.
  const port = await findFreePort();
  const applied = async (stack: TestStack, declared: readonly Doc[], key: string) => {
    await stack.write([anchor, ...declared]);
    const connection = { ...stack.options.connection, credential: new Secret(key) };
    const { plan, outcomes, residual } = await stack.apply({ connection });
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    expect(changeSummaries(residual)).toEqual([]);
    return plan.changes.map(({ action }) => action);
  };
  const before = async (service: TestService): Promise<TestStack> => {
    await prepareAccount(service);
    const { url, adminKey: key } = service;
    const stack = await makeStack({ url, key, inventory: "service", parentFolder: folder });
    await applied(stack, documents, key);
    await backup(pathIn("data"), pathIn("whole"), { withKey: true });
    return stack;
  };
  const stack = await withServer(pathIn("data"), before, port);
  await restore(pathIn("whole"), pathIn("restored"));
  const after = async ({ adminKey }: TestService): Promise<void> => {
    expect(await applied(stack, documents, adminKey)).toEqual([]);
    const changes = await applied(stack, shareOfKinds(everyKindChanged, share), adminKey);
    expect(new Set(changes)).toEqual(new Set(["none", "update", "replace"]));
    const deletes = await applied(stack, [], adminKey);
    expect(deletes).toEqual(documents.map(() => "delete"));
  };
  await withServer(pathIn("restored"), after, port);
});
