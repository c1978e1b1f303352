// Tests which stacks `svc stacks` lists: those that commits changed, with what they share, in a clone without a remote.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder, runSvc, type TestFolder } from "./run-cli.ts";

const stack = (name: string, manifests?: string) =>
  JSON.stringify({
    apiVersion: "svc/v1",
    kind: "Stack",
    metadata: { name },
    spec: manifests === undefined ? {} : { manifests: ["*.yaml", manifests] },
  });
const group = (name: string) =>
  `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: ${name} }\n`;
const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
let folder: TestFolder;

function git(...args: readonly string[]): string {
  const who = ["-c", "user.name=ada", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...who, ...args], {
    cwd: folder.path,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}
function commit(files: Readonly<Record<string, string>>): string {
  folder.write(files);
  git("add", "--all");
  git("commit", "--quiet", "--message", "a change");
  return git("rev-parse", "HEAD");
}
const run = (...args: readonly string[]) => runSvc(["stacks", ...args], { cwd: folder.path, env });
async function changed(since: string): Promise<readonly string[]> {
  const { code, out, err } = await run("--changed-since", since);
  expect([code, err]).toEqual([0, ""]);
  return out.split("\n").filter((line) => line !== "");
}

beforeEach(() => {
  folder = makeFolder({});
  git("init", "--quiet", "--initial-branch=main");
  commit({
    "dev/stack.yaml": stack("dev", "../base/**/*.yaml"),
    "prod/stack.yaml": stack("prod", "../base/**/*.yaml"),
    "prod/eu/stack.yaml": stack("prod-eu"),
    "prod/eu/model/orders.yml": "cubes: []\n",
    "other/stack.yaml": stack("other", "../one/shared.yaml"),
    "base/groups.yaml": group("a"),
    "base/deep/more.yaml": group("b"),
    "one/shared.yaml": group("c"),
    "README.md": "",
  });
});
afterEach(() => folder.remove());

describe("svc stacks", () => {
  it("lists all stacks, by name as JSON", async () => {
    expect((await run()).out).toBe("dev\nother\nprod\nprod/eu\n");
    const { out } = await run("--json", "prod");
    expect(JSON.parse(out)).toMatchObject({
      report: "stack-list",
      stacks: [
        { folder: "prod", name: "prod" },
        { folder: "prod/eu", name: "prod-eu" },
      ],
    });
  });

  it("lists those that commits changed: in their folders, what they share, and what was deleted", async () => {
    const start = git("rev-parse", "HEAD");
    commit({ "README.md": "changed" });
    expect(await changed(start)).toEqual([]);
    const first = commit({ "prod/eu/model/orders.yml": "cubes: [ ]\n" });
    expect(await changed(start)).toEqual(["prod/eu"]);
    const second = commit({ "base/deep/more.yaml": group("d") });
    expect(await changed(first)).toEqual(["dev", "prod"]);
    const third = commit({ "one/shared.yaml": group("e"), "dev/local.yaml": group("f") });
    expect(await changed(second)).toEqual(["dev", "other"]);
    rmSync(join(folder.path, "base/deep"), { recursive: true });
    commit({});
    expect(await changed(third)).toEqual(["dev", "prod"]);
    // What the other branch has, and this one does not, is no change of this one.
    git("switch", "--quiet", "--create", "topic", first);
    commit({ "dev/topic.yaml": group("g") });
    expect(await changed("main")).toEqual(["dev"]);
  });

  it("tells about deleted stacks, and lists those that cannot be read", async () => {
    const start = git("rev-parse", "HEAD");
    rmSync(join(folder.path, "other"), { recursive: true });
    commit({
      "dev/stack.yaml":
        '{"apiVersion":"svc/v1","kind":"Stack","metadata":{"name":"dev"}, "spec": 3}',
    });
    const { code, out, err } = await run("--changed-since", start);
    expect([code, out]).toEqual([0, "dev\n"]);
    expect(err).toContain("other/stack.yaml was deleted");
  });

  it("refuses an unknown revision, an option in its place, and a folder without Git", async () => {
    for (const revision of ["nowhere", "--output=x"]) {
      const { code, err } = await run(`--changed-since=${revision}`);
      expect([code, err]).toEqual([64, expect.stringContaining("no common commit")]);
    }
    rmSync(join(folder.path, ".git"), { recursive: true });
    const outside = await run("--changed-since", "main");
    expect([outside.code, outside.err]).toEqual([64, expect.stringContaining("no Git repository")]);
  });
});
