// npm's `prepare` script builds on the pinned Node.js, whatever Node.js starts it.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "prepare-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const name of ["prepare", "ensure-sdks", "install", "run-sources"]) {
  cpSync(join(import.meta.dirname, `${name}.mjs`), join(folder, "scripts", `${name}.mjs`));
}
mkdirSync(join(folder, "node_modules/esbuild"), { recursive: true });
// The SDKs are older than this file.
writeFileSync(join(folder, "package.json"), "{}");

/** Runs the script in a folder whose pinned Node.js is a shell script. */
function prepare(pinned: string) {
  const node = join(folder, "node_modules/node/bin/node");
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, `#!/bin/sh\n${pinned}\n`, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "scripts/prepare.mjs")],
    { encoding: "utf8" },
  );
  return { status, stdout, lines: stderr.split("\n").filter((line) => line !== "") };
}

it("builds on the pinned Node.js and ends with its exit code", () => {
  const { status, stdout } = prepare('case "$1" in *build.mjs) echo "built by $0"; exit 3;; esac');
  expect(stdout).toBe(`built by ${join(folder, "node_modules/node/bin/node")}\n`);
  expect(status).toBe(3);
});

it("shows an error of the set-up without a stack trace", () => {
  const { status, lines } = prepare(
    'case "$1" in *sdks.ts) echo "no space left" >&2; exit 1;; esac',
  );
  expect(lines).toEqual([
    "Generating the SDKs in provider/*/sdk from their sources; some ten seconds ...",
    "Cannot generate the SDKs in provider/*/sdk:",
    "no space left",
  ]);
  expect(status).toBe(1);
});
