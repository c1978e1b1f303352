// Builds what tests need once a run, in the first test that needs it.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const folders = new Map<string, Promise<string>>();

/** Returns the folder that `build` fills, in this process or in another of the run. Tests only read it. */
export function builtFolder(
  name: string,
  build: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = folders.get(name) ?? findOrBuild(name, build);
  folders.set(name, folder);
  return folder;
}

let own: string | undefined;

/**
 * Returns the folder of a program that runs without the tests, such as the soak test. It is removed when the process
 * ends.
 */
function ownFolder(): string {
  if (own !== undefined) return own;
  const folder = mkdtempSync(join(tmpdir(), "svc-builds-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  own = folder;
  return folder;
}

async function findOrBuild(
  name: string,
  build: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(process.env["SVC_TEST_BUILDS"] ?? ownFolder(), name);
  const lock = `${folder}.lock`;
  while (!existsSync(folder)) {
    // Another process of the run builds it.
    if (!takeLock(lock)) await pause(100);
    else {
      try {
        await buildOnce(folder, build);
      } finally {
        rmSync(lock, { force: true });
      }
    }
  }
  return folder;
}

/**
 * Takes a lock that names its process. Removes the lock of a process that has ended, as a worker does after its last
 * file.
 */
function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (hasEnded(ownerOf(lock))) rmSync(lock, { force: true });
    return false;
  }
}

/** Returns the process of a lock; undefined while it is written or removed. */
function ownerOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function hasEnded(pid: number | undefined): boolean {
  try {
    if (pid !== undefined) process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** Builds next to the folder, so that it is complete as soon as it exists. Of two builds, the first one is kept. */
async function buildOnce(
  folder: string,
  build: (folder: string) => Promise<unknown>,
): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = mkdtempSync(`${folder}-`);
  await build(unfinished);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
}
