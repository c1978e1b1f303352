// Tests `svc deploy` and `svc validate`: requests, output and exit codes.
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../../support/test-service.ts";
import { makeFolder, runOnService, type TestFolder } from "../../golden/run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeEach(async () => {
  service = await startService();
  folder = makeFolder({});
});
afterEach(async () => {
  folder.remove();
  await service.close();
});

const run = (...args: readonly string[]) => runOnService(service, folder, args);
const runHere = (...args: readonly string[]) =>
  runOnService(service, { ...folder, cwd: folder.path }, args);
const deploy = (...args: readonly string[]) =>
  run("deploy", ...args, ...(args.includes("--folder") ? [] : ["--folder", folder.path]));
const cube = (name: string, table = name) =>
  `cubes:\n  - name: ${name}\n    sql_table: ${table}\n    dimensions:\n      - { name: id, sql: id, type: string }\n`;

/** Contents of the store, which holds each content once. */
const contents = async () =>
  (await service.db.selectFrom("model_contents").select("id").execute()).length;

it(
  "sends only the 10 of 1,100 files that changed, in one step, and builds once",
  { timeout: 180_000 },
  async () => {
    // More than the service reads in one batch.
    const names = Array.from({ length: 1100 }, (_, index) => `c${index}`);
    folder.write(Object.fromEntries(names.map((name) => [`model/cubes/${name}.yml`, cube(name)])));
    folder.write({ "model/.hidden.yml": "x", "node_modules/a.yml": "x", ".gitignore": "dist\n" });
    const first = await deploy("main", "--json");
    expect([first.code, first.err]).toEqual([0, expect.any(String)]);
    expect(JSON.parse(first.out)).toMatchObject({
      files: 1101,
      uploaded: 1101,
      removed: 1,
      build: { status: "built" },
    });
    const [before, builds] = [await contents(), await countBuilds()];
    const changed = names.slice(0, 10);
    folder.write(
      Object.fromEntries(changed.map((name) => [`model/cubes/${name}.yml`, cube(name, "t")])),
    );
    const second = await deploy("main", "--json");
    expect(JSON.parse(second.out)).toMatchObject({
      files: 1101,
      uploaded: 10,
      removed: 0,
      build: { status: "built" },
    });
    expect((await contents()) - before).toBe(10);
    expect((await countBuilds()) - builds).toBe(1);
    const third = await deploy("main", "--json");
    expect(JSON.parse(third.out)).toMatchObject({ uploaded: 0, removed: 0 });
    expect((await countBuilds()) - builds).toBe(1);
  },
);

async function countBuilds(): Promise<number> {
  return (await service.db.selectFrom("builds").select("id").execute()).length;
}

it("client area Validate, exit status: 1 for a model with errors, which validate and deploy list", async () => {
  folder.write({ "model/a.yml": cube("a").replace("sql_table", "sqltable") });
  const deployed = await deploy("1");
  expect([deployed.code, deployed.out]).toEqual([1, expect.stringContaining("model/a.yml:3:5")]);
  // The result contains the errors, and the log shows the progress of the build.
  expect(deployed.err).toMatch(
    /build 2: started, .*\n(?:(?:main|build 2): .*\n)*build 2: failed\n$/,
  );
  const validated = await run("validate", "main");
  expect([validated.code, validated.err]).toEqual([1, expect.stringContaining("model/a.yml:3:5")]);
  const report = await run("validate", "main", "--json");
  expect(JSON.parse(report.out)).toMatchObject({ valid: false, errors: [{ line: 3, column: 5 }] });
  folder.write({ "model/a.yml": cube("a") });
  const fixed = await deploy("1");
  // The log of the build, without lines of the previous one.
  expect([fixed.code, fixed.err]).toEqual([
    0,
    expect.stringMatching(
      /^Uploaded 1 of 1 changed file …\n(?:main: building … .*\n)*build 3: started, version .*\n(?:main: .*\n)*build 3: built\n$/,
    ),
  ]);
  expect((await deploy("1")).err).toBe("");
  expect((await run("validate", "main")).code).toBe(0);
  const folderGiven = await runHere("validate", "model");
  expect([folderGiven.code, folderGiven.err]).toEqual([
    1,
    'error: there is no deployment "model" [not_found]\n' +
      "  To check the manifests there, run `svc lint model`.\n",
  ]);
});

it("names an unknown deployment, branch and folder", async () => {
  folder.write({ "model/a.yml": cube("a") });
  for (const [args, expected] of [
    [["deploy", "mian"], "Did you mean main?"],
    [["deploy", "main", "--branch", "nope"], '"nope"'],
    [["deploy", "main", "--folder", "nowhere"], "nowhere"],
    [["validate", "main", "--dev-mode"], "enter dev mode"],
  ] as const) {
    const [command, ...rest] = args;
    const { code, err } = await (command === "deploy" ? deploy(...rest) : run(...args));
    expect([code === 0, err]).toEqual([false, expect.stringContaining(expected)]);
  }
});

it("moves the only model file, and replaces it in two steps", async () => {
  folder.write({ "model/a.yml": cube("a") });
  expect((await deploy("main")).code).toBe(0);
  rmSync(join(folder.path, "model/a.yml"));
  folder.write({ "model/moved.yml": cube("a") });
  const moved = await deploy("main");
  expect([moved.code, moved.out]).toEqual([0, expect.stringContaining("removed 1")]);
  rmSync(join(folder.path, "model/moved.yml"));
  folder.write({ "model/other.yml": cube("other") });
  expect((await deploy("main", "--keep-missing")).code).toBe(0);
  const replaced = await deploy("main");
  expect([replaced.code, replaced.out]).toEqual([0, expect.stringContaining("removed 1")]);
});

it("refuses a folder without a data model, and to remove every model file", async () => {
  folder.write({ "notes.txt": "x" });
  const empty = await runHere("deploy", "main");
  expect([empty.code === 0, empty.err]).toEqual([
    false,
    `error: ${folder.path} has no files in a folder model or schema [usage]\n` +
      "  Pass the folder of the project with --folder. Only to remove every file of the deployed " +
      "data model, pass --allow-empty.\n",
  ]);
  folder.write({ "model/a.yml": cube("a"), "model/b.yml": cube("b") });
  expect((await deploy("main")).code).toBe(0);
  for (const name of ["a", "b"]) rmSync(join(folder.path, `model/${name}.yml`));
  folder.write({ "model/other.yml": cube("other") });
  const other = await deploy("main");
  expect([other.code === 0, other.err]).toEqual([false, expect.stringContaining("model/b.yml")]);
  expect(other.err).toContain("would replace every model file");
  expect(other.err).toContain(
    "Check --folder and --branch. To keep the files, pass --keep-missing. The next deploy without it removes them.",
  );
  expect(other.err).not.toContain("--allow-empty");
  const allowed = await deploy("main", "--allow-empty");
  expect([allowed.code, allowed.out]).toEqual([
    0,
    expect.stringContaining("removed 2:\n  model/a.yml\n  model/b.yml"),
  ]);
});

it("reports symbolic links, and stores names in one Unicode form", async () => {
  folder.write({ "model/a.yml": cube("a"), "model/cafe\u0301.yml": cube("b") });
  symlinkSync("a.yml", join(folder.path, "model/link.yml"));
  const first = await deploy("main");
  expect([first.code, first.err]).toEqual([0, expect.stringContaining("  model/link.yml")]);
  const again = await deploy("main", "--json");
  expect(JSON.parse(again.out)).toMatchObject({ files: 2, uploaded: 0, removed: 0 });
});

it("counts one error and one cube as one", async () => {
  folder.write({ "model/a.yml": cube("a").replace("sql_table", "sqltable") });
  await deploy("1");
  expect((await run("validate", "main")).out).toContain("main, branch main: 1 error");
  folder.write({ "model/a.yml": cube("a") });
  await deploy("1");
  expect((await run("validate", "main")).out).toContain("main, branch main: valid, 1 cube or view");
});
