// Packages are installed if they differ from the lock file.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "install-"));
const wanted = {
  "": { name: "x" },
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/elsewhere": { version: "1.0.0", integrity: "sha512-e", optional: true },
};
const { "node_modules/a": a } = wanted;

beforeEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the installer's reason for a folder with these files. */
function reason(files: Readonly<Record<string, unknown>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
  const module = join(import.meta.dirname, "install.mjs");
  const code = `import(process.argv[1]).then((m) => console.log(m.staleReason(process.argv[2])))`;
  const run = spawnSync(process.execPath, ["-e", code, module, folder], { encoding: "utf8" });
  return run.stdout.trim() || run.stderr;
}

const lock = { "package-lock.json": { packages: wanted } };
const installed = (packages: object) => ({
  ...lock,
  "node_modules/.package-lock.json": { packages },
  "node_modules/node/bin/node": "",
  ...Object.fromEntries(Object.keys(packages).map((path) => [`${path}/package.json`, {}])),
});

it("finds nothing to do if only optional packages of other platforms are missing", () => {
  expect(reason(installed({ "node_modules/a": a }))).toBe("undefined");
});

it("finds missing, different and incomplete packages, and lets others be", () => {
  expect(reason(lock)).toBe("no packages are installed");
  expect(reason(installed({}))).toBe("a is missing");
  expect(reason(installed({ "node_modules/a": { ...a, version: "0.9.0" } }))).toBe(
    "a has version 0.9.0; the lock file requires 1.0.0",
  );
  expect(reason(installed({ "node_modules/a": a, "node_modules/b": a }))).toBe("undefined");
  rmSync(join(folder, "node_modules/node"), { recursive: true });
  const { "node_modules/node/bin/node": _, ...unpacked } = installed({ "node_modules/a": a });
  expect(reason(unpacked)).toBe("the pinned Node.js is missing");
});

it("finds a package whose folder was deleted", () => {
  const complete = installed({ "node_modules/a": a });
  expect(reason(complete)).toBe("undefined");
  rmSync(join(folder, "node_modules/a"), { recursive: true });
  expect(reason({})).toBe("the folder node_modules/a is missing");
});

it("shows progress while npm waits for a registry", async () => {
  const requests: Socket[] = [];
  const silent = createServer((socket) => requests.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const registry = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const packages = {
    "": { name: "x", version: "1.0.0", dependencies: { a: "1.0.0" } },
    "node_modules/a": { ...a, resolved: `${registry}a.tgz` },
  };
  const { "": manifest } = packages;
  reason({ "package.json": manifest, "package-lock.json": { lockfileVersion: 3, packages } });
  mkdirSync(join(folder, "scripts"));
  copyFileSync(join(import.meta.dirname, "install.mjs"), join(folder, "scripts/install.mjs"));
  const code = `import(process.argv[1]).then((m) => m.ensureInstalled())`;
  const child = spawn(process.execPath, ["-e", code, join(folder, "scripts/install.mjs")], {
    detached: true,
    env: { ...process.env, npm_config_registry: registry },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    let printed = "";
    child.stderr.on("data", (chunk) => (printed += String(chunk)));
    await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/ 0 of 1 packages after \d+ s/);
    await expect.poll(() => requests.length, { timeout: 60_000 }).toBeGreaterThan(0);
  } finally {
    // Kills the process group, because npm runs in a separate process.
    process.kill(-(child.pid ?? 0), "SIGKILL");
    for (const socket of requests) socket.destroy();
    silent.close();
  }
});

it("names the step that runs once all packages are there", () => {
  const module = join(import.meta.dirname, "install.mjs");
  const code = `import(process.argv[1]).then((m) => [2, 3].map((present) =>
    console.log(m.progressLine({ present, required: 3, seconds: 70 }))))`;
  const { stdout } = spawnSync(process.execPath, ["-e", code, module], { encoding: "utf8" });
  expect(stdout.split("\n")).toEqual([
    "  2 of 3 packages after 70 s; npm still waits for the registry or unpacks (Ctrl-C stops)",
    "  all 3 packages are there; npm finishes them and builds svc, 70 s so far",
    "",
  ]);
});

it("reports a missing lock file", () => {
  expect(reason({})).toContain("package-lock.json is missing or broken");
});
