// Tests that a folder is built once a run, also if the process that builds it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { builtFolder } from "./built-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-builds-"));
  vi.stubEnv("SVC_TEST_BUILDS", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it("is built by another process where the one that began it has ended", async () => {
  const ended = spawn(process.execPath, ["-e", "0"]);
  await once(ended, "exit");
  writeFileSync(join(folder, "left.lock"), String(ended.pid));
  const built = await builtFolder("left", async (into) => writeFileSync(join(into, "made"), ""));
  expect(existsSync(join(built, "made"))).toBe(true);
  expect(readdirSync(folder)).toEqual(["left"]);
});
