// Tests a canary by pull request as a team runs it: only the scripts of examples/ci and `svc`, each in a fresh clone of the remote.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ci, environmentOf } from "../examples/ci-pipelines.ts";
import {
  type CommandResult,
  openWorkFolder,
  runIn,
  secretsOf,
  startForge,
} from "../examples/ci-fixture.ts";
import type { SharedLauncher } from "../support/svc-launcher.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { deployedVersions, newestVersion, olderVersion, setVersionListed } from "./fixture.ts";

const slowTest = { timeout: 240_000 };

let service: TestService;
let workFolder: string;
let launcher: SharedLauncher | undefined;
let env: Record<string, string>;
let secrets: Record<string, string>;
let forge: Awaited<ReturnType<typeof startForge>>;
let runners = 0;

const names = ["dev", "prod-a", "prod-b", "prod-c"];
const stack = `apiVersion: svc/v1
kind: Stack
metadata: { name: ci }
---
apiVersion: svc/v1
kind: Pipeline
metadata: { name: platform }
spec:
  stages:
    - name: dev
      deployments: { names: [dev] }
      source: { channel: latest }
      promotion: automatic
      checks: [{ command: smoke }]
    - name: production
      deployments: { names: [prod-a, prod-b, prod-c] }
      batchSize: 1
      checks: [{ command: smoke }]
      onFailure: rollback
`;

/** A check that fails for the stages that a file names, and then prints the key of the run, as a careless program does. */
function smoke(key: string): string {
  return `#!/usr/bin/env bash
grep -qs "^$PROMOTION_STAGE$" "$HOME/broken" || exit 0
echo "checkout: 3 of 10 orders failed with ${key}"
exit 1
`;
}

function manifest(name: string): string {
  const release = `{ channel: latest, version: ${olderVersion} }`;
  return `apiVersion: svc/v1\nkind: Deployment\nmetadata: { name: ${name} }\nspec: { name: ${name}, region: aws-us-east-1, release: ${release} }\n`;
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runIn(env, "git", { cwd, args });
  expect(code, output).toBe(0);
  return output.trim();
}

beforeAll(async () => {
  service = await startService();
  await setVersionListed(service, { version: olderVersion, channel: "latest" }, true);
  ({ workFolder, env, launcher } = await openWorkFolder({ isShared: true }));
  forge = await startForge([]);
  const command = path.join(workFolder, "smoke.sh");
  writeFileSync(command, smoke(service.adminKey), { mode: 0o755 });
  const grants = path.join(workFolder, "grants.yaml");
  writeFileSync(grants, `promotion: [dev]\nchecks: { commands: { smoke: ${command} } }\n`);
  for (const role of ["AUTHOR", "COMMITTER"]) {
    env[`GIT_${role}_NAME`] = "svc";
    env[`GIT_${role}_EMAIL`] = "svc@example.com";
  }
  secrets = { ...secretsOf(service), SVC_GRANTS: grants, SVC_ACTOR: "svc 1" };
  await git(workFolder, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git");
  await git(workFolder, "clone", "--quiet", "origin.git", "author");
  const author = path.join(workFolder, "author");
  cpSync(ci, path.join(author, "ci"), { recursive: true });
  mkdirSync(path.join(author, "infra"));
  writeFileSync(path.join(author, "infra/stack.yaml"), stack);
  for (const name of names) writeFileSync(path.join(author, `infra/${name}.yaml`), manifest(name));
  writeFileSync(path.join(author, ".gitignore"), ".svc/\nsvc-reports/\n");
  await git(author, "add", ".");
  await git(author, "commit", "--quiet", "-m", "begin");
  await git(author, "push", "--quiet", "origin", "HEAD:main");
});

afterAll(async () => {
  launcher?.close();
  forge.server.close();
  rmSync(workFolder, { recursive: true, force: true });
  await service.close();
});

async function freshClone(): Promise<string> {
  const folder = path.join(workFolder, `runner-${++runners}`);
  const origin = `file://${path.join(workFolder, "origin.git")}`;
  await git(workFolder, "clone", "--quiet", "--branch", "main", origin, folder);
  return folder;
}

async function runJob(script: string): Promise<CommandResult> {
  const folder = await freshClone();
  const github = { GITHUB_API_URL: forge.url, GITHUB_REPOSITORY: "a/b", GITHUB_TOKEN: "t" };
  return runIn(env, path.join(folder, "ci", script), {
    cwd: folder,
    args: [],
    env: { ...environmentOf(script, secrets), ...github },
  });
}

/** What the jobs of a schedule do: apply what is merged, promote, and ask for pull requests. Returns the exit code of `promote.sh`. */
async function schedule(): Promise<number> {
  const applied = await runJob("apply.sh");
  expect(applied.code, applied.output).toBe(0);
  const promoted = await runJob("promote.sh");
  const asked = await runJob("promote-request.sh");
  expect(asked.code, asked.output).toBe(0);
  return promoted.code;
}

/** Returns the titles of the pull requests that were opened since the last call. */
function openedRequests(): readonly { readonly head: string; readonly title: string }[] {
  return forge.requests
    .splice(0)
    .map(({ body }) => body as { readonly head: string; readonly title: string });
}

/** Merges the only open pull request. Returns the commit. */
async function mergeRequest(title: string): Promise<string> {
  const requests = openedRequests();
  expect(requests.map((one) => one.title)).toEqual([title]);
  return mergeBranch(`origin/${requests[0]?.head}`);
}

/** Merges a branch as Grace, as the server of the repository does. Returns the commit. */
async function mergeBranch(head: string): Promise<string> {
  const folder = await freshClone();
  await git(folder, "merge", "--quiet", "--no-ff", "--no-commit", head);
  await git(folder, "commit", "--quiet", "--author=Grace <grace@example.com>", "-m", "Merge it");
  await git(folder, "push", "--quiet", "origin", "main");
  return git(folder, "rev-parse", "HEAD");
}

async function svc(...args: readonly string[]): Promise<CommandResult> {
  return runIn(env, "svc", { cwd: await freshClone(), args, env: secrets });
}

/** What the tests read of the JSON report. */
interface Report {
  readonly history: readonly Readonly<Record<string, unknown>>[];
  readonly manualActions: readonly { readonly by: string; readonly commit?: string }[];
}

async function report(): Promise<Report> {
  const { output } = await svc("promote", "status", "platform", "infra", "--json");
  return JSON.parse(output) as Report;
}

const whyArgs = ["promote", "why", "platform", "infra"] as const;

async function why(stage: string): Promise<string> {
  return (await svc(...whyArgs, "--stage", stage)).output;
}

function setBroken(...stages: readonly string[]): void {
  writeFileSync(path.join(workFolder, "broken"), stages.map((one) => `${one}\n`).join(""));
}

/** Returns the exit code of the command that `promote.sh` runs. */
async function exitCode(): Promise<number> {
  return (await svc("promote", "run", "platform", "infra", "--write", "--yes")).code;
}

function productionVersions(): Promise<readonly string[]> {
  return deployedVersions(service).then((all) => names.slice(1).map((name) => all[name] ?? ""));
}

const [older, newer] = [olderVersion, newestVersion];

describe("a canary by pull request", slowTest, () => {
  it("that fails is recorded, shown and rolled back, and continues batch by batch when it is repaired", async () => {
    await schedule();
    expect(await schedule()).toBe(0);
    expect(await why("production")).toContain(`needs-approval: ${newer} is not approved`);
    expect(await exitCode()).toBe(5);

    // Round 1: the first batch is merged, applied and checked. Other objects of the stage fail the same check.
    setBroken("production");
    const first = await mergeRequest(`Promote production to ${newer}`);
    expect(await schedule()).toBe(1);
    expect(await productionVersions()).toEqual([newer, older, older]);
    expect(await why("production")).toMatch(
      /being rolled back to 1\.7\.15 .*\n(?:.*\n)*? {2}needs-request: production is rolled back to 1\.7\.15 by a pull request\n(?:.*\n)*? {2}failed: 1\.7\.20 did not pass in production: command smoke ended with 1/u,
    );
    expect(await why("production")).toContain("      | checkout: 3 of 10 orders failed with •••\n");
    expect(JSON.stringify(await report())).not.toContain(service.adminKey);
    expect((await svc(...whyArgs, "--stage", "production", "--version", "1.7.10")).output).toMatch(
      /version-not-listed: .*(?:\n.*)*unverified: dev has not verified 1\.7\.10\n.*grant skipStages=production: svc promote run .* --skip-stages --reason TEXT/u,
    );
    // It is not silent while the failed version runs.
    expect(await exitCode()).toBe(1);

    // Round 2: the rollback has a pull request of its own.
    setBroken();
    const back = await mergeRequest(`Roll back production to ${older}`);
    expect(await schedule()).toBe(1);
    expect(await productionVersions()).toEqual([older, older, older]);
    expect(openedRequests()).toEqual([]);
    const again = /verify it again: (svc promote run .* --write --request)\n/u.exec(
      await why("production"),
    )?.[1];
    expect(again).toBe(
      `svc promote run platform infra --to production --version ${newer} --write --request`,
    );

    // Round 3: what `why` says, on a branch.
    const folder = await freshClone();
    await git(folder, "switch", "--quiet", "--create", "again");
    const args = [...(again ?? "").split(" ").slice(1), "--yes"];
    const written = await runIn(env, "svc", { cwd: folder, env: secrets, args });
    expect(written.code, written.output).toBe(0);
    await git(folder, "push", "--quiet", "origin", "again");
    const repaired = await mergeBranch("origin/again");
    expect(await schedule()).toBe(0);
    expect(await exitCode()).toBe(5);

    // Rounds 4 and 5: the other batches.
    const others: string[] = [];
    for (const expected of [
      [newer, newer, older],
      [newer, newer, newer],
    ]) {
      others.push(await mergeRequest(`Promote production to ${newer}`));
      expect(await schedule()).toBe(0);
      expect(await productionVersions()).toEqual(expected);
    }
    expect(await exitCode()).toBe(0);
    expect(openedRequests()).toEqual([]);
    const { history, manualActions } = await report();
    const admin = "admin@svc.localhost";
    expect(history.slice(0, 3)).toMatchObject([
      { from: [older], to: newer, by: admin, result: "done", commits: [repaired, ...others] },
      {
        from: [older, newer],
        to: older,
        cause: "rollback",
        by: "svc",
        result: "done",
        commits: [back],
      },
      { from: [older], to: newer, by: admin, result: "failed", commits: [first] },
    ]);
    expect(history.slice(0, 3).map(({ mode }) => mode)).toEqual(["request", "request", "request"]);
    expect(manualActions.map(({ by, commit }) => [by, commit])).toEqual(
      [...others.toReversed(), repaired, back, undefined, first].map((commit) => [
        // The failed check ends the approval of the first merge.
        commit === undefined ? "svc" : "Grace <grace@example.com>",
        commit,
      ]),
    );
  });
});
