// The scripts of examples/ci that promote, over a real service, real Git repositories, and a forge that is asked for pull requests.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { older, newest, setListed, versionsOf } from "../promotion/scene.ts";
import { startService, type TestService } from "../support/service.ts";
import { ci, environmentOf } from "./pipelines.ts";
import { type Ended, forge, openWorld, runIn, secretsOf } from "./runner.ts";

const patience = { timeout: 180_000 };

let service: TestService;
let world: string;
let env: Record<string, string>;
/** What a forge knows. */
let secrets: Record<string, string>;

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, said } = await runIn(env, "git", { cwd, args });
  expect(code, said).toBe(0);
  return said;
}

function manifest(name: string): string {
  const spec = `spec: { name: ${name}, region: aws-us-east-1, release: { channel: latest, version: ${older} } } # pinned\n`;
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
      enters: { channel: latest }
      promotion: automatic
      verifies: [{ command: smoke }]
      onFailure: rollback
    - name: production
      deployments: { names: [prod] }
`;

/** A check that passes; once, when it is armed, a person holds production from another clone meanwhile, and it does not pass. */
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
  await setListed(service, { version: older, channel: "latest" }, true);
  ({ world, env } = openWorld());
  writeFileSync(path.join(world, "smoke.sh"), smoke, { mode: 0o755 });
  const commands = `{ smoke: ${path.join(world, "smoke.sh")} }`;
  const grants = `promotion: [dev]\nchecks: { commands: ${commands} }\n`;
  writeFileSync(path.join(world, "grants.yaml"), grants);
  for (const role of ["AUTHOR", "COMMITTER"]) {
    env[`GIT_${role}_NAME`] = "svc";
    env[`GIT_${role}_EMAIL`] = "svc@example.com";
  }
  secrets = {
    ...secretsOf(service),
    SVC_GRANTS: path.join(world, "grants.yaml"),
    SVC_ACTOR: "svc 1",
  };
  await git(world, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git");
  await git(world, "clone", "--quiet", "origin.git", "author");
  const author = path.join(world, "author");
  cpSync(ci, path.join(author, "ci"), { recursive: true });
  mkdirSync(path.join(author, "infra"));
  writeFileSync(path.join(author, "infra/stack.yaml"), `${stack}${pipeline}`);
  for (const name of ["dev", "prod"]) {
    writeFileSync(path.join(author, `infra/${name}.yaml`), manifest(name));
  }
  writeFileSync(path.join(author, ".gitignore"), ".svc/\nsvc-reports/\n");
  await git(author, "add", ".");
  await git(author, "commit", "--quiet", "-m", "begin");
  await git(author, "push", "--quiet", "origin", "HEAD:main");
});

afterAll(async () => {
  rmSync(world, { recursive: true, force: true });
  await service.close();
});

/** As much of the record as is looked at. */
interface Kept {
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

/** A runner that has nothing but a fresh clone. */
async function job(
  script: string,
  more: object = {},
): Promise<Ended & { readonly folder: string }> {
  const folder = path.join(world, `runner-${++runners}`);
  const origin = `file://${path.join(world, "origin.git")}`;
  await git(world, "clone", "--quiet", "--branch", "main", origin, folder);
  const ended = await runIn(env, path.join(folder, "ci", script), {
    cwd: folder,
    args: [],
    env: { ...environmentOf(script, secrets), ...more },
  });
  return { ...ended, folder };
}

async function done(script: string, more: object = {}): Promise<string> {
  const { code, said, folder } = await job(script, more);
  expect(code, said).toBe(0);
  return folder;
}

function inOrigin(...args: readonly string[]): Promise<string> {
  return git(path.join(world, "origin.git"), ...args);
}

describe("the scripts of examples/ci", patience, () => {
  it("promote on a schedule, and ask for approvals by pull requests, with the record at the service", async () => {
    await done("apply.sh");
    const promoted = await done("promote.sh");
    expect(await inOrigin("log", "-1", "--format=%s", "main")).toBe(`Promote dev to ${newest}\n`);
    expect(await inOrigin("show", "main:infra/dev.yaml")).toBe(
      manifest("dev").replace(older, newest),
    );
    const report = readFileSync(path.join(promoted, "svc-reports/promote.md"), "utf8");
    expect(report).toMatch(/^<!-- svc promote platform -->\n### Pipeline `platform`\n/u);
    expect(await versionsOf(service)).toEqual({ dev: older, prod: older });

    await done("apply.sh");
    await done("promote.sh");
    const { server, url, asked } = await forge([]);
    const github = { GITHUB_API_URL: url, GITHUB_REPOSITORY: "a/b", GITHUB_TOKEN: "t" };
    await done("promote-request.sh", github);
    await done("promote-request.sh", github);
    server.close();
    const branch = `svc/promote-production-${newest}`;
    expect(asked.map(({ method, url: at }) => `${method} ${at}`)).toEqual([
      "POST /repos/a/b/pulls",
    ]);
    expect(asked[0]).toMatchObject({
      token: "Bearer t",
      body: { head: branch, base: "main", title: `Promote production to ${newest}` },
    });
    expect(await inOrigin("diff", "--name-only", "main", branch)).toBe("infra/prod.yaml\n");

    await inOrigin("update-ref", "refs/heads/main", branch);
    await done("apply.sh");
    await done("promote.sh");
    expect(await versionsOf(service)).toEqual({ dev: newest, prod: newest });
    expect((await job("drift.sh")).code).toBe(0);
    expect(await inOrigin("branch", "--list", "svc-inventory")).toBe("");
  });

  it("lose neither what failed nor what a person said meanwhile, with the record in a branch", async () => {
    const author = path.join(world, "author");
    await git(author, "pull", "--quiet", "origin", "main");
    const renewed = pipeline.replace("automatic", "automatic\n      validFor: 1s");
    writeFileSync(
      path.join(author, "infra/stack.yaml"),
      `${stack}spec: { inventory: file }\n${renewed}`,
    );
    await git(author, "commit", "--quiet", "-am", "verify again");
    // From the service, where the test before left it.
    const move = ["move-inventory", "infra", "--from", "service"];
    const moved = await runIn(env, "svc", { cwd: author, args: move, env: secrets });
    expect(moved.code, moved.said).toBe(0);
    const put = { cwd: author, args: ["put"], env: { STACK: "infra" } };
    expect((await runIn(env, path.join(author, "ci/inventory.sh"), put)).code).toBe(0);
    await git(author, "push", "--quiet", "origin", "HEAD:main");
    writeFileSync(path.join(world, "armed"), "");
    const { code, said } = await job("promote.sh");
    expect(code, said).toBe(1);
    const back = `Promote dev to ${older}\n`;
    expect(await inOrigin("log", "-1", "--format=%s", "main")).toBe(back);
    const kept = await inOrigin("show", "svc-inventory:.svc/ci@promotions.inventory.json");
    const { stages } = (JSON.parse(kept) as Kept).pipelines.platform;
    expect(stages.production.hold).toMatchObject({ by: "ada", reason: "incident" });
    expect(stages.dev.verified.find(({ version }) => version === newest)?.passed).toBe(false);
    // What failed does not come in again from a clone that knows nothing else.
    await done("apply.sh");
    await job("promote.sh");
    expect(await inOrigin("log", "-1", "--format=%s", "main")).toBe(back);
    expect(await versionsOf(service)).toMatchObject({ dev: older });
  });
});
