// Tests promotions of commits: a data model in one repository moves from dev to prod through the pins of another one.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { approve, withdraw } from "../../promotion/manual-actions.ts";
import { pipelineStatus, promote, type PromoteOptions, rollback } from "../../promotion/promote.ts";
import { pipelineJson, pipelineText } from "../../promotion/report.ts";
import { whyOf, whyText } from "../../promotion/why-report.ts";
import { createRemote, type TestRemote } from "../support/git-remotes.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { expectOk } from "./fixture.ts";
import { createRepository, type TestRepository } from "./git-repository.ts";
import { approveAll, slowTest } from "./test-hooks.ts";

let service: TestService;
let stack: TestStack;
let remote: TestRemote;
let repository: TestRepository;
let first: string;
beforeEach(async () => {
  service = await startService();
  stack = await makeStack({ url: service.url, key: service.adminKey, name: "models" });
  remote = createRemote();
  first = commit("First", 1);
  repository = createRepository({ stack }, manifests());
  await stack.apply();
});
afterEach(async () => {
  repository.dispose();
  await stack.dispose();
  await service.close();
});

/** Commits a model whose only measure has this value in production; without one, a model that does not build. */
function commit(subject: string, value?: number): string {
  const rest =
    value === undefined
      ? ""
      : `    sql: "SELECT ${value} AS id"\n    measures: [{ name: total, type: sum, sql: id }]\n`;
  return remote.commit({ "model/cubes/a.yml": `cubes:\n  - name: a\n${rest}` }, subject);
}

const stageOf = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  deployments: { names: [name] },
  promotion: "automatic",
  checks: [{ api: "build" }, { api: "validate" }],
  ...more,
});

const atMost = (max: number): JsonObject => ({
  query: { load: { measures: ["a.total"] }, expect: { values: { "a.total": { max } } } },
});

/** Manifests of two deployments that are pinned to the first commit, and a pipeline of commits. */
function manifests(stages: readonly JsonObject[] = [stageOf("dev"), stageOf("prod")]): string {
  const documents = ["dev", "prod"].flatMap((name) => [
    document("Deployment", name, {
      name,
      region: "aws-us-east-1",
      creationMethod: "github",
      release: { channel: "latest" },
    }),
    `apiVersion: svc/v1
kind: GitConnection
metadata: { name: ${name} }
spec:
  deployment: ${name}
  remoteUrl: ${remote.path}
  branch: main
  commit: ${first} # promoted by svc
`,
  ]);
  return [...documents, document("Pipeline", "models", { candidates: "commits", stages })].join(
    "---\n",
  );
}

function document(kind: string, name: string, spec: JsonObject): string {
  return `${JSON.stringify({ apiVersion: "svc/v1", kind, metadata: { name }, spec })}\n`;
}

/** Replaces the stages of the pipeline. */
function writeStages(stages: readonly JsonObject[], more = ""): void {
  repository.write(manifests(stages) + more);
  repository.git("commit", "--quiet", "--all", "-m", "pipeline");
}

const options = () => ({
  ...stack.options,
  env: repository.env,
  pipeline: "models",
  by: "ada",
  grants: { ...stack.options.grants, promotion: ["all"] },
});

const mode = { push: false, dryRun: false };

/** Promotes and applies until nothing is left to do. Returns the steps and the messages of failures. */
async function promoteAll(more: Partial<PromoteOptions> = {}) {
  const failures: string[] = [];
  for (;;) {
    const done = expectOk(await promote({ ...options(), mode, approve: approveAll, ...more }));
    failures.push(...done.failures.map(({ message }) => message));
    if (done.diff === "") return { ...done, failures };
    await stack.apply();
  }
}

/** Returns the commit that production of each deployment has, and the status of its newest build. */
async function running(): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await service.send("GET", "/api/v1/deployments");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const named = items.filter(({ name }) => name !== "main");
  const all = named.map(async ({ id, name }) => {
    const git = await service.send("GET", `/build/api/v1/deployments/${id}/git`);
    const { commit: pin, branches } = git.body as {
      commit?: string;
      branches: readonly { commit: string }[];
    };
    expect(branches[0]?.commit).toBe(pin);
    return [name, pin] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

const view = async (more = {}) => expectOk(await pipelineStatus({ ...options(), ...more }));

it("moves the newest commit from dev to prod, built, validated and queried", slowTest, async () => {
  writeStages([
    stageOf("dev", { checks: [{ api: "build" }, { api: "validate" }, atMost(9)] }),
    stageOf("prod"),
  ]);
  const second = commit("Add a measure", 2);
  const { failures, history } = await promoteAll();
  expect(failures).toEqual([]);
  expect(await running()).toEqual({ dev: second, prod: second });
  expect(history.map(({ stage, from, to, result }) => [stage, from, to, result])).toEqual([
    ["prod", [first], second, "done"],
    ["dev", [first], second, "done"],
  ]);
  expect(history[1]?.evidence).toMatchObject([
    { check: "build of GitConnection/dev", passed: true, message: `built from ${second}` },
    { check: "validate of GitConnection/dev", passed: true },
    { check: "query of GitConnection/dev", passed: true },
  ]);
  expect(repository.read().match(/commit: (.*)/gu)).toEqual([
    `commit: ${second} # promoted by svc`,
    `commit: ${second} # promoted by svc`,
  ]);
  const report = await view();
  const text = pipelineText(report, { color: false, width: 100 });
  expect(text).toContain(`${second.slice(0, 12)} Add a measure`);
  expect(text).not.toContain(second);
  expect(pipelineJson(report)).toMatchObject({
    versions: [second, first],
    titles: { [second]: "Add a measure", [first]: "First" },
  });
});

it(
  "keeps a commit whose model does not build out of prod, and takes the next one",
  slowTest,
  async () => {
    writeStages([stageOf("dev", { onFailure: "rollback" }), stageOf("prod")]);
    await promoteAll();
    const broken = commit("Break the model");
    const { failures } = await promoteAll();
    expect(failures[0]).toMatch(
      new RegExp(
        `^${broken} did not pass in dev: build of GitConnection/dev failed: model/cubes/a.yml:2`,
        "u",
      ),
    );
    expect(await running()).toEqual({ dev: first, prod: first });
    const about = { stage: "prod", version: broken.slice(0, 8) };
    const why = whyText(whyOf(await view({ about }), "prod"), { color: false });
    expect(why).toContain(
      `withdrawn: ${broken.slice(0, 12)} failed in dev after it was verified there`,
    );
    expect(why).toContain(`not-candidate: prod gets ${first.slice(0, 12)} next`);
    const fixed = commit("Fix the model", 3);
    expect((await promoteAll()).failures).toEqual([]);
    expect(await running()).toEqual({ dev: fixed, prod: fixed });
  },
);

it(
  "rolls back to the commit before after a failing query, and holds the stage by hand",
  slowTest,
  async () => {
    const prod = stageOf("prod", { onFailure: "rollback", checks: [atMost(5)] });
    writeStages([stageOf("dev"), prod]);
    await promoteAll();
    const second = commit("Second", 2);
    await promoteAll();
    const wrong = commit("Wrong numbers", 7);
    const { failures } = await promoteAll();
    expect(failures[0]).toContain(
      `${wrong} did not pass in prod: query of GitConnection/prod row 1: a.total is 7`,
    );
    expect(await running()).toEqual({ dev: wrong, prod: second });
    const back = expectOk(
      await rollback({ ...options(), mode, stage: "prod", reason: "slow", approve: approveAll }),
    );
    expect(back.failures).toEqual([]);
    await stack.apply();
    await promoteAll();
    expect(await running()).toMatchObject({ prod: second });
  },
);

it(
  "waits for an approval by the first digits of a commit, and writes a request",
  slowTest,
  async () => {
    writeStages([stageOf("dev"), stageOf("prod", { promotion: "approval" })]);
    const second = commit("Second", 2);
    await promoteAll();
    expect(await running()).toEqual({ dev: second, prod: first });
    const { status } = await view();
    expect(status.stages[1]?.reasons).toMatchObject([
      { code: "needs-approval", remedy: expect.stringContaining(`--version ${second}`) },
    ]);
    const named = { ...options(), stage: "prod", version: second.slice(0, 9) };
    expect(expectOk(await approve(named)).version).toBe(second);
    expect(expectOk(await withdraw(named)).version).toBe(second);
    await expect(approve({ ...named, version: "0000000" })).rejects.toMatchObject({
      code: "usage",
      message: '"0000000" is not a commit',
    });
    repository.git("switch", "--quiet", "--create", "request");
    const request = {
      mode: { ...mode, forPullRequest: true },
      to: "prod",
      version: second.slice(0, 9),
    };
    await promote({ ...options(), approve: approveAll, ...request });
    repository.git("switch", "--quiet", "main");
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge a pull request", "request");
    await stack.apply();
    const { history } = await promoteAll();
    expect(await running()).toEqual({ dev: second, prod: second });
    expect(history[0]).toMatchObject({
      stage: "prod",
      to: second,
      cause: "merged",
      result: "done",
    });
  },
);

it(
  "refuses commits that a rewritten branch no longer has, and goes on by name with those that it has",
  slowTest,
  async () => {
    const gone = commit("Gone", 2);
    writeStages([stageOf("dev"), stageOf("prod", { promotion: "approval" })]);
    await promoteAll();
    expect(await running()).toEqual({ dev: gone, prod: first });
    remote.git("update-ref", "refs/heads/main", first);
    const forced = commit("Forced", 3);
    const run = { ...options(), mode, approve: approveAll, to: "prod", version: gone };
    await expect(promote(run)).rejects.toMatchObject({
      code: "refused",
      message: `prod may not run ${gone}: it is none of the newest commits of the branch`,
    });
    await expect(
      promote({ ...run, mode: "direct" as const, version: forced }),
    ).rejects.toMatchObject({ code: "refused" });
    const { status } = await promoteAll();
    expect(await running()).toEqual({ dev: gone, prod: first });
    expect(status.stages[0]).toMatchObject({
      candidate: undefined,
      reasons: [
        { code: "version-not-listed", message: expect.stringContaining(`dev runs ${gone}`) },
      ],
    });
    expect((await promoteAll({ to: "dev", version: forced })).failures).toEqual([]);
    await promoteAll();
    await approve({ ...options(), stage: "prod" });
    await promoteAll();
    expect(await running()).toEqual({ dev: forced, prod: forced });
  },
);

it(
  "keeps what production runs after a rewrite of the branch, although an older commit is verified",
  slowTest,
  async () => {
    await promoteAll();
    const gone = commit("Gone", 2);
    await promoteAll();
    remote.git("update-ref", "refs/heads/main", first);
    const { status } = await promoteAll();
    expect(await running()).toEqual({ dev: gone, prod: gone });
    expect(status.stages.map(({ reasons }) => reasons.map(({ message }) => message))).toEqual(
      ["dev", "prod"].map((stage) => [
        `${stage} runs ${gone}, and it is none of the newest commits of the branch, so nothing is known to be newer`,
      ]),
    );
  },
);

it("rolls back to a commit that is far behind its branch", slowTest, async () => {
  await promoteAll();
  let newest = first;
  for (let count = 0; count < 205; count++)
    newest = remote.git("commit-tree", "main^{tree}", "-p", newest, "-m", `Later ${count}`).trim();
  remote.git("update-ref", "refs/heads/main", newest);
  await promoteAll();
  expect(await running()).toEqual({ dev: newest, prod: newest });
  const run = { ...options(), mode, stage: "prod", reason: "slow", approve: approveAll };
  expect(expectOk(await rollback(run)).failures).toEqual([]);
  await stack.apply();
  await promoteAll();
  expect(await running()).toEqual({ dev: newest, prod: first });
});

it("promotes commits and platform versions of the same deployments apart", slowTest, async () => {
  const platform = document("Pipeline", "platform", {
    stages: [stageOf("dev", { source: { channel: "latest" } }), stageOf("prod")],
  });
  const second = commit("Second", 2);
  writeStages([stageOf("dev"), stageOf("prod")], `---\n${platform}`);
  await promoteAll();
  const versions = expectOk(
    await promote({ ...options(), pipeline: "platform", mode: "direct", approve: approveAll }),
  );
  expect(versions.failures).toEqual([]);
  expect(versions.status.cells.every(({ version }) => /^\d+\.\d+\.\d+$/u.test(version))).toBe(true);
  expect(await running()).toEqual({ dev: second, prod: second });
});

it("names what a pipeline of commits cannot have", async () => {
  const stages = [
    stageOf("dev", { source: { channel: "latest" } }),
    stageOf("prod", { deployments: { names: ["production"] } }),
    stageOf("both", { deployments: { names: ["dev", "prod"] } }),
  ];
  const text = manifests(stages);
  const last = text.lastIndexOf("branch: main");
  repository.write(`${text.slice(0, last)}branch: release${text.slice(last + 12)}`);
  const found = (await stack.diagnostics()).filter(({ severity }) => severity === "error");
  expect(found.map(({ summary }) => summary)).toEqual([
    "commits have no channel",
    'the stack has no Git connection "production" for the stage "prod"',
    'GitConnection/dev is in the stage "both" and in "dev"',
    'GitConnection/dev and GitConnection/prod of the stage "both" differ in remoteUrl or branch',
  ]);
});
