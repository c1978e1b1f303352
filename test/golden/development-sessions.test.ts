// Sessions on the command line for the rows of the specification's client table: deployments, branches, builds, Git. Further
// rows: account-sessions.test.ts, deploy.test.ts, and sync-commands.test.ts, query-commands.test.ts and commands.test.ts of
// test/contract.
import { expect, it } from "vitest";
import { createGithubRepository, githubInstallation } from "../support/github-server.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { makeFolder, runSvc } from "./run-cli.ts";
import { slowTest, useCommandSessions } from "./command-sessions.ts";

const { service, folder, svc, done, json, failed } = useCommandSessions();

const cube = (name: string) =>
  `cubes:\n  - name: ${name}\n    sql_table: ${name}\n    dimensions:\n      - { name: id, sql: id, type: string }\n`;

it("client area Deployments: create to delete", slowTest, async () => {
  const body = '{"deployMode":"cli"}';
  const region = "--region aws-us-east-1";
  const created = await json(`deployments create sales ${region} --data ${body}`);
  expect(created).toMatchObject({ name: "sales" });
  expect(await done("deployments list --columns name")).toMatch(/^NAME\n(?:.+\n)*sales\n/u);
  expect(await json("deployments get sales")).toMatchObject({ id: created["id"] });
  await done("deployments update sales --deploy-project-root /");
  expect(await json("deployments settings sales")).toEqual(
    expect.objectContaining({ releaseChannel: expect.anything() }),
  );
  expect(await json("deployments token sales")).toEqual({
    svcApiToken: expect.stringContaining("."),
  });
  expect(await json("deployments build-status sales --branch=")).toBeInstanceOf(Object);
  const empty = await failed("deployments build-status sales --branch= --wait");
  expect(empty).toEqual([64, expect.stringContaining("empty")]);
  const refused = await svc("deployments delete sales");
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining("--yes")]);
  await done("deployments delete sales --yes");
  expect(await failed("deployments get sales")).toEqual([1, expect.stringContaining("sales")]);
});

it("client area Version change: three forms of a version, and channels", slowTest, async () => {
  const listed = await done("deployments versions main --columns version,pass-as");
  const [version = "", image = ""] = listed.split("\n")[1]?.split(/ +/u) ?? [];
  for (const form of [version, `v${version}`, image]) {
    expect(await json(`deployments update main --version ${form}`)).toMatchObject({
      releaseChannelVersion: image,
    });
  }
  const unlisted = await failed("deployments update main --version 9.9.9");
  expect(unlisted).toEqual([1, expect.stringContaining("9.9.9")]);
  await done("deployments update main --channel release");
  expect(await json("deployments settings main")).toMatchObject({ releaseChannel: "release" });
});

it(
  "client area Deploy: to a branch, to the open dev-mode branch, to the deploy branch",
  slowTest,
  async () => {
    folder().write({ "project/model/a.yml": cube("a"), "project/model/b.yml": cube("b") });
    const deploy = "deploy main --folder project --no-wait";
    const read = (branch: string) => done(`data-model get main model/a.yml --branch ${branch}`);
    expect(await json(deploy)).toMatchObject({ uploaded: 2 });
    expect(await read("main")).toBe(cube("a"));
    await done("branches create main feature");
    const { branchName: dev } = await json("dev-mode enter main feature");
    folder().write({ "project/model/a.yml": cube("changed") });
    expect(await json(deploy)).toMatchObject({ uploaded: 1 });
    expect([await read(String(dev)), await read("feature")]).toEqual([cube("changed"), cube("a")]);
    await done(`${deploy} --branch feature`);
    expect([await read("main"), await read("feature")]).toEqual([cube("a"), cube("changed")]);
    await done("dev-mode exit main");
    const replacement = makeFolder({ "model/a.yml": cube("a") });
    const keep = `deploy main --folder ${replacement.path} --keep-missing --no-wait`;
    expect(await json(keep)).toMatchObject({ removed: 0 });
    const rest = await json(`deploy main --folder ${replacement.path} --no-wait`);
    expect(rest).toMatchObject({ removedPaths: ["model/b.yml"] });
    replacement.remove();
  },
);

it(
  "client area Dev mode: a session of one credential, with a branch of its own",
  slowTest,
  async () => {
    await done("branches create main shared");
    await done("branches create main session-only --activate");
    const refused = await failed("data-model put main model/x.yml", { input: cube("x") });
    expect(refused).toEqual([1, expect.stringContaining("dev-mode branch")]);
    const { branchName: first } = await json("dev-mode enter main shared");
    const { branchName: second } = await json("dev-mode enter main shared");
    expect([first, second]).toEqual([
      expect.stringMatching(/^dev-/u),
      expect.stringMatching(/^dev-/u),
    ]);
    expect(first).not.toBe(second);
    await done("data-model put main model/x.yml", { input: cube("x") });
    expect(await done("data-model get main model/x.yml")).toBe(cube("x"));
    expect(Object.keys(await json("data-model file-hashes main"))).toContain("model/x.yml");
    const other = await service().key({});
    const unseen = await svc("data-model get main model/x.yml", { key: other });
    expect([unseen.code, unseen.out]).toEqual([1, ""]);
    await done("data-model rename main model/x.yml model/y.yml");
    await done("data-model delete main model/y.yml --yes");
    await done("dev-mode exit main");
    expect((await svc("data-model get main model/x.yml")).code).toBe(1);
  },
);

it(
  "client area Branch operations: commit, pull, merge, merge to the deploy branch",
  slowTest,
  async () => {
    await done("branches create main topic");
    const { branchName: dev } = await json("dev-mode enter main topic");
    expect(await done("branches list main --columns kind,name")).toContain(
      `dev-mode (open)  ${String(dev)}\n`,
    );
    await done("data-model put main model/t.yml", { input: cube("t") });
    await done("branches commit main --branch= --message first");
    expect(await done("data-model get main model/t.yml --branch topic")).toBe(cube("t"));
    await done(`branches pull main --branch ${String(dev)}`);
    await done("dev-mode exit main");
    await done("branches create main nested --from topic");
    await done("branches merge main --branch nested");
    expect(await done("branches list main --columns name,kind")).toMatch(/^topic +shared$/mu);
    const merge = "branches merge-to-default main --branch topic --message m --keep-branch --wait";
    expect(await json(merge, { progress: true })).toMatchObject({ build: { status: "built" } });
    expect(await done("data-model get main model/t.yml --branch main")).toBe(cube("t"));
    await done("branches merge-to-default main --branch topic --message m");
    expect(await done("branches list main --columns name")).not.toMatch(/^topic$/mu);
    const empty = await runSvc(["branches", "delete", "main", "", "--yes"], {
      env: { SVC_API_URL: service().url, SVC_API_KEY: service().adminKey },
    });
    expect([empty.code, empty.err]).toEqual([64, expect.stringContaining("must not be empty")]);
  },
);

it("a command that waits prints what its request returned, also if the wait fails", async () => {
  const proxy = await startProxy(service().url, ({ path }, body) =>
    path.includes("/build-status") ? {} : body,
  );
  const { code, out, err } = await runSvc(
    "deployments create waited --region aws-us-east-1 --wait --json".split(" "),
    { cwd: folder().path, env: { SVC_API_URL: proxy.url, SVC_API_KEY: service().adminKey } },
  );
  await proxy.close();
  expect([code, err]).toEqual([1, expect.stringContaining("error: the request succeeded, but")]);
  const { id } = JSON.parse(out) as { readonly id: number };
  await done(`deployments delete ${id} --yes`);
});

it(
  "client area Validate: the deploy branch, a branch, and the open dev-mode branch",
  slowTest,
  async () => {
    expect(await json("validate main")).toMatchObject({ valid: true, errors: [] });
    await done("branches create main broken");
    await done("dev-mode enter main broken");
    await done("data-model put main model/broken.yml", { input: "cubes:\n  - nam: x\n" });
    const uncommitted = await svc("validate main --dev-mode --json");
    expect(uncommitted.code).toBe(1);
    expect(JSON.parse(uncommitted.out)).toMatchObject({
      valid: false,
      errors: expect.arrayContaining([expect.objectContaining({ fileName: "model/broken.yml" })]),
      cubesCount: expect.any(Number),
    });
    expect((await svc("validate main --branch broken")).code).toBe(0);
    const commit = await svc("branches commit main --message broken");
    expect([commit.code, commit.err]).toEqual([
      0,
      expect.stringMatching(
        /^warning: the data model of the branch is invalid, so that builds with it fail: model\/broken\.yml:2:\d+: .*; svc validate shows all\n/u,
      ),
    ]);
    expect((await svc("validate main --branch broken")).code).toBe(1);
    await done("dev-mode exit main");
  },
);

it("client area Staging environments: enable, list, disable", slowTest, async () => {
  await done("branches create main staged");
  await done("staging enable main staged");
  expect(await done("staging list main")).toContain("staged");
  const listed = await svc("environments list main --type staging --json");
  expect(listed.out).toContain("staged");
  await done("staging disable main staged");
  expect(await done("staging list main")).not.toContain("staged");
});

it("client area Git provider: status to connect", slowTest, async () => {
  createGithubRepository("cli").commit({ "model/g.yml": cube("g") });
  const { id } = githubInstallation;
  expect(await json("github status")).toMatchObject({ connected: true });
  expect(await done("github installations")).toMatch(/^42 +acme$/mu);
  expect(await done(`github repos ${id}`)).toMatch(/ cli +https:/u);
  expect(await done(`github branches acme cli --installation-id ${id}`)).toMatch(/^main +true$/mu);
  await done("deployments create connected --region aws-us-east-1");
  // The members of --data win.
  const data = '{"name":"cli","branch":"main"}';
  const connect = `github connect connected other --installation-id ${id} --branch none --wait`;
  expect(await json(`${connect} --data ${data}`, { progress: true })).toMatchObject({
    name: "connected",
    build: { branchName: "main", status: "built" },
  });
  expect(await done("data-model get connected model/g.yml")).toBe(cube("g"));
});

it(
  "client area Other, spec: matches method, path, summary and id in any case",
  slowTest,
  async () => {
    for (const pattern of ["LISTREGIONS", "/api/v1/REGIONS", "list regions", "regions"]) {
      const { code, out } = await runSvc(["spec", pattern], {
        env: { SVC_API_URL: service().url, SVC_API_KEY: service().adminKey },
      });
      expect([pattern, code, out]).toEqual([
        pattern,
        0,
        expect.stringContaining("/api/v1/regions"),
      ]);
    }
    const { paths, components } = await json("spec addRecipients");
    expect(Object.keys(paths as object)).toHaveLength(1);
    expect(Object.keys((components as { schemas: object }).schemas)).toEqual([
      "AddRecipientsRequest",
      "AddRecipientsAnswer",
      "Error",
    ]);
  },
);

it(
  "client area Other, embed: a session works once, and then its error is about the session",
  slowTest,
  async () => {
    const unnamed = await failed("embed sessions create main");
    const either = "pass exactly one of --external-id and --internal-id";
    expect(unnamed).toEqual([1, expect.stringContaining(either)]);
    const { sessionId } = await json("embed sessions create main --external-id viewer");
    const exchange = "embed sessions exchange --data -";
    const input = JSON.stringify({ sessionId });
    expect(await json(exchange, { input })).toEqual({ token: expect.any(String) });
    const [code, err] = await failed(exchange, { input });
    expect([code, err]).toEqual([77, expect.stringContaining("create a new session")]);
    expect(err).not.toMatch(/key|credential/u);
    const sent = await failed("api POST /api/v1/embed/session/token --data -", { input });
    expect(sent).toEqual([77, expect.not.stringMatching(/key|credential/u)]);
  },
);
