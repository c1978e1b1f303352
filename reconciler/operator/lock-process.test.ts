// Tests of locks whose process has exited.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fileInventory } from "../inventory/file.ts";
import { hasExited, type LockingProcess, currentProcess } from "./lock-process.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-process-"));
afterAll(() => rmSync(folder, { recursive: true }));
const ours = currentProcess();
const dead = { ...ours, pid: spawnSync(process.execPath, ["-e", ""]).pid };

async function isLockTaken(name: string, by: LockingProcess): Promise<boolean> {
  const path = join(folder, `${name}.inventory.json`);
  const now = Date.now();
  const lock = {
    id: "1",
    purpose: "apply",
    holder: "jo@desk",
    acquiredAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 60_000).toISOString(),
    process: by,
  };
  writeFileSync(`${path}.lock`, JSON.stringify(lock));
  try {
    await (await fileInventory(path, name).lock("next")).release();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "locked" });
    return false;
  }
}

describe("a lock with a running lease", () => {
  it("is broken if its process on this machine has exited", async () => {
    expect(await isLockTaken("dead", dead)).toBe(true);
  });

  it.each([
    ["lives", ours],
    ["is on another machine", { ...dead, host: "elsewhere.example" }],
    ["is on another machine of the same name", { ...dead, bootId: "another" }],
    ["does not name its machine", { ...dead, bootId: "" }],
    ["is in another container", { ...dead, pidNamespace: "pid:[1]" }],
  ])("is kept where its process %s", async (name, by) => {
    expect(await isLockTaken(name.replaceAll(" ", "-"), by)).toBe(false);
  });
});

describe("a process", () => {
  it.runIf(ours.startTime !== "")("counts as ended if another process has its number", () => {
    expect(hasExited({ ...ours, startTime: "1" })).toBe(true);
  });
});

describe("unlock", () => {
  const write = (name: string, by: LockingProcess, expiresInMs: number): string => {
    const path = join(folder, `${name}.inventory.json`);
    const now = Date.now();
    const lock = {
      id: "1",
      purpose: "apply",
      holder: "jo@desk",
      acquiredAt: new Date(now - 60_000).toISOString(),
      expiresAt: new Date(now + expiresInMs).toISOString(),
      process: by,
    };
    writeFileSync(`${path}.lock`, JSON.stringify(lock));
    return path;
  };

  it("refuses a lock whose lease runs on another machine", async () => {
    const path = write("alive", { ...dead, bootId: "another" }, 60_000);
    const store = fileInventory(path, "alive");
    const error = {
      code: "locked",
      message: expect.stringMatching(/^jo@desk holds the lock on .* \(apply\) since/u),
    };
    await expect(store.unlock("1")).rejects.toMatchObject(error);
    await store.unlock("1", { force: true });
  });

  it("breaks a lock whose process exited", async () => {
    const store = fileInventory(write("dead", dead, 60_000), "dead");
    await store.unlock("1");
    await expect(store.unlock("1")).rejects.toMatchObject({ code: "not_found" });
  });

  it("finds no lock whose lease ended", async () => {
    const store = fileInventory(write("ended", ours, -60_000), "ended");
    await expect(store.unlock("1")).rejects.toMatchObject({ code: "not_found" });
  });
});
