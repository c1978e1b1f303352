// Tests the man pages: one for each command, without warnings of groff.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commands } from "../../cli/command-list.ts";
import { writeManPages } from "../../scripts/man-pages.ts";
import { makeFolder, type TestFolder } from "./run-cli.ts";

let folder: TestFolder;
beforeAll(async () => {
  folder = makeFolder({});
  await writeManPages(folder.path, "0.1.0");
});
afterAll(() => folder.remove());

const hasGroff = spawnSync("groff", ["--version"]).status === 0;

it("are one for each command", () => {
  const names = readdirSync(folder.path);
  expect(names).toEqual(
    expect.arrayContaining(["svc.1", ...commands.map(({ name }) => `svc-${name}.1`)]),
  );
});

it.skipIf(!hasGroff)("format without warnings", () => {
  const pages = readdirSync(folder.path).map((name) => join(folder.path, name));
  const run = spawnSync("groff", ["-man", "-Tutf8", "-ww", "-z", ...pages], { encoding: "utf8" });
  expect([run.status, run.stderr]).toEqual([0, ""]);
  const text = execFileSync(
    "groff",
    ["-man", "-Tutf8", "-P-cbou", join(folder.path, "svc-deployments.1")],
    { encoding: "utf8" },
  );
  expect(text).toContain("svc deployments create");
  expect(text).toContain("--region <text>");
});
