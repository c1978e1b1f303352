// Tests the scripts of examples/ci with a real service and real Git repositories: plan, apply, drift, and the inventory
// between runners.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { ci, environmentOf } from "./ci-pipelines.ts";
import {
  type CommandResult,
  startForge,
  type RunOptions,
  openWorkFolder,
  runIn,
  secretsOf,
} from "./ci-fixture.ts";

const slowTest = { timeout: 180_000 };

let service: TestService;
let workFolder: string;
let env: Record<string, string>;
/** The secrets of a forge. */
let secrets: Record<string, string>;

const run = (command: string, args: readonly string[], how: RunOptions): Promise<CommandResult> =>
  runIn(env, command, { args, ...how });

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await run("git", args, { cwd });
  expect(code, output).toBe(0);
}

function groups(...names: readonly string[]): string {
  const one = (name: string): string =>
    `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: ci-${name}, description: declared }\n`;
  return names.map(one).join("---\n");
}

const stack =
  "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ci }\nspec: { inventory: file, policy: { prune: true, maxDeletes: 1, maxDeletePercent: 100 } }\n";

beforeAll(async () => {
  service = await startService();
  ({ workFolder, env } = await openWorkFolder());
  secrets = secretsOf(service);
  await git(workFolder, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git");
  await git(workFolder, "clone", "--quiet", "origin.git", "author");
  const author = path.join(workFolder, "author");
  cpSync(ci, path.join(author, "ci"), { recursive: true });
  mkdirSync(path.join(author, "infra"));
  writeFileSync(path.join(author, "infra/stack.yaml"), stack);
  writeFileSync(path.join(author, ".gitignore"), ".svc/\n");
  await commit(groups("one", "two"));
});

afterAll(async () => {
  rmSync(workFolder, { recursive: true, force: true });
  await service.close();
});

/** Commits the changes that an author merges. */
async function commit(manifests: string): Promise<void> {
  const author = path.join(workFolder, "author");
  writeFileSync(path.join(author, "infra/groups.yaml"), manifests);
  await git(author, "add", ".");
  const who = ["-c", "user.name=author", "-c", "user.email=author@example.com"];
  await git(author, ...who, "commit", "--quiet", "-m", "change");
  await git(author, "push", "--quiet", "origin", "HEAD:main");
}

let runners = 0;

/** Runs a job with only a fresh clone. */
async function runJob(
  script: string,
  more: object = {},
): Promise<CommandResult & { report: (name: string) => string }> {
  const name = `runner-${++runners}`;
  const origin = `file://${path.join(workFolder, "origin.git")}`;
  await git(workFolder, "clone", "--quiet", "--depth", "1", "--branch", "main", origin, name);
  const cwd = path.join(workFolder, name);
  const given = { ...environmentOf(script, secrets), ...more };
  const ended = await run(path.join(cwd, "ci", script), [], { cwd, env: given });
  const report = (file: string): string => {
    const at = path.join(cwd, "svc-reports", file);
    return existsSync(at) ? readFileSync(at, "utf8") : "";
  };
  return { ...ended, report };
}

interface Group {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
}

async function liveGroups(): Promise<readonly Group[]> {
  const { body } = await service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly Group[] };
  return items.filter(({ name }) => name.startsWith("ci-"));
}

describe("the scripts of examples/ci", slowTest, () => {
  it("plan, apply, find drift, repair it and delete, each on a fresh runner", async () => {
    const planned = await runJob("plan.sh");
    expect(planned.code, planned.output).toBe(0);
    expect(planned.report("plan.md")).toMatch(/^<!-- svc plan ci -->\n### Plan for stack `ci`\n/u);
    expect(planned.report("plan.md")).toContain("2 to create");
    expect(JSON.parse(planned.report("plan.json"))).toMatchObject({ report: "plan", stack: "ci" });
    expect(await liveGroups()).toEqual([]);

    const applied = await runJob("apply.sh");
    expect(applied.code, applied.output).toBe(0);
    expect(applied.report("apply.md")).toContain("2 created");
    expect(await liveGroups()).toHaveLength(2);
    expect((await runJob("drift.sh")).code).toBe(0);

    const [first] = await liveGroups();
    await service.send("PATCH", `/api/v1/user-groups/${first?.id}`, {
      body: { description: "by hand" },
    });
    const drift = await runJob("drift.sh");
    expect(drift.code, drift.output).toBe(2);
    expect(drift.report("drift.md")).toContain('"declared" → "by hand"  (changed on the server)');

    await commit(groups("one"));
    const warned = await runJob("plan.sh", { SVC_FAIL_ON: "warning" });
    expect(warned.code, warned.output).toBe(1);
    expect(warned.report("plan.md")).toContain("UserGroup/two is deleted");
    expect((await runJob("apply.sh", { SVC_FAIL_ON: "warning" })).code).toBe(1);
    expect(await liveGroups()).toHaveLength(2);
    const second = await runJob("apply.sh");
    expect(second.code, second.output).toBe(0);
    expect((await liveGroups()).map(({ description }) => description)).toEqual(["declared"]);
    expect((await runJob("plan.sh")).report("plan.md")).toContain("nothing to do");
  });

  it("refuse to push over an inventory that another run has pushed", async () => {
    const runner = path.join(workFolder, `runner-${runners}`);
    const inventory = path.join(runner, "infra/.svc/ci.inventory.json");
    await git(workFolder, "clone", "--quiet", "--branch", "svc-inventory", "origin.git", "other");
    writeFileSync(path.join(workFolder, "other/.svc/ci.inventory.json"), "{}");
    const who = ["-c", "user.name=other", "-c", "user.email=other@example.com"];
    await git(path.join(workFolder, "other"), ...who, "commit", "--quiet", "-am", "overtakes");
    await git(path.join(workFolder, "other"), "push", "--quiet");
    writeFileSync(inventory, `${readFileSync(inventory, "utf8")}\n`);
    const at = { cwd: runner, env: environmentOf("apply.sh", secrets) };
    const late = await run(path.join(runner, "ci/inventory.sh"), ["put"], at);
    expect(late.code).not.toBe(0);
    expect(late.output).toContain("rejected");
    expect(late.output).toMatch(/recorded is kept in svc-inventory-kept-[0-9a-f]+\n/u);
    expect((await run(path.join(runner, "ci/inventory.sh"), [], { cwd: runner })).code).toBe(64);
  });
});

describe("comment.mjs", slowTest, () => {
  const report = "<!-- svc plan ci -->\n### Plan\n";
  const marker = "<!-- svc report plan infra%2Fci -->";
  const body = `${marker}\n${report}`;
  // The failure of an earlier run, which could not read the name of the Stack, is replaced as well.
  const earlier = [
    { id: 5, body: "<!-- svc report plan infra -->\nanother stack" },
    { id: 6, body: `a person quotes ${marker}` },
    { id: 7, body: `${marker}\n<!-- svc failure  -->\n### svc failed` },
  ];

  const send = (more: object): Promise<CommandResult> => {
    writeFileSync(path.join(workFolder, "plan.md"), report);
    return run(process.execPath, [path.join(ci, "comment.mjs"), "plan.md"], {
      cwd: workFolder,
      env: { STACK: "infra/ci", ...more },
    });
  };

  it.each([
    ["the first", [], "POST", "/repos/a/b/issues/5/comments"],
    ["an earlier one", earlier, "PATCH", "/repos/a/b/issues/comments/7"],
  ])("writes %s on GitHub", async (_, comments, method, url) => {
    const { server, url: base, requests } = await startForge(comments);
    const github = {
      GITHUB_API_URL: base,
      GITHUB_REPOSITORY: "a/b",
      PULL_REQUEST: "5",
      GITHUB_TOKEN: "t",
    };
    const { code, output } = await send(github);
    server.close();
    expect(code, output).toBe(0);
    expect(requests.at(-1)).toEqual({ method, url, token: "Bearer t", body: { body } });
  });

  it.each([
    ["the first", [], "POST", "/projects/3/merge_requests/5/notes"],
    ["an earlier one", earlier, "PUT", "/projects/3/merge_requests/5/notes/7"],
  ])("writes %s on GitLab", async (_, comments, method, url) => {
    const { server, url: base, requests } = await startForge(comments);
    const gitlab = {
      CI_API_V4_URL: base,
      CI_PROJECT_ID: "3",
      CI_MERGE_REQUEST_IID: "5",
      GITLAB_TOKEN: "t",
    };
    const { code, output } = await send(gitlab);
    server.close();
    expect(code, output).toBe(0);
    expect(requests.at(-1)).toEqual({ method, url, token: "t", body: { body } });
  });

  it("says what it lacks", async () => {
    const { code, output } = await send({});
    expect([code, output]).toEqual([64, "comment.mjs: GITHUB_API_URL is not set\n"]);
  });
});
