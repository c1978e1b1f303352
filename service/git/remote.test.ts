// Temporary folders of remotes: those of a killed server are removed, those in use stay.
import { existsSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeLeftFolders } from "./remote.ts";

it("removes only old folders", async () => {
  const [old, used] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "svc-git-remote-")));
  const hours = Date.now() / 1000 - 2 * 3600;
  utimesSync(old ?? "", hours, hours);
  await removeLeftFolders();
  expect([old, used].map((folder) => existsSync(folder ?? ""))).toEqual([false, true]);
  rmSync(used ?? "", { recursive: true });
});
