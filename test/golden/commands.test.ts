// Tests the rules of commands that are derived from operations: names, confirmation, pages, bodies and output.
import { afterEach, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { makeFolder, runSvc, type TestFolder } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeEach(async () => {
  service = await startService();
  folder = makeFolder({});
});
afterEach(async () => {
  folder.remove();
  await service.close();
});

const run = (args: string | readonly string[], input = "") =>
  runSvc(typeof args === "string" ? args.split(" ") : args, {
    cwd: folder.path,
    env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey },
    input,
  });
const json = async (args: string | readonly string[]): Promise<unknown> =>
  JSON.parse((await run(args)).out);

it("names the variable of the repository of releases, and refuses addresses that are none", async () => {
  const update = (env: Readonly<Record<string, string>>) =>
    runSvc(["update", "--check"], { env: { SVC_UPDATE_REPO: "acme/svc", ...env } });
  const expected = (err: string) => ({ code: 64, err: expect.stringContaining(err) });
  expect(await update({ SVC_UPDATE_REPO: "" })).toMatchObject(expected("Set SVC_UPDATE_REPO"));
  expect(await update({ SVC_UPDATE_REPO: "../x?" })).toMatchObject(expected("not a repository"));
  expect(await update({ SVC_UPDATE_API: "http://api.example" })).toMatchObject(
    expected("SVC_UPDATE_API must be an https URL"),
  );
});

it("finds objects by name, and takes digits as an ID", async () => {
  const created = await json("groups create analysts --description Readers");
  expect(created).toMatchObject({ name: "analysts", description: "Readers" });
  await json("groups create 7");
  const { id } = created as { id: number };
  expect(await json("groups get analysts")).toMatchObject({ id });
  expect(await json(`groups get ${id}`)).toMatchObject({ name: "analysts" });
  // A group whose name consists of digits can only be addressed by its ID.
  const seven = await run("groups get 7");
  expect([seven.code, seven.out]).toEqual([1, ""]);
  const unknown = await run("groups get analyst");
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("Did you mean")]);
  expect(await json("users get admin@svc.localhost")).toMatchObject({ id: 1 });
  expect(await json("attributes create region string")).toMatchObject({ name: "region" });
  await json("attributes values set admin@svc.localhost region --value EMEA");
  const values = await run("attributes values list admin@svc.localhost");
  expect(values.out).toMatch(/^ID +NAME +TYPE +VALUE\n\d+ +region +string +EMEA\n$/u);
});

it("asks before it deletes, and deletes nothing without a terminal", async () => {
  await run("groups create analysts");
  const refused = await run("groups delete analysts");
  expect(refused).toEqual({
    code: 5,
    out: "",
    err: expect.stringMatching(
      /confirmation: svc did not delete an account group: analysts \[confirmation_required\]\n {2}To confirm, run: svc groups delete analysts --yes\n$/u,
    ),
  });
  expect(await json("groups delete analysts --json")).toMatchObject({
    error: { code: "confirmation_required" },
  });
  expect((await run("groups get analysts")).code).toBe(0);
  expect(await json("groups delete analysts --yes")).toEqual({ success: true });
  expect((await run("groups get analysts")).code).toBe(1);
});

it("asks in words about several objects, and about what has no name", async () => {
  await run("groups create night");
  const unconfirmed = async (line: string): Promise<string> => (await run(line)).err;
  expect(await unconfirmed("users bulk DELETE admin@svc.localhost")).toContain(
    "svc did not delete user admin@svc.localhost [",
  );
  expect(await unconfirmed("users bulk DEACTIVATE admin@svc.localhost 1")).toContain(
    "svc did not deactivate users admin@svc.localhost, 1 [",
  );
  expect(await unconfirmed("embed sessions end 7")).toContain(
    "svc did not end embed session 7 and its token [",
  );
  expect(await unconfirmed("policies set-group Deployment main night --remove")).toContain(
    "svc did not remove the policy of group night on Deployment main [",
  );
});

it("reads lists to the end, or one page", async () => {
  for (const name of ["a", "b", "c"]) await run(`groups create ${name}`);
  const all = await run("groups list");
  expect(all.out.split("\n").map((line) => line.split(/\s+/u)[1])).toEqual([
    "NAME",
    "c",
    "b",
    "a",
    undefined,
  ]);
  const first = (await json("groups list --first 2 --json")) as {
    items: unknown[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
  expect([first.items.length, first.pageInfo.hasNextPage]).toEqual([2, true]);
  const { endCursor } = first.pageInfo;
  const table = await run("groups list --first 2");
  expect(table.err).toBe(`There are more: pass --after ${endCursor}\n`);
  const rest = await json(["groups", "list", "--after", endCursor, "--json"]);
  expect(rest).toMatchObject({ items: [{ name: "a" }], pageInfo: { hasNextPage: false } });
});

it("builds bodies from flags, JSON, a file or standard input", async () => {
  folder.write({ "group.json": '{"name": "x", "description": "from a file"}' });
  expect(await json("groups create a --data @group.json")).toMatchObject({
    name: "a",
    description: "from a file",
  });
  const piped = await run("groups update a --data -", '{"description": "piped"}');
  expect(JSON.parse(piped.out)).toMatchObject({ description: "piped" });
  // In this command --data wins, as in the client of the specification.
  const args = ["deployments", "create", "x", "--region", "aws-us-east-1"];
  expect(await json([...args, "--data", '{"name": "y"}'])).toMatchObject({ name: "y" });
  for (const [wrong, message] of [
    [["groups", "create", "b", "--data", "[]"], "not a JSON object"],
    [["roles", "create", "r"], "Pass policies with --data"],
    [["workspace", "bulk-delete", "main"], "Pass items with --data"],
    [["notifications", "recipients", "add", "main", "1"], "missing recipients"],
    [["deployments", "update", "main"], "nothing to change"],
    [["policies", "list", "Workbook", "w"], "<resource-id> must be an ID"],
    [["groups", "create", "b", "--data", "{"], "not valid JSON"],
    [["groups", "create", "b", "--data", "@none.json"], "none.json cannot be read"],
    [["deployments", "create", "z"], "missing --region"],
    [["variables", "set", "main", "A"], "NAME=VALUE"],
    [["variables", "set", "main", "A=@-", "B=@-"], "several values"],
    [["branches", "delete", "main", ""], "must not be empty"],
    [["dev-mode", "enter", "main", ""], "must not be empty"],
    [["deployments", "token", "main", "--expires-in", "soon"], "Use a whole number"],
    [["embed", "sessions", "create", "main", "--groups"], "argument missing"],
    [["lint", "--targets", "x"], "unknown option '--targets'"],
    [["deployments", "update", "main", "--channel", "none"], "latest, release"],
  ] as const) {
    const { code, out, err } = await run(wrong);
    expect([wrong, code, out]).toEqual([wrong, 64, ""]);
    expect(err).toContain(message);
  }
});

it("says what the server refused in the words of the command line", async () => {
  await run("deployments create shop --region aws-us-east-1");
  const dashboard = await run("notifications create shop HOURLY");
  expect(dashboard.err).toContain("exactly one of --dashboard-id and --dashboard-public-id");
  const branch = await run("branches delete shop none --yes");
  expect(branch.err).toContain('deployment "shop" has no branch "none"');
});

it("finds folders and workbooks by name, and moves to the root", async () => {
  await json("folders create main Board");
  await json("folders create main Team --parent-id Board");
  const book = await json("workbooks create main revenue --folder-id Team");
  expect(book).toMatchObject({ name: "revenue", folderId: 2 });
  const config = { title: "Sales" };
  folder.write({ "publish.json": JSON.stringify({ config }) });
  const published = await run("workbooks publish main revenue --data @publish.json");
  expect([published.code, published.err]).toEqual([0, ""]);
  const { id } = book as { id: number };
  const moved = await json(`workspace move main WORKBOOK ${id} --folder-id /`);
  expect(moved).not.toHaveProperty("folderId");
});

it("converts attribute values to the type of the attribute, and names users by email", async () => {
  await json("users create ana@example.com");
  expect(await json("users get ana@example.com")).toMatchObject({ username: "ana@example.com" });
  for (const type of ["string", "number", "string_array"]) {
    await json(`attributes create ${type} ${type}`);
  }
  for (const [name, text, value] of [
    ["string", "5", "5"],
    ["number", "5", 5],
    ["string_array", '["a"]', ["a"]],
    ["string", "null", null],
  ] as const) {
    const set = await json([
      "attributes",
      "values",
      "set",
      "ana@example.com",
      name,
      "--value",
      text,
    ]);
    expect((set as { value?: unknown }).value ?? null).toEqual(value);
  }
  const wrong = await run("attributes values set ana@example.com number --value x");
  expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining("must be a number")]);
  for (const text of ["0.12345678901234567", "9007199254740993"]) {
    const lost = await run(`attributes values set ana@example.com number --value ${text}`);
    expect([lost.code, lost.err]).toEqual([64, expect.stringContaining(`the number ${text}`)]);
  }
  const without = await run("attributes values set ana@example.com number");
  expect([without.code, without.err]).toEqual([64, expect.stringContaining("--value")]);
});

it("runs the only command of a group that reads, and shows the open session of dev mode", async () => {
  expect((await run("regions")).out).toBe((await run("regions list")).out);
  expect(await json("tenant settings")).toMatchObject({ scimEnabled: expect.any(Boolean) });
  expect(await json("dev-mode status main")).toEqual({ isOpen: false, branchName: "main" });
  const { branchName } = (await json("dev-mode enter main main")) as { branchName: string };
  expect(await json("dev-mode status main")).toEqual({ isOpen: true, branchName });
  expect((await run("dev-mode exit main")).err).toBe("");
  expect((await run("dev-mode exit main")).err).toBe("no session of this credential was open\n");
});

it("prints lists as tables on a terminal of 60 columns", async () => {
  await json("tenant settings update --scim-enabled");
  await json("branches create main feature");
  await json("users create ana@example.com --first-name Ana");
  await json("api-keys create ci --deployment main --permission DeploymentRead");
  await json("policies set-user Deployment main --user ana@example.com --action DeploymentRead");
  await run("meta main");
  // The line of a request is written after its response.
  const logged = async () => (await run("logs main")).out;
  await expect.poll(logged, { timeout: 60_000, interval: 200 }).toContain("api-proxy");
  const lists = [
    "deployments list",
    "deployments versions main",
    "branches list main",
    "environments list main",
    "logs main",
    "users list",
    "api-keys list",
    "policies list Deployment main",
    "scim users list",
    "scim users list --limit 1",
    "scim schemas list",
    "spec regions",
  ];
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  let text = "";
  for (const list of lists) {
    const { code, out, err } = await runSvc(list.split(" "), { env, columns: 60 });
    expect([list, code, err]).toEqual([list, 0, ""]);
    text += `$ svc ${list}\n${out}\n`;
  }
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  const masked = text
    .replace(/\b20\d\d[-T\d:.]*/gu, (time) => time.replace(/\d/gu, "0"))
    .replace(/\b[0-9a-f]{6,}/gu, (hash) => "0".repeat(hash.length))
    .replace(/sk-[\w-]+/gu, (prefix) => `sk-${"x".repeat(prefix.length - 3)}`)
    .replace(/(127\.0\.0\.1:)\d+/gu, "$1PORT")
    .replace(/ \d+ ms/gu, " N ms");
  await expect(masked).toMatchFileSnapshot("tables/lists-60-columns.golden");
});

it("escapes text of others for the terminal, and keeps it in JSON", async () => {
  const name = "a\u001b[31m\u202eb";
  await run(["groups", "create", "g", "--data", JSON.stringify({ description: name })]);
  const table = await run("groups list");
  expect(table.out).toContain("a\\u{1b}[31m\\u{202e}b");
  const text = await run("groups get g");
  expect(["\u001b", "\u202e"].filter((one) => text.out.includes(one))).toEqual([]);
  expect(JSON.parse(text.out)).toMatchObject({ description: name });
});

it("shows the files of the open dev-mode branch, and changes only those of such a branch", async () => {
  const shared = await run("data-model put main model/a.yml --branch main", "cubes: []");
  expect([shared.code, shared.err]).toEqual([1, expect.stringContaining("dev-mode branch")]);
  await run("dev-mode enter main main");
  expect((await run("data-model put main model/a.yml", "cubes: []\n")).code).toBe(0);
  // An empty value means the branch of the session.
  folder.write({ "b.yml": "views: []\n" });
  await run(["data-model", "put", "main", "model/b.yml", "--branch", "", "--file", "b.yml"]);
  expect((await run("data-model get main model/b.yml")).out).toBe("views: []\n");
  const missing = await run("data-model get main model/c.yml");
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("Did you mean")]);
  await run("data-model rename main model/b.yml model/views/b.yml");
  expect((await run("data-model list main")).out).toMatch(
    /^PATH +TYPE\n\/model +directory\n.*\/model\/a\.yml +file\n.*\/model\/views\/b\.yml +file\n$/su,
  );
  expect((await run("data-model list main --branch main")).out).not.toContain("a.yml");
  folder.write({ "bytes.bin": "\ufffd" });
  const bytes = await run("data-model put main model/c.yml --file bytes.bin");
  expect([bytes.code, bytes.err]).toEqual([64, expect.stringContaining("not text in UTF-8")]);
});

it("waits for a build, and refuses to wait for an empty branch", async () => {
  expect(await json("deployments build-status main --wait")).toMatchObject({ status: "built" });
  const empty = ["deployments", "build-status", "main", "--branch", ""];
  expect((await run(empty)).code).toBe(0);
  expect(await run([...empty, "--wait"])).toMatchObject({ code: 64, out: "" });
});

it("lists versions with the columns of the specification, and deploys one", async () => {
  const listed = await run("deployments versions main");
  expect(listed.out.split("\n")[0]).toBe("VERSION  CHANNEL  LATEST  CURRENT  PASS AS");
  const version = listed.out.split("\n")[1]?.split(/\s+/u).at(-1) ?? "";
  expect(await json(["deployments", "update", "main", "--version", version])).toMatchObject({
    releaseChannelVersion: version,
  });
  const unknown = await run("deployments update main --version 0.0.1");
  expect([unknown.code, unknown.out]).toEqual([1, ""]);
});

it("reads secret values from files and standard input, which provides one thing", async () => {
  folder.write({ "pass.txt": "s3cret\n" });
  const set = await run(
    ["variables", "set", "main", "REGION=a=b", "DB_PASS=@pass.txt", "X=@-"],
    "y\n",
  );
  expect([set.code, set.err]).toEqual([0, ""]);
  expect(await json("variables list main --json")).toMatchObject({
    items: [
      { name: "X", value: "y" },
      { name: "DB_PASS", value: "[ENCRYPTED]" },
      { name: "REGION", value: "a=b" },
    ],
  });
  for (const command of ["data-model put main model/a.yml", "variables set main A=@-"]) {
    const twice = await run(`${command} --api-key-file -`, service.adminKey);
    expect([twice.code, twice.err]).toEqual([64, expect.stringContaining("and the API key")]);
  }
});
