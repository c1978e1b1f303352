// Sessions on the command line for the rows of the specification's client table. Further rows: deploy.test.ts, and
// sync-commands.test.ts, query-commands.test.ts and commands.test.ts of test/contract.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createGithubRepository, githubInstallation } from "../support/github-server.ts";
import { startProxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeFolder, runSvc, type TestFolder } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeAll(async () => {
  service = await startService();
  folder = makeFolder({});
});
afterAll(async () => {
  folder.remove();
  await service.close();
});

/** Each session is up to twenty commands, some of which wait for builds. */
const slowTest = { timeout: 120_000 };

interface Given {
  readonly input?: string;
  readonly key?: string;
  /** Whether the command shows its progress on standard error. */
  readonly progress?: true;
}

/** Runs a command line without quotes, as in a shell. */
const svc = (line: string, { input = "", key = service.adminKey }: Given = {}) =>
  runSvc(line.split(" "), {
    cwd: folder.path,
    env: { SVC_API_URL: service.url, SVC_API_KEY: key },
    input,
  });
/** Runs a command that succeeds, and returns what it prints. */
const done = async (line: string, given: Given = {}): Promise<string> => {
  const { code, out, err } = await svc(line, given);
  if (given.progress === true) expect(err).toMatch(/^main: |^build \d+: /mu);
  expect({ line, code, err: code === 0 ? "" : err }).toEqual({ line, code: 0, err: "" });
  return out;
};
const json = async (line: string, given: Given = {}) =>
  JSON.parse(await done(`${line} --json`, given)) as Record<string, unknown>;
/** Runs a command that fails, and returns its exit code and the error. */
const failed = async (
  line: string,
  given: Given = {},
): Promise<readonly [number | null, string]> => {
  const { code, out, err } = await svc(line, given);
  expect([line, out]).toEqual([line, ""]);
  return [code, err];
};

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
  const asked = await svc("deployments delete sales");
  expect([asked.code, asked.err]).toEqual([5, expect.stringContaining("--yes")]);
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
    folder.write({ "project/model/a.yml": cube("a"), "project/model/b.yml": cube("b") });
    const deploy = "deploy main --folder project --no-wait";
    const read = (branch: string) => done(`data-model get main model/a.yml --branch ${branch}`);
    expect(await json(deploy)).toMatchObject({ uploaded: 2 });
    expect(await read("main")).toBe(cube("a"));
    await done("branches create main feature");
    const { branchName: dev } = await json("dev-mode enter main feature");
    folder.write({ "project/model/a.yml": cube("changed") });
    expect(await json(deploy)).toMatchObject({ uploaded: 1 });
    expect([await read(String(dev)), await read("feature")]).toEqual([cube("changed"), cube("a")]);
    await done(`${deploy} --branch feature`);
    expect([await read("main"), await read("feature")]).toEqual([cube("a"), cube("changed")]);
    await done("dev-mode exit main");
    const gone = makeFolder({ "model/a.yml": cube("a") });
    const keep = `deploy main --folder ${gone.path} --keep-missing --no-wait`;
    expect(await json(keep)).toMatchObject({ removed: 0 });
    const rest = await json(`deploy main --folder ${gone.path} --no-wait`);
    expect(rest).toMatchObject({ removedPaths: ["model/b.yml"] });
    gone.remove();
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
    const other = await service.key({});
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
      env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey },
    });
    expect([empty.code, empty.err]).toEqual([64, expect.stringContaining("must not be empty")]);
  },
);

it("a command that waits prints what its request returned, also if the wait fails", async () => {
  const proxy = await startProxy(service.url, ({ path }, body) =>
    path.includes("/build-status") ? {} : body,
  );
  const { code, out, err } = await runSvc(
    "deployments create waited --region aws-us-east-1 --wait --json".split(" "),
    { cwd: folder.path, env: { SVC_API_URL: proxy.url, SVC_API_KEY: service.adminKey } },
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
    await done("branches commit main --message broken");
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
        env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey },
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

it(
  "client session folders, workbooks, reports, workspace: create to delete, by name",
  slowTest,
  async () => {
    await done("folders create main board");
    await done("folders create main team --parent-id board");
    await done("folders update main team --name squad");
    expect(await done("folders list main --recursive --columns name,path")).toContain(
      "board / squad",
    );
    expect(await done("folders ancestors main squad --columns name")).toBe("NAME\nboard\nsquad\n");
    await done("workbooks create main revenue --folder-id squad");
    await done("workbooks update main revenue --name sales");
    const config = JSON.stringify({ config: { title: "Sales" } });
    const dashboard = await json("workbooks publish main sales --data -", { input: config });
    expect(dashboard).toMatchObject({ status: "published" });
    await done(`embed dashboards enable ${String(dashboard["publicId"])}`);
    await done(`embed dashboards disable ${String(dashboard["publicId"])}`);
    await done("reports create main weekly --workbook-id sales");
    await done("reports update main weekly --name monthly");
    await done("reports disconnect main monthly");
    expect(await json("reports get main monthly")).not.toHaveProperty("workbookId");
    expect(await done("workspace list main --columns type,name")).toMatch(/^FOLDER +board$/mu);
    const { id } = await json("workbooks get main sales");
    await done(`workspace move main WORKBOOK ${String(id)} --folder-id /`);
    expect(await json("workbooks get main sales")).not.toHaveProperty("folderId");
    await done("reports delete main monthly --yes");
    await done("workbooks delete main sales --yes");
    await done("folders delete main squad --yes");
    await done("folders delete main board --yes");
    expect(await failed("folders get main squad")).toEqual([1, expect.stringContaining("squad")]);
  },
);

it(
  "client session notifications: a schedule, its recipients by email, and its end",
  slowTest,
  async () => {
    await done("workbooks create main source");
    const config = JSON.stringify({ config: { title: "Source" } });
    const create = "notifications create main DAILY --dashboard-id source --hour 6";
    expect(await failed(create)).toEqual([
      1,
      expect.stringContaining("has no published dashboard"),
    ]);
    await done("workbooks publish main source --data -", { input: config });
    const made = await json(create);
    const one = `main ${String(made["id"])}`;
    expect(await done("notifications list main --columns schedule")).toContain(
      "Every day at 06:00",
    );
    await done(`notifications update ${one} --hour 7`);
    expect(await json(`notifications get ${one}`)).toMatchObject({ cronExpression: "0 7 * * *" });
    await done(`notifications recipients add ${one} --email admin@svc.localhost`);
    const list = `notifications recipients list ${one} --columns userId,email`;
    expect(await done(list)).toMatch(/^1 +admin@svc\.localhost$/mu);
    await done(`notifications recipients remove ${one} --user-id 1 --yes`);
    expect(await done(list)).not.toContain("admin@");
    await done(`notifications delete ${one} --yes`);
  },
);

it(
  "client session users, groups, attributes, policies: access of a new user",
  slowTest,
  async () => {
    await done("users create eve@example.com --username eve --role AIBIViewer");
    await done("users update eve --first-name Eve");
    expect(await done("users list --columns username,name")).toMatch(/^eve +Eve$/mu);
    await done("groups create night");
    await done("groups users add night eve@example.com");
    expect(await done("groups users list night --columns username")).toBe("USERNAME\neve\n");
    await done("attributes create zone string");
    await done("attributes values set eve zone --value 7");
    expect(await done("attributes values list eve --columns name,value")).toMatch(/^zone +7$/mu);
    await done("policies set-user Deployment main --user eve --action DeploymentRead");
    await done("policies set-group Deployment main night --action DeploymentRead");
    const policies = await done("policies list Deployment main --columns name,action");
    expect(policies).toBe(
      "NAME             ACTION\neve@example.com  DeploymentRead\nnight            DeploymentRead\n",
    );
    await done("policies set-user Deployment main --user eve");
    expect(await done("policies list Deployment main")).not.toContain("eve@");
    await done("attributes delete zone --yes");
    await done("groups delete night --yes");
    await done("users delete eve --yes");
  },
);

it("client session scim: users as an identity provider provisions them", slowTest, async () => {
  expect(await failed("scim users list")).toEqual([77, expect.stringContaining("scimEnabled")]);
  await done("tenant settings update --scim-enabled");
  const user = { userName: "cy", emails: [{ value: "cy@example.com", primary: true }] };
  const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"];
  const input = JSON.stringify({ schemas, ...user });
  const { id } = await json("scim users create --data -", { input });
  const pages = await json("scim users list");
  expect(pages["Resources"]).toHaveLength(Number(pages["totalResults"]));
  expect(await done("scim users list --limit 1")).toMatch(/^ID +USER NAME +ACTIVE.*\n1 .*\n$/u);
  expect(
    await done('scim users search --data {"filter":"userName\\u0020eq\\u0020\\"cy\\""}'),
  ).toContain("cy");
  await done(`scim users delete ${String(id)} --yes`);
  expect(await done("scim resource-types list --columns id")).toBe("ID\nUser\nGroup\n");
  await done("tenant settings update --no-scim-enabled");
});

it(
  "client session api-keys, tenant, app, environments, variables, regions: settings",
  slowTest,
  async () => {
    const made = await json("api-keys create ci --deployment main --permission DeploymentRead");
    expect(made["token"]).toEqual(expect.stringMatching(/^sk-/u));
    const keys = await done("api-keys list --columns name,deployments,permissions");
    expect(keys).toMatch(/^ci +1 +DeploymentRead$/mu);
    await done("api-keys update ci --name pipeline");
    await done("api-keys delete pipeline --yes");
    expect(await json("tenant settings")).toMatchObject({ embeddingEnabled: true });
    await done("app config update --apply-theme-globally");
    expect(await json("app theme")).toMatchObject({ applyThemeGlobally: true });
    expect(await done("environments list main --columns type,branch")).toMatch(
      /^production +main$/mu,
    );
    const scope = '{"security_context":{"team":"a"}}';
    const { data } = await json(`environments tokens create main 1 --data ${scope}`);
    const { token } = data as { readonly token: string };
    expect(token).toContain(".");
    for (const form of ["", " --columns scopes,token", " --json"]) {
      const listed = await done(`environments tokens list main 1${form}`);
      expect(listed).not.toContain(token.split(".").at(-1));
      if (form !== "") expect(listed).toContain("[HIDDEN]");
    }
    await done("variables set main REGION=EMEA");
    expect(await done("variables list main")).toMatch(/^REGION +EMEA$/mu);
    await done("variables delete main REGION --yes");
    expect(await done("regions --columns name")).toContain("aws-us-east-1");
  },
);

it("client session oidc, integrations: tokens of deployments and of users", slowTest, async () => {
  await done("oidc create AWS --name aws");
  expect(await json("oidc token aws main")).toMatchObject({ token: expect.any(String) });
  await done("oidc update aws --no-is-enabled");
  expect(await done("oidc list --columns name,enabled")).toBe("NAME  ENABLED\naws   false\n");
  await done("oidc delete aws --yes");
  const urls = ["auth", "token"].map((one) => `--${one}-url https://login.example.com/${one}`);
  const create = `integrations create drive --type drive ${urls.join(" ")} --client-id svc --redirect-uri https://svc.example.com/back`;
  expect(await failed(create)).toEqual([64, expect.stringContaining("clientSecret with --data")]);
  await done(`${create} --data -`, { input: '{"clientSecret":"hidden"}' });
  expect(await done("integrations list")).not.toContain("hidden");
  await done("integrations delete drive --yes");
});
