// Tests the scripts of examples/ci with a real service and real Git repositories: plan, apply, drift, and the inventory
// between runners.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GitHostType, gitHostTypes } from "../../git-hosts/dialects.ts";
import { hostRepository, hostToken, startGitHost } from "../support/git-host-server.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { ci, environmentOf, stepsOnGithub } from "./ci-pipelines.ts";
import {
  type CommandResult,
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

    const kept = (await liveGroups()).find(({ name }) => name === "ci-one");
    await service.send("PATCH", `/api/v1/user-groups/${kept?.id}`, {
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

describe("the scripts with many stacks", slowTest, () => {
  it("plan what commits changed, apply all, and need no remote", async () => {
    const clone = path.join(workFolder, "many");
    const write = (file: string, text: string): void => {
      mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
      writeFileSync(path.join(clone, file), text);
    };
    const document = (name: string): string =>
      `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: "ci-\${stack}-${name}" }\n`;
    const stackOf = (name: string): string =>
      `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${name} }\nspec: { manifests: ["*.yaml", "../base/*.yaml"], variables: { stack: ${name} } }\n`;
    cpSync(ci, path.join(clone, "ci"), { recursive: true });
    write("stacks/dev/stack.yaml", stackOf("dev"));
    write("stacks/prod/stack.yaml", stackOf("prod"));
    write("stacks/base/groups.yaml", document("base"));
    await git(clone, "init", "--quiet");
    const who = ["-c", "user.name=author", "-c", "user.email=author@example.com"];
    const commitAll = async (): Promise<void> => {
      await git(clone, "add", ".");
      await git(clone, ...who, "commit", "--quiet", "-m", "change");
    };
    await commitAll();
    const script = (name: string, more: object = {}): Promise<CommandResult> =>
      run(path.join(clone, "ci", name), [], {
        cwd: clone,
        env: { ...environmentOf(name, secrets), STACK: "stacks", ...more },
      });
    const report = (name: string): string =>
      readFileSync(path.join(clone, "svc-reports", name), "utf8");
    const applied = await script("apply.sh");
    expect(applied.code, applied.output).toBe(0);
    expect((await script("drift.sh")).code).toBe(0);
    write("stacks/dev/more.yaml", document("more"));
    await commitAll();
    const planned = await script("plan.sh", { BASE: "HEAD~1" });
    expect(planned.code, planned.output).toBe(0);
    expect(report("plan.md")).toContain("ci-dev-more");
    expect(report("stacks.txt")).toBe("stacks/dev\n");
    write("stacks/base/groups.yaml", document("other"));
    await commitAll();
    expect((await script("plan.sh", { BASE: "HEAD~1" })).code).toBe(0);
    expect(report("stacks.txt")).toBe("stacks/dev\nstacks/prod\n");
    write("README.md", "nothing");
    await commitAll();
    const nothing = await script("plan.sh", { BASE: "HEAD~1" });
    expect([nothing.code, nothing.output]).toEqual([0, "no stack changed\n"]);
  });

  it("give each stack the secrets that it names and the operator grants, by the steps of the workflow", async () => {
    const clone = path.join(workFolder, "secrets");
    const names = ["SHOP_PASSWORD", "CLUB_PASSWORD"] as const;
    const values = { SHOP_PASSWORD: "hush-of-shop", CLUB_PASSWORD: "hush-of-club" };
    cpSync(ci, path.join(clone, "ci"), { recursive: true });
    for (const name of names) {
      const folder = path.join(clone, "stacks", name.slice(0, 4).toLowerCase());
      mkdirSync(folder, { recursive: true });
      const documents = [
        `kind: Stack\nmetadata: { name: ${path.basename(folder)} }\nspec: { environment: [${name}] }`,
        `kind: Deployment\nmetadata: { name: site }\nspec: { name: ci-${path.basename(folder)}, region: aws-us-east-1 }`,
        `kind: EnvironmentVariable\nmetadata: { name: password }\nspec: { deployment: site, name: WAREHOUSE_PASSWORD, value: { valueFrom: { env: ${name} } } }`,
      ];
      const text = documents.map((one) => `apiVersion: svc/v1\n${one}\n`).join("---\n");
      writeFileSync(path.join(folder, "stack.yaml"), text);
    }
    const script = (name: string, more: object): Promise<CommandResult> =>
      run(path.join(clone, "ci", name), [], {
        cwd: clone,
        env: { ...environmentOf(name, secrets), STACK: "stacks", ...more },
      });
    const report = (name: string): string =>
      readFileSync(path.join(clone, "svc-reports", name), "utf8");

    // The step of each job that writes the grants sets the variable of the following steps.
    const granting = stepsOnGithub().filter((text) => text.includes("SVC_GRANTS="));
    expect([granting.length, new Set(granting).size]).toEqual([4, 1]);
    const variables = path.join(workFolder, "github-env");
    const step = {
      RUNNER_TEMP: workFolder,
      GITHUB_ENV: variables,
      GRANTS: `environment: [${names.join(", ")}]`,
    };
    const { code } = await run("bash", ["-e", "-c", granting[0] ?? ""], { cwd: clone, env: step });
    expect(code).toBe(0);
    const [, grants] = readFileSync(variables, "utf8").trim().split("=");

    // A plan needs neither grants nor secrets, and says what it does not compare. An apply needs both, of its stack only.
    const planned = await script("plan.sh", {});
    expect(planned.code, planned.output).toBe(0);
    expect(report("plan.md")).toContain("2 to create");
    const ungranted = await script("apply.sh", values);
    expect(ungranted.code).not.toBe(0);
    for (const name of names) expect(ungranted.output).toContain(`--grant environment=${name}`);
    const half = { SVC_GRANTS: grants, SHOP_PASSWORD: values.SHOP_PASSWORD };
    const partial = await script("apply.sh", half);
    expect(partial.code).not.toBe(0);
    expect(partial.output).toContain('the environment variable "CLUB_PASSWORD"');
    expect(partial.output).not.toContain('"SHOP_PASSWORD"');
    expect(report("apply.md")).toContain("Applied: 2 created");
    const applied = await script("apply.sh", { SVC_GRANTS: grants, ...values });
    expect(applied.code, applied.output).toBe(0);
    const drift = await script("drift.sh", { SVC_GRANTS: grants, ...values });
    expect(drift.code, drift.output).toBe(0);
    for (const ended of [planned, ungranted, partial, applied, drift])
      expect(ended.output).not.toContain("hush");
    for (const name of ["plan.md", "plan.json", "apply.md", "apply.json", "drift.md"])
      expect(report(name)).not.toContain("hush");
  });
});

describe("svc publish in a job", slowTest, () => {
  const sha = "0123456789abcdef0123456789abcdef01234567";
  const report = "<!-- svc plan ci -->\n### Plan for stack `ci`\n";
  const pages: Readonly<Record<GitHostType, string>> = {
    github: "https://git.example/acme/platform/actions/runs/5001",
    gitea: "https://git.example/acme/platform/actions/runs/12",
    gitlab: "https://git.example/acme/platform/-/jobs/9",
  };
  const jobs: Readonly<Record<GitHostType, (api: string) => object>> = {
    github: (api) => ({ GITHUB_ACTIONS: "true", GITHUB_TOKEN: hostToken, ...onGithub(api) }),
    gitea: (api) => ({
      GITHUB_ACTIONS: "true",
      GITEA_ACTIONS: "true",
      SVC_GIT_TOKEN: hostToken,
      ...onGithub(api),
    }),
    gitlab: (api) => ({
      GITLAB_CI: "true",
      GITLAB_TOKEN: hostToken,
      CI_API_V4_URL: api,
      CI_PROJECT_ID: hostRepository,
      CI_MERGE_REQUEST_IID: "7",
      CI_COMMIT_SHA: sha,
      CI_JOB_URL: pages.gitlab,
    }),
  };
  const server = "https://git.example";
  const onGithub = (api: string): object => {
    const event = path.join(workFolder, "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head: { sha } } }));
    const merge = "f".repeat(40);
    const names = { GITHUB_API_URL: api, GITHUB_REPOSITORY: hostRepository, GITHUB_SHA: merge };
    const page = { GITHUB_RUN_ID: "5001", GITHUB_RUN_NUMBER: "12" };
    return { ...names, ...page, GITHUB_SERVER_URL: server, GITHUB_EVENT_PATH: event };
  };
  const publish = (given: object, ...args: readonly string[]): Promise<CommandResult> => {
    writeFileSync(path.join(workFolder, "plan.md"), report);
    return run("svc", ["publish", ...args], { cwd: workFolder, env: given });
  };

  it.each(gitHostTypes)("keeps one comment and sets the status on %s", async (type) => {
    const host = await startGitHost(type);
    const job = jobs[type](host.api);
    const begun = await publish(job, "--name", "plan", "--state", "pending");
    expect([begun.code, begun.output]).toEqual([
      0,
      expect.stringContaining(`Set svc/plan of ${sha} to pending.`),
    ]);
    expect([host.comments, host.statuses.splice(0)]).toMatchObject([
      [],
      [{ sha, state: "pending", context: "svc/plan", target_url: pages[type] }],
    ]);
    host.disturbances.push({ status: 503 }, { status: 429, headers: { "retry-after": "1" } });
    const args = ["plan.md", "--name", "plan", "--state", "failure", "--description", "1 error"];
    const first = await publish(job, ...args);
    expect(first.code, first.output).toBe(0);
    expect(first.output).toContain("Created the comment plan on 7.");
    expect((await publish(job, "plan.md", "--name", "plan")).output).toContain("Replaced");
    expect(host.comments.map(({ body }) => body)).toEqual([`<!-- svc comment plan -->\n${report}`]);
    expect(host.statuses).toMatchObject([{ sha, context: "svc/plan", description: "1 error" }]);
    host.disturbances.push({ status: 404, body: { message: "Not Found" } });
    const refused = await publish(job, "plan.md", "--name", "plan");
    expect(refused.code).toBe(1);
    expect(refused.output).not.toContain(hostToken);
    await host.close();
    expect(host.unknown).toEqual([]);
  });

  it("says what it lacks", async () => {
    const token = { SVC_GIT_TOKEN: hostToken };
    for (const [given, args, text] of [
      [token, ["plan.md", "--name", "plan"], "pass --host"],
      [token, ["--name", "plan"], "name reports"],
      [{}, ["plan.md", "--name", "plan", "--host", "github", "--repository", "a/b"], "no token"],
      [
        token,
        ["plan.md", "--name", "plan", "--host", "github", "--repository", "a/b"],
        "--request",
      ],
    ] as const) {
      const { code, output } = await publish(given, ...args);
      expect([code === 64 || code === 77, output]).toEqual([true, expect.stringContaining(text)]);
    }
  });
});
