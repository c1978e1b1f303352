// Tests that the files of `svc init` can be planned and applied without a remaining change, and that it overwrites nothing.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { validator } from "../../core/schema/validate.ts";
import { commandOutputs } from "../../reconciler/report/command-output-schema.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeFolder, runOnService, type TestFolder } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => {
  folder = makeFolder({});
});
afterEach(() => folder.remove());

const run = (args: readonly string[]) => runOnService(service, folder, args);
const runHere = (...args: readonly string[]) =>
  runOnService(service, { ...folder, cwd: folder.path }, args);

it("leads to a clean plan by the commands that it prints", { timeout: 60_000 }, async () => {
  const stack = join(folder.path, "my shop");
  const { code, out } = await run(["init", stack]);
  expect(code).toBe(0);
  const next = [...out.matchAll(/^ {2}svc (\w+) '(.+)'$/gmu)].map(([, ...args]) => args);
  expect(next).toEqual([
    ["lint", stack],
    ["plan", stack],
    ["apply", stack],
  ]);
  for (const args of next) {
    const confirmed = args[0] === "apply" ? [...args, "--yes"] : args;
    expect(await run(confirmed)).toMatchObject({ code: 0 });
  }
  const clean = await run(["plan", "--detailed-exitcode", stack]);
  expect([clean.code, clean.out]).toEqual([0, expect.stringContaining("1 unchanged")]);
  expect(readFileSync(join(stack, "stack.yaml"), "utf8")).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=.svc/manifest.schema.json
    # A stack: the manifests in this folder, which are applied together.
    apiVersion: svc/v1
    kind: Stack
    metadata:
      name: my-shop
    spec:
      policy:
        # Set to true to delete the objects of removed documents.
        prune: false
    "
  `);
  expect(readFileSync(join(stack, "user-groups.yaml"), "utf8")).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=.svc/manifest.schema.json
    # One document for each resource. \`svc explain\` lists the types, \`svc explain UserGroup\` the fields.
    apiVersion: svc/v1
    kind: UserGroup
    metadata:
      # The address of this document is UserGroup/analysts.
      name: analysts
    spec:
      # Name, unique in the account. A change renames the group and keeps its members.
      name: my-shop-analysts
      # Description.
      description: May explore every deployment.
    "
  `);
  expect(readFileSync(join(stack, ".gitignore"), "utf8")).toBe(
    "**/.svc/*\n!/.svc/manifest.schema.json\nsecrets/\n",
  );
  for (const at of [".svc", "stages/test/.svc"]) {
    mkdirSync(join(stack, at), { recursive: true });
    writeFileSync(join(stack, at, "my-shop.inventory.json"), "{}");
  }
  execFileSync("git", ["init", "--quiet", stack]);
  const seen = execFileSync("git", ["-C", stack, "ls-files", "--others", "--exclude-standard"]);
  expect(String(seen).trim().split("\n")).toEqual([
    ".gitignore",
    ".svc/manifest.schema.json",
    "stack.yaml",
    "user-groups.yaml",
  ]);
});

it("writes a base with environments, a pipeline and settings", { timeout: 60_000 }, async () => {
  const root = join(folder.path, "infra");
  const flags = ["--starter", "environments", "--vscode"];
  const { code, out } = await run(["init", root, ...flags, "--ci", "github"]);
  expect(code).toBe(0);
  expect(out).toContain(`  git init ${root}\n`);
  execFileSync("git", ["init", "--quiet", root]);
  const stages = ["test", "production"].map((stage) => join(root, "stages", stage));
  expect(out).toContain(`  svc apply ${stages.join(" ")}`);
  const applied = await run(["apply", ...stages, "--yes"]);
  expect([applied.code, applied.err]).toEqual([0, ""]);
  const groups = await service.send("GET", "/api/v1/user-groups");
  expect(groups.text).toContain('"test-analysts"');
  expect(groups.text).toContain('"production-analysts"');
  const lines = readFileSync(join(root, "stages/test/stack.yaml"), "utf8").split("\n");
  const [, schema = ""] = lines[0]?.split("$schema=") ?? [];
  expect(existsSync(join(root, "stages/test", schema))).toBe(true);
  for (const name of ["settings", "extensions"])
    expect(JSON.parse(readFileSync(join(root, `.vscode/${name}.json`), "utf8"))).toBeTypeOf(
      "object",
    );
  const workflow = parse(readFileSync(join(root, ".github/workflows/svc.yml"), "utf8"));
  const jobs = Object.entries<GithubJob>(workflow.jobs);
  // Only the job that writes has the environment with a credential that permits it.
  expect(jobs.map(([name, { environment }]) => [name, environment])).toEqual([
    ["plan", "plan"],
    ["apply", "production"],
    ["drift", "plan"],
  ]);
  expect(workflow.env).not.toHaveProperty("SVC_API_KEY");
  expect(workflow.jobs.apply.steps.at(-1).run).toBe(
    'svc apply stages/test stages/production --yes --output markdown >>"$GITHUB_STEP_SUMMARY"\n',
  );
  const inside = await run(["init", join(root, "our teams"), "--ci", "gitlab"]);
  expect(inside.code).toBe(0);
  const gitlab = parse(readFileSync(join(root, "svc.gitlab-ci.yml"), "utf8"));
  expect(gitlab["svc-plan"].environment).toEqual({ name: "plan", action: "access" });
  expect(gitlab["svc-apply"].environment).toBe("production");
  expect(gitlab["svc-apply"].script).toEqual(["svc apply 'our teams' --yes\n"]);
  const again = await run(["init", join(root, "more"), "--ci", "gitlab"]);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("would be overwritten")]);
  expect(existsSync(join(root, "more"))).toBe(false);
  const alone = join(folder.path, "alone");
  expect((await run(["init", alone, "--ci", "github"])).out).toContain(`  git init ${alone}\n`);
});

interface GithubJob {
  readonly environment: string;
}

it("overwrites nothing", async () => {
  const json = await run(["init", folder.path, "--name", "shop", "--json"]);
  expect(validator(commandOutputs.init)(JSON.parse(json.out))).toEqual([]);
  const again = await run(["init", folder.path]);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("stack.yaml")]);
  const below = await run(["init", join(folder.path, "teams", "sales")]);
  expect([below.code, below.err]).toEqual([
    1,
    expect.stringMatching(/is in the folder of another stack: .*stack\.yaml/u),
  ]);
  const relative = await runHere("init", "teams/sales");
  expect(relative.err).toContain(
    "error: teams/sales is in the folder of another stack: stack.yaml [refused]\n",
  );
  const here = await runHere("init");
  expect(here.err).toContain("error: the current folder contains a Stack already: stack.yaml [");
  const above = makeFolder({
    "one/stack.yaml": readFileSync(join(folder.path, "stack.yaml"), "utf8"),
  });
  const over = await run(["init", above.path]);
  expect([over.code, over.err]).toEqual([1, expect.stringMatching(/one\/stack\.yaml/u)]);
  above.remove();
  folder.write({ "stack.yaml": "" });
  folder.write({ "b/user-groups.yaml": "", "c/.gitignore": "dist/\n" });
  const taken = await run(["init", join(folder.path, "b")]);
  expect([taken.code, taken.err]).toEqual([1, expect.stringContaining("would be overwritten")]);
  expect(existsSync(join(folder.path, "b/stack.yaml"))).toBe(false);
  const kept = await run(["init", join(folder.path, "c")]);
  expect([kept.code, kept.out]).toEqual([
    0,
    expect.stringContaining("Add to .gitignore: **/.svc/*"),
  ]);
  expect(readFileSync(join(folder.path, "c/.gitignore"), "utf8")).toBe("dist/\n");
  const named = await run(["init", join(folder.path, "d"), "--name", "a b"]);
  expect(named.code).toBe(64);
});
