// Tests the promotion scripts of examples/ci with a real service, real Git repositories, and a stand-in for a forge.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  olderVersion,
  newestVersion,
  setVersionListed,
  deployedVersions,
} from "../../promotion/fixture.ts";
import type { SharedLauncher } from "../../support/svc-launcher.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { ci, environmentOf } from "../../examples/ci-pipelines.ts";
import {
  type CommandResult,
  startForge,
  openWorkFolder,
  runIn,
  secretsOf,
} from "../../examples/ci-fixture.ts";

const slowTest = { timeout: 180_000 };

let service: TestService;
let workFolder: string;
let launcher: SharedLauncher | undefined;
let env: Record<string, string>;
/** The secrets of a forge. */
let secrets: Record<string, string>;

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runIn(env, "git", { cwd, args });
  expect(code, output).toBe(0);
  return output;
}

function manifest(name: string): string {
  const spec = `spec: { name: ${name}, region: aws-us-east-1, release: { channel: latest, version: ${olderVersion} } } # pinned\n`;
  return `apiVersion: svc/v1\nkind: Deployment\nmetadata: { name: ${name} }\n${spec}`;
}

const stack = "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ci }\n";
const pipeline = `---
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
      onFailure: rollback
    - name: production
      deployments: { names: [prod, prod2] }
      batchSize: 1
`;

/** A check that passes. If it is armed, it fails once, while a person holds production from another clone. */
const smoke = `#!/usr/bin/env bash
set -euo pipefail
[ -e "$HOME/armed" ] || exit 0
rm "$HOME/armed"
export GIT_CONFIG_GLOBAL=/dev/null STACK=infra
git clone --quiet --branch main "file://$HOME/origin.git" "$HOME/person"
cd "$HOME/person"
ci/inventory.sh get
svc promote hold platform infra --stage production --reason incident --by ada
ci/inventory.sh put
exit 1
`;

beforeAll(async () => {
  service = await startService();
  await setVersionListed(service, { version: olderVersion, channel: "latest" }, true);
  ({ workFolder, env, launcher } = await openWorkFolder({ isShared: true }));
  writeFileSync(path.join(workFolder, "smoke.sh"), smoke, { mode: 0o755 });
  const commands = `{ smoke: ${path.join(workFolder, "smoke.sh")} }`;
  const grants = `promotion: [dev]\nchecks: { commands: ${commands} }\n`;
  writeFileSync(path.join(workFolder, "grants.yaml"), grants);
  for (const role of ["AUTHOR", "COMMITTER"]) {
    env[`GIT_${role}_NAME`] = "svc";
    env[`GIT_${role}_EMAIL`] = "svc@example.com";
  }
  secrets = {
    ...secretsOf(service),
    SVC_GRANTS: path.join(workFolder, "grants.yaml"),
    SVC_ACTOR: "svc 1",
  };
  await git(workFolder, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git");
  await git(workFolder, "clone", "--quiet", "origin.git", "author");
  const author = path.join(workFolder, "author");
  cpSync(ci, path.join(author, "ci"), { recursive: true });
  mkdirSync(path.join(author, "infra"));
  writeFileSync(path.join(author, "infra/stack.yaml"), `${stack}${pipeline}`);
  for (const name of ["dev", "prod", "prod2"]) {
    writeFileSync(path.join(author, `infra/${name}.yaml`), manifest(name));
  }
  writeFileSync(path.join(author, ".gitignore"), ".svc/\nsvc-reports/\n");
  await git(author, "add", ".");
  await git(author, "commit", "--quiet", "-m", "begin");
  await git(author, "push", "--quiet", "origin", "HEAD:main");
});

afterAll(async () => {
  launcher?.close();
  rmSync(workFolder, { recursive: true, force: true });
  await service.close();
});

/** The members of the record that the tests read. */
interface PipelineRecord {
  readonly pipelines: {
    readonly platform: {
      readonly stages: {
        readonly dev: { readonly verified: readonly { version: string; passed: boolean }[] };
        readonly production: { readonly hold?: object };
      };
    };
  };
}

let runners = 0;

/** Runs a job with only a fresh clone. */
async function runJob(
  script: string,
  more: object = {},
): Promise<CommandResult & { readonly folder: string }> {
  const folder = path.join(workFolder, `runner-${++runners}`);
  const origin = `file://${path.join(workFolder, "origin.git")}`;
  await git(workFolder, "clone", "--quiet", "--branch", "main", origin, folder);
  const ended = await runIn(env, path.join(folder, "ci", script), {
    cwd: folder,
    args: [],
    env: { ...environmentOf(script, secrets), ...more },
  });
  return { ...ended, folder };
}

async function runJobOk(script: string, more: object = {}): Promise<string> {
  const { code, output, folder } = await runJob(script, more);
  expect(code, output).toBe(0);
  return folder;
}

function gitInOrigin(...args: readonly string[]): Promise<string> {
  return git(path.join(workFolder, "origin.git"), ...args);
}

describe("the scripts of examples/ci", slowTest, () => {
  it("promote on a schedule, and ask for approvals by pull requests, with the record at the service", async () => {
    await runJobOk("apply.sh");
    // No script requires a missing grant, so the job reports that it does nothing.
    const withoutGrant = path.join(workFolder, "checks.yaml");
    writeFileSync(withoutGrant, `checks: { commands: { smoke: ${workFolder}/smoke.sh } }\n`);
    const refused = await runJob("promote.sh", { SVC_GRANTS: withoutGrant });
    expect(refused.code, refused.output).toBe(5);
    const promoted = await runJobOk("promote.sh");
    expect(await gitInOrigin("log", "-1", "--format=%s", "main")).toBe(
      `Promote dev to ${newestVersion}\n`,
    );
    expect(await gitInOrigin("show", "main:infra/dev.yaml")).toBe(
      manifest("dev").replace(olderVersion, newestVersion),
    );
    const report = readFileSync(path.join(promoted, "svc-reports/promote.md"), "utf8");
    expect(report).toMatch(/^<!-- svc promote platform -->\n### Pipeline `platform`\n/u);
    expect(await deployedVersions(service)).toEqual({
      dev: olderVersion,
      prod: olderVersion,
      prod2: olderVersion,
    });

    await runJobOk("apply.sh");
    await runJobOk("promote.sh");
    const { server, url, requests } = await startForge([]);
    const github = { GITHUB_API_URL: url, GITHUB_REPOSITORY: "a/b", GITHUB_TOKEN: "t" };
    await runJobOk("promote-request.sh", github);
    await runJobOk("promote-request.sh", github);
    server.close();
    const branches = await gitInOrigin("branch", "--list", "--format=%(refname:short)", "svc/*");
    const branch = branches.trim();
    expect(branch).toMatch(
      new RegExp(`^svc/promote-production-${newestVersion}-[0-9a-f]{8}$`, "u"),
    );
    expect(requests.map(({ method, url: at }) => `${method} ${at}`)).toEqual([
      "POST /repos/a/b/pulls",
    ]);
    expect(requests[0]).toMatchObject({
      token: "Bearer t",
      body: { head: branch, base: "main", title: `Promote production to ${newestVersion}` },
    });
    expect(await gitInOrigin("diff", "--name-only", "main", branch)).toBe("infra/prod.yaml\n");

    // The merged branch stays, and the merged change is not requested again before it is applied.
    await gitInOrigin("update-ref", "refs/heads/main", branch);
    const later = await startForge([]);
    await runJobOk("promote-request.sh", { ...github, GITHUB_API_URL: later.url });
    later.server.close();
    expect(later.requests).toEqual([]);
    await runJobOk("apply.sh");
    await runJobOk("promote.sh");
    const first = { dev: newestVersion, prod: newestVersion };
    expect(await deployedVersions(service)).toEqual({ ...first, prod2: olderVersion });

    // The second batch has a separate request, although the merged branch of the first still exists.
    const second = await startForge([]);
    await runJobOk("promote-request.sh", { ...github, GITHUB_API_URL: second.url });
    second.server.close();
    const [head = "", ...others] = second.requests.map(
      ({ body }) => (body as { head: string }).head,
    );
    expect(others).toEqual([]);
    expect(head).not.toBe(branch);
    expect(await gitInOrigin("diff", "--name-only", "main", head)).toBe("infra/prod2.yaml\n");
    await gitInOrigin("update-ref", "refs/heads/main", head);
    await runJobOk("apply.sh");
    await runJobOk("promote.sh");
    expect(await deployedVersions(service)).toEqual({ ...first, prod2: newestVersion });
    const shown = await runIn(env, "svc", {
      cwd: promoted,
      args: ["promote", "status", "platform", "infra", "--json"],
      env: secrets,
    });
    const { history } = JSON.parse(shown.output) as { history: readonly object[] };
    expect(history[0]).toMatchObject({
      stage: "production",
      from: [olderVersion],
      to: newestVersion,
      by: "admin@svc.localhost",
      mode: "request",
      result: "done",
    });
    expect((await runJob("drift.sh")).code).toBe(0);
    expect(await gitInOrigin("branch", "--list", "svc-inventory")).toBe("");
  });

  it("lose neither what failed nor what a person said meanwhile, with the record in a branch", async () => {
    const author = path.join(workFolder, "author");
    await git(author, "pull", "--quiet", "origin", "main");
    const renewed = pipeline.replace("automatic", "automatic\n      validFor: 1s");
    writeFileSync(
      path.join(author, "infra/stack.yaml"),
      `${stack}spec: { inventory: file }\n${renewed}`,
    );
    await git(author, "commit", "--quiet", "-am", "verify again");
    // Read from the service, where the previous test left it.
    const move = ["inventory", "move", "infra", "--from", "service"];
    const moved = await runIn(env, "svc", { cwd: author, args: move, env: secrets });
    expect(moved.code, moved.output).toBe(0);
    const put = { cwd: author, args: ["put"], env: { STACK: "infra" } };
    expect((await runIn(env, path.join(author, "ci/inventory.sh"), put)).code).toBe(0);
    await git(author, "push", "--quiet", "origin", "HEAD:main");
    writeFileSync(path.join(workFolder, "armed"), "");
    const { code, output } = await runJob("promote.sh");
    expect(code, output).toBe(1);
    const back = `Roll back dev to ${olderVersion}\n`;
    expect(await gitInOrigin("log", "-1", "--format=%s", "main")).toBe(back);
    const kept = await gitInOrigin("show", "svc-inventory:.svc/ci@promotions.inventory.json");
    const { stages } = (JSON.parse(kept) as PipelineRecord).pipelines.platform;
    expect(stages.production.hold).toMatchObject({ by: "ada", reason: "incident" });
    expect(stages.dev.verified.find(({ version }) => version === newestVersion)?.passed).toBe(
      false,
    );
    // A failed version is not merged again from a clone without the record.
    await runJobOk("apply.sh");
    await runJob("promote.sh");
    expect(await gitInOrigin("log", "-1", "--format=%s", "main")).toBe(back);
    expect(await deployedVersions(service)).toMatchObject({ dev: olderVersion });
  });
});
