// The cost of a decision: with many policies and folders it grows with neither.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { limits } from "../../core/limits.ts";
import { startServer, type RunningServer } from "../server/server.ts";
import type { Db } from "../store/schema.ts";
import { authorizeOperation } from "./policies.ts";
import { getFolder } from "../../api/folders.ts";
import { anonymousPrincipal } from "./principal.ts";

const folders = 10_000;
const policies = 100_000;
const decisions = 200;
const at = "2030-01-01T00:00:00.000Z";

let data: string;
let server: RunningServer;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "svc-policies-"));
  server = await startServer({ data, jobs: false });
});
afterEach(async () => {
  await server.close();
  rmSync(data, { recursive: true, force: true });
});

/** Inserts rows in batches that a statement can have. */
async function insertAll<Row>(
  rows: readonly Row[],
  insert: (batch: Row[]) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < rows.length; from += 1000) {
    await insert(rows.slice(from, from + 1000)).execute();
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Fills the store: chains of folders as deep as they can be, with ten policies on each. User 2 has one at the top. */
async function fill(db: Db): Promise<void> {
  const users = numbers(100).map((one) => ({
    username: `user-${one}`,
    is_admin: 0,
    is_external: 0,
    created_at: at,
  }));
  const rows = numbers(folders).map((id) => ({
    id,
    deployment_id: 1,
    parent_id: id % limits.folderDepth === 1 ? null : id - 1,
    name: `f${id}`,
    name_key: `f${id}`,
    position: id,
    created_at: at,
    updated_at: at,
  }));
  const granted = numbers(policies).map((one) => ({
    resource_type: "folder",
    resource_id: ((one - 1) % folders) + 1,
    user_id: 3 + Math.floor((one - 1) / folders),
    group_id: null,
    action: "FolderRead",
  }));
  await db.transaction().execute(async (tx) => {
    await insertAll(users, (batch) => tx.insertInto("users").values(batch));
    await insertAll(rows, (batch) => tx.insertInto("folders").values(batch));
    await insertAll(granted, (batch) => tx.insertInto("resource_policies").values(batch));
    const top = { resource_type: "folder", resource_id: 1, user_id: 2, group_id: null };
    await tx
      .insertInto("resource_policies")
      .values({ ...top, action: "FolderRead" })
      .execute();
  });
}

it("with 100,000 policies and 10,000 folders, a decision costs under a millisecond of processor time", async () => {
  const { db } = server;
  await fill(db);
  const principal = { ...anonymousPrincipal, userId: 2 };
  const decide = (folderId: number) =>
    authorizeOperation({ db, principal }, getFolder, { params: { deploymentId: 1, folderId } });
  // The deepest folder below the one with the policy, and the deepest below another.
  const [permitted, refused] = [limits.folderDepth, limits.folderDepth * 2];
  expect(await decide(permitted)).toBeUndefined();
  expect(await decide(refused)).toMatchObject({ action: "FolderRead", cause: "user" });
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (let one = 0; one < decisions; one++) await decide(one % 2 === 0 ? permitted : refused);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 1000 / decisions);
  }
  expect(Math.min(...rounds)).toBeLessThan(1);
});
