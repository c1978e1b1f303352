// Packages are installed if they differ from the lock file.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
const installed = (packages: unknown) => ({
  ...lock,
  "node_modules/.package-lock.json": { packages },
  "node_modules/node/bin/node": "",
});

it("finds nothing to do if only optional packages of other platforms are missing", () => {
  expect(reason(installed({ "node_modules/a": a }))).toBe("undefined");
});

it("finds missing, different, additional and incomplete packages", () => {
  expect(reason(lock)).toBe("no packages are installed");
  expect(reason(installed({}))).toBe("a is missing");
  expect(reason(installed({ "node_modules/a": { ...a, version: "0.9.0" } }))).toBe(
    "a has version 0.9.0; the lock file requires 1.0.0",
  );
  expect(reason(installed({ "node_modules/a": a, "node_modules/b": a }))).toBe(
    "b is not in the lock file",
  );
  rmSync(join(folder, "node_modules/node"), { recursive: true });
  const { "node_modules/node/bin/node": _, ...unpacked } = installed({ "node_modules/a": a });
  expect(reason(unpacked)).toBe("the pinned Node.js is missing");
});

it("reports a missing lock file", () => {
  expect(reason({})).toContain("package-lock.json is missing or broken");
});
