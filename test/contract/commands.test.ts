// Runs every command that is derived from an operation against the real service, with the sample request of the operation.
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import { areas } from "../../cli/areas/index.ts";
import { type OperationCommand, takesData } from "../../cli/operations/command.ts";
import { type Member, requestMembers } from "../../cli/operations/members.ts";
import { displayWidth } from "../../core/text/display-width.ts";
import type { JsonObject } from "../../core/json.ts";
import { makeFolder, runSvc } from "../golden/run-cli.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampled } from "../support/sampling.ts";
import { writeSvcLauncher } from "../support/svc-launcher.ts";
import { svcProgram } from "../support/svc-program.ts";
import { sampleOf } from "./sample-requests.ts";
import type { Sample } from "./sample.ts";

const loaded = await Promise.all(areas.map(({ load }) => load()));
const commands = loaded.flatMap(({ name, commands: all }) =>
  all.map((command) => ({ name: `${name} ${command.verb}`.trim(), command })),
);

/** Operations that other commands call, or that only programs use. */
const otherCommands: Readonly<Record<string, string>> = {
  startUpload: "svc deploy",
  uploadFile: "svc deploy",
  uploadFiles: "svc deploy",
  finishUpload: "svc deploy",
  validateDataModel: "svc validate",
  validateDataModelFiles: "svc plan",
  getSpec: "svc spec",
  receiveGitWebhook: "the Git provider",
  receiveSyncWebhook: "the Git provider",
  deleteUserGroup: "svc groups delete calls deleteGroup",
  getState: "the inventory",
  putState: "the inventory",
  deleteState: "the inventory",
  listStates: "the inventory",
  findStates: "the inventory",
  listStateVersions: "the inventory",
  getStateLock: "the inventory",
  lockState: "the inventory",
  unlockState: "svc inventory unlock",
  appendStateJournal: "the inventory",
  listStateJournal: "the inventory",
};

/** Arguments and options that are not members of the request. */
const extraArguments: Readonly<Record<string, readonly string[]>> = {
  "data-model get": ["model/README.md"],
  "data-model put": ["model/cubes/a.yml"],
  "data-model delete": ["model/cubes/a.yml"],
  "data-model rename": ["model/cubes/a.yml", "model/b.yml"],
  "variables set": ["REGION=EMEA", "EMPTY="],
  "groups users add": ["1", "admin@svc.localhost"],
  "groups users remove": ["1"],
  "embed groups users add": ["visitor"],
  "embed groups users remove": ["visitor"],
};

let service: ResettableService;
beforeAll(async () => {
  service = await startResettableService();
});
afterAll(() => service.close());

const run = (args: readonly string[], { key, input = "" }: { key?: string; input?: string } = {}) =>
  runSvc(args, {
    env: { SVC_API_URL: service.url, SVC_API_KEY: key ?? service.adminKey },
    input,
  });

/** Commands that say on standard error that they created an embed tenant, as the sample of their operation does. */
const newTenant: ReadonlySet<string> = new Set([
  "embed users provision",
  "embed users bulk-provision",
]);
const tenantCreated = /^created the embed tenant/u;

describe("the commands", () => {
  it("call every operation that no other command calls", () => {
    const called = new Set(commands.map(({ command }) => command.operation.id));
    const missing = operations.filter(({ id }) => !called.has(id)).map(({ id }) => id);
    expect(missing.toSorted()).toEqual(Object.keys(otherCommands).toSorted());
  });

  it("name the commands that list what they look up", () => {
    const lookups = commands.flatMap(({ command }) => Object.values(command.lookups));
    const wrong = lookups.filter(({ list, listCommand }) => {
      const declared = commands.find(({ name }) => name === listCommand)?.command;
      return declared?.operation !== list;
    });
    expect(wrong.map(({ label }) => label)).toEqual([]);
  });

  it.each([
    ["folders create main Board --parent-id 99", "svc folders list 1 --recursive"],
    ["folders get main 99", "svc folders list 1 --recursive"],
    ["deployments get 99", "svc deployments list"],
    ["groups get 99", "svc groups list"],
    ["roles get 99", "svc roles list"],
  ])("svc %s names the command that lists what exists", async (line, command) => {
    await service.reset();
    const { err } = await run(line.split(" "));
    expect(err).toContain(`\`${command}\` lists what exists.`);
  });

  it.each(sampled(commands, 1))(
    "svc $name prints the answer of its operation",
    async ({ name, command }) => {
      await service.reset();
      const sample = await sampleOf(command.operation.id, service);
      const args = [...name.split(" "), ...argumentsOf(command, sample, extraArguments[name])];
      const [, key = service.adminKey] = sample.headers?.["authorization"]?.split(" ") ?? [];
      const json = await run([...args, "--json"], { key, input: "cubes: []" });
      const err = (newTenant.has(name) ? expect.stringMatching(tenantCreated) : "") as string;
      expect({ args, ...json }).toEqual({ args, code: 0, err, out: expect.any(String) });
      expect(JSON.parse(json.out)).toEqual(shapeOf(command));
      // Commands that print a file have no table.
      if (command.operation.effect !== "read" || command.printsContent === true) return;
      const table = await run([...args, "--output", "table"], { key });
      expect([table.code, table.err]).toEqual([0, ""]);
    },
  );
});

describe("lists", () => {
  beforeAll(async () => {
    await service.reset();
    const names = [
      "Board",
      "Quarterly figures for the finance team",
      "営業部の四半期ごとの売上と予測",
    ];
    for (const name of names) {
      const created = await run(["folders", "create", "main", name]);
      expect([created.code, created.err]).toEqual([0, ""]);
    }
  });
  const list = (...flags: string[]) => ["folders", "list", "main", ...flags];
  const onTerminal = (columns: number, args: readonly string[]) =>
    runSvc(args, { env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey }, columns });
  const withoutTimes = (text: string) =>
    text.replace(/\b20\d\d[-T\d:.]*/gu, (time) => time.replace(/\d/gu, "0"));

  it.each([
    ["a pipe, in full", undefined, list()],
    ["60 columns", 60, list()],
    ["60 columns, in full with --wide", 60, list("--wide")],
    ["30 columns", 30, list()],
    ["60 columns, chosen", 60, list("--columns", "name,parentId,id")],
    ["60 columns, sorted", 60, list("--sort", "-name", "--columns", "id,name")],
  ])("fit %s", async (title, columns, args) => {
    const { code, out, err } =
      columns === undefined ? await run(args) : await onTerminal(columns, args);
    expect([code, err]).toEqual([0, ""]);
    const file = `../golden/tables/${title.replace(/\W+/gu, "-")}.golden`;
    await expect(withoutTimes(out)).toMatchFileSnapshot(file);
  });

  it("fit a real terminal", async () => {
    const { file, compileCache } = await svcProgram();
    const command = `stty cols 60 && ${process.execPath} ${file} ${list().join(" ")}`;
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache,
      SVC_API_URL: service.url,
      SVC_API_KEY: service.adminKey,
    };
    const { stdout } = await promisify(execFile)("script", ["-qec", command, "/dev/null"], { env });
    const lines = stdout.trimEnd().split("\r\n");
    expect(lines.length).toBe(4);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(60);
    expect(stdout).toContain("…");
  });

  it("stop at --limit, and say that there are more", async () => {
    const table = await run(list("--limit", "2", "--columns", "id"));
    expect(table).toEqual({
      code: 0,
      out: "ID\n1\n2\n",
      err: "There are more: pass a larger --limit\n",
    });
    const json = JSON.parse((await run(list("--limit", "2", "--json"))).out);
    expect(json).toMatchObject({ items: [{ id: 1 }, { id: 2 }], pageInfo: { hasNextPage: true } });
    const all = JSON.parse((await run(list("--limit", "3", "--json"))).out);
    expect([all.items.length, all.pageInfo.hasNextPage]).toEqual([3, false]);
  });

  it("are what a jq expression makes of the JSON", async () => {
    const names = await run(list("--jq", ".items[] | select(.id < 3) | .name"));
    expect(names).toEqual({
      code: 0,
      out: "Board\nQuarterly figures for the finance team\n",
      err: "",
    });
    const failed = await run(list("--jq", ".items | .name"));
    expect(failed.code).toBe(1);
    expect(failed.err).toContain('--jq: Cannot index array with string ("name")');
    // The server's answer is not lost, because it can be a secret that is shown once.
    expect(JSON.parse(failed.out)).toMatchObject({ items: expect.any(Array) });
  });

  it.each([
    [["--jq", ".items["], "error: --jq: syntax error"],
    [["--jq", ".", "--wide"], "--wide is about tables"],
    [["--jq", ".", "--output", "table"], "--jq prints JSON, and --output table does not"],
    [["--json", "--sort", "name"], "--sort is about tables"],
    [["--columns", "nmae"], 'the table has no column "nmae"'],
    [["--columns", "nmae"], "Did you mean NAME? Use one of ID, NAME, "],
    [["--columns", "id,,name"], "Separate names by commas"],
    [["--limit", "0"], "Use a whole number from 1"],
    [["--limit", "1", "--first", "1"], "cannot be used with"],
  ])("refuse %j", async (flags, message) => {
    const { code, err } = await run(list(...flags));
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});

describe("svc doctor", () => {
  const folder = makeFolder({});
  afterAll(() => folder.remove());
  const doctor = (env: Readonly<Record<string, string>>) =>
    runSvc(["doctor", "--json"], { env: { HOME: folder.path, SVC_API_URL: service.url, ...env } });
  const statuses = (out: string) =>
    JSON.parse(out).findings.map((one: { check: string; status: string }) => [
      one.check,
      one.status,
    ]);

  it("finds nothing wrong with a server and a credential that work", async () => {
    const { code, out } = await doctor({ SVC_API_KEY: service.adminKey });
    expect(code).toBe(0);
    expect(statuses(out)).toEqual(
      expect.arrayContaining([
        ["node", "ok"],
        ["contexts", "ok"],
        ["server", "ok"],
        ["credential", "ok"],
        ["clock", "ok"],
      ]),
    );
    expect(out).toContain("from SVC_API_KEY");
  });

  it("warns of notifications that the server does not send", async () => {
    const deployment = "/api/v1/deployments/1";
    const post = async (path: string, body: object) =>
      (await service.send("POST", `${deployment}${path}`, { body })).body as { id: number };
    const { id: workbookId } = await post("/workbooks", { name: "Mailed" });
    const config = { title: "Mailed", widgets: [] };
    const dashboard = await post(`/workbooks/${workbookId}/publish`, { workbookId, config });
    const schedule = { dashboardId: dashboard.id, scheduleType: "DAILY" };
    const { id } = await post("/notifications", schedule);
    const path = `/notifications/${id}`;
    await post(`${path}/recipients`, { recipients: [{ type: "USER", userId: 1 }] });
    await post(`${path}/send`, {});
    const { code, out } = await doctor({ SVC_API_KEY: service.adminKey });
    expect(code).toBe(0);
    expect(JSON.parse(out).findings).toContainEqual({
      check: "mail",
      status: "warning",
      message: expect.stringContaining("--smtp-url"),
      remedy: expect.stringContaining(`svc notifications deliveries list main ${id}`),
    });
    // Former recipients no longer get a delivery.
    await service.send("DELETE", `${deployment}${path}/recipients`, {
      body: { recipients: [{ type: "USER", id: 1 }] },
    });
    const after = await doctor({ SVC_API_KEY: service.adminKey });
    expect(statuses(after.out)).toContainEqual(["mail", "ok"]);
    await service.send("DELETE", `${deployment}/workbooks/${workbookId}`);
  });

  it("says what to do about a wrong key, a server that is not there, and old plugins", async () => {
    const key = await doctor({ SVC_API_KEY: "sk-wrong" });
    expect(key.code).toBe(1);
    expect(statuses(key.out)).toContainEqual(["credential", "error"]);
    expect(statuses(key.out)).toContainEqual(["clock", "ok"]);
    expect(key.out + key.err).not.toContain("sk-wrong");
    folder.write({
      ".pulumi/plugins/resource-svc-v0.0.1/x": "",
      ".config/svc/config.toml": 'default_context = "a"\n',
    });
    chmodSync(join(folder.path, ".config/svc/config.toml"), 0o644);
    const server = await doctor({ SVC_API_URL: "http://127.0.0.1:9", SVC_API_KEY: "sk-wrong" });
    expect(server.code).toBe(1);
    expect(statuses(server.out)).toEqual(
      expect.arrayContaining([
        ["server", "error"],
        ["plugins", "warning"],
        ["contexts", "error"],
      ]),
    );
    for (const { status, remedy } of JSON.parse(server.out).findings) {
      expect(status === "ok" || typeof remedy === "string").toBe(true);
    }
  });
});

describe("completion", () => {
  const folder = makeFolder({});
  const hostile = "$(touch pwned) `touch pwned`";
  beforeAll(async () => {
    await service.reset();
    expect((await run(["groups", "create", "Night shift"])).code).toBe(0);
    expect((await run(["groups", "create", hostile])).code).toBe(0);
    mkdirSync(join(folder.path, "bin"));
    await writeSvcLauncher(join(folder.path, "bin"));
  });
  afterAll(() => folder.remove());

  const inShell = async (shell: string, script: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(shell, ["-c", script], {
      cwd: folder.path,
      env: {
        PATH: `${join(folder.path, "bin")}:${process.env["PATH"]}`,
        HOME: folder.path,
        SVC_API_URL: service.url,
        SVC_API_KEY: service.adminKey,
      },
    });
    return stdout;
  };
  const isInstalled = (shell: string): boolean =>
    spawnSync(shell, ["-c", "exit 0"]).error === undefined;
  const whyNot = (shell: string): string =>
    isInstalled(shell) ? "" : ` (${shell} is not installed)`;

  it("works in bash, and runs nothing that a name contains", async () => {
    const complete = (...words: string[]) =>
      `COMP_WORDS=(svc ${words.join(" ")}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"; `;
    const out = await inShell(
      "bash",
      `eval "$(svc completion bash)"; ${complete("bran")}${complete("branches", "list", '""')}${complete("branches", "list", "main", "--output", "=", "t")}${complete("groups", "get", "N")}${complete("groups", "get", "'$'")}`,
    );
    const [quoted = ""] = out.trim().split("\n").slice(-1);
    expect(out.split("\n").slice(0, 4)).toEqual(["branches", "main", "table", "Night\\ shift"]);
    expect(quoted).toMatch(/^\\\$\\\(touch/u);
    expect(existsSync(join(folder.path, "pwned"))).toBe(false);
  });

  it.skipIf(!isInstalled("zsh"))(`works in zsh${whyNot("zsh")}`, async () => {
    // zsh has no completion system without a terminal, so this prints its suggestions.
    const setup = "compdef() { }; _describe() { print -l -- $found }; _files() { print files };";
    const out = await inShell(
      "zsh",
      `${setup} eval "$(svc completion zsh)"; words=(svc groups get N); CURRENT=4; _svc; words=(svc deploy main --folder x); CURRENT=5; _svc`,
    );
    expect(out).toMatch(/^Night shift:group \d+\nfiles\n$/u);
  });

  it.skipIf(!isInstalled("fish"))(`works in fish${whyNot("fish")}`, async () => {
    const out = await inShell(
      "fish",
      "svc completion fish | source; complete -C 'svc groups get N'; complete -C 'svc completion po'",
    );
    expect(out).toMatch(/^Night shift\tgroup \d+\npowershell\n$/u);
  });

  it.skipIf(!isInstalled("pwsh"))(`works in PowerShell${whyNot("pwsh")}`, async () => {
    const line = "svc groups get N";
    const out = await inShell(
      "pwsh",
      `svc completion powershell | Out-String | Invoke-Expression; (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`,
    );
    expect(out).toBe("'Night shift'\n");
  });

  it("offers nothing of a server that does not answer, after a second", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const env = { SVC_API_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: "sk-x", HOME: folder.path };
    const begun = performance.now();
    const result = await runSvc(["__complete", "--word=", "--", "branches", "list"], { env });
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(result).toEqual({ code: 0, out: "", err: "" });
    silent.close();
    silent.closeAllConnections();
  });
});

/** Returns the shape of an answer: a list has items and a page, CSV is a text, and anything else is an object. */
function shapeOf({ operation: { list, contentType }, run: own }: OperationCommand): unknown {
  if (contentType === "text/csv") return expect.any(String);
  if (list === undefined || own !== undefined) return expect.any(Object);
  if (list === "array") return expect.any(Array);
  return { items: expect.any(Array), pageInfo: expect.any(Object) };
}

/** Returns the command line of a sample: arguments, a flag for each simple member, and --data for the rest. */
function argumentsOf(
  command: OperationCommand,
  sample: Sample,
  extra: readonly string[] = [],
): readonly string[] {
  const url = new URL(sample.path, "http://service");
  const given: Readonly<Record<Member["part"], JsonObject>> = {
    params: paramsIn(command.operation.path, url.pathname),
    query: Object.fromEntries(url.searchParams),
    body: (sample.body ?? {}) as JsonObject,
  };
  const members = requestMembers(command);
  const positional = members.arguments.flatMap(({ part, name }) => texts(given[part][name]));
  const flags = members.flags.flatMap((member) => flagOf(member, given[member.part][member.name]));
  const rest = Object.entries(given.body).filter(
    ([name]) =>
      members.dataOnly.includes(name) || (given.body[name] === null && name !== "branchId"),
  );
  const hasData = rest.length > 0 && takesData(command) && command.fixed === undefined;
  return [
    ...positional,
    ...extra,
    ...flags,
    ...(hasData ? ["--data", JSON.stringify(Object.fromEntries(rest))] : []),
    ...((command.confirm ?? command.operation.method === "DELETE") ? ["--yes"] : []),
  ];
}

function flagOf({ label, type, isList, value }: Member, given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  if (value !== undefined) return given === value ? [label] : [];
  if (type === "boolean" && !isList) {
    return [given === true || given === "true" ? label : `--no-${label.slice(2)}`];
  }
  return texts(given).flatMap((text) => [label, text]);
}

function texts(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? given : [given]).map(String);
}

function paramsIn(template: string, path: string): JsonObject {
  const parts = path.split("/");
  return Object.fromEntries(
    template.split("/").flatMap((part, at) => {
      const name = /^\{(.+)\}$/u.exec(part)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(parts[at] ?? "")]];
    }),
  );
}
