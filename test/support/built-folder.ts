// What tests build. Each is built once a run, by the first test that needs it.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
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

/** The folder of a program that runs without the tests, such as the soak; it goes with the process. */
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
        rmdirSync(lock);
      }
    }
  }
  return folder;
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

/** Builds beside the folder, so that it is complete as soon as it exists. */
async function buildOnce(
  folder: string,
  build: (folder: string) => Promise<unknown>,
): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = mkdtempSync(`${folder}-`);
  await build(unfinished);
  renameSync(unfinished, folder);
}
