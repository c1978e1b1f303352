// The SDKs are generated if they are missing or older than a source.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const sdks = ["pulumi", "manifests", "cdktf", "cdktn"].map(
  (name) => `provider/${name}/sdk/index.ts`,
);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-sdks-"));
  for (const path of ["package.json", "resources/user.ts", "provider/cdk/x.ts"]) write(path, 100);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, seconds: number): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  utimesSync(file, seconds, seconds);
}

function areCurrent(): string {
  const module = join(import.meta.dirname, "ensure-sdks.mjs");
  const code = "import(process.argv[1]).then((m) => console.log(m.areCurrent(process.argv[2])))";
  const run = spawnSync(process.execPath, ["-e", code, module, folder], { encoding: "utf8" });
  return run.stdout.trim() || run.stderr;
}

it("takes SDKs that are as new as their sources, whatever tests are newer", () => {
  for (const path of sdks) write(path, 100);
  write("resources/user.test.ts", 200);
  expect(areCurrent()).toBe("true");
});

it.each(["resources/user.ts", "provider/cdk/x.ts", "package.json"])("finds a newer %s", (path) => {
  for (const sdk of sdks) write(sdk, 150);
  write(path, 200);
  expect(areCurrent()).toBe("false");
});

it("finds one that is missing or old", () => {
  for (const path of sdks.slice(1)) write(path, 200);
  expect(areCurrent()).toBe("false");
  for (const path of sdks) write(path, 200);
  write("provider/pulumi/sdk/user.ts", 50);
  expect(areCurrent()).toBe("false");
});
