// Sessions with the real command line tool against the real service: the whole path, confirmation, failures, Ctrl-C.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validator } from "../../core/validate.ts";
import { failureSchema } from "../../reconciler/report/failure-schema.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type CommandResult,
  type TestFolder,
  makeFolder,
  startSvc,
  type CommandOptions,
  runSvc,
} from "./run-cli.ts";

const main = join(import.meta.dirname, "../../cli/main.ts");

/** Every step is a process of its own, and machines that test are busy. */
const slowTest = { timeout: 60_000 };

let service: TestService;
let env: Record<string, string>;
const folders: TestFolder[] = [];

beforeAll(async () => {
  service = await startService();
  env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
});

afterAll(async () => {
  for (const folder of folders) folder.remove();
  await service.close();
});

let stacks = 0;

/** A stack of its own with groups of these names; each has the stack's name before it. */
function makeStackFolder(
  names: readonly string[],
  policy = "prune: true",
): TestFolder & { name: string } {
  const name = `stack-${++stacks}`;
  const folder = makeFolder({
    "stack.yaml": stackText(name, policy),
    "groups.yaml": groups(name, names),
  });
  folders.push(folder);
  return { ...folder, name };
}

function stackText(name: string, policy: string): string {
  return `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${name} }\nspec: { policy: { ${policy} } }\n`;
}

function groups(stack: string, names: readonly string[]): string {
  return names
    .map((name) =>
      [
        "apiVersion: svc/v1",
        "kind: UserGroup",
        `metadata: { name: ${name} }`,
        `spec: { name: ${stack}-${name}, description: declared }`,
        "",
      ].join("\n"),
    )
    .join("---\n");
}

function run(
  args: readonly string[],
  folder: TestFolder,
  how: CommandOptions = {},
): Promise<CommandResult> {
  return runSvc(args, { cwd: folder.path, env, ...how });
}

interface Group {
  readonly id: number;
  readonly name: string;
  readonly description?: string | null;
}

async function liveGroups(prefix: string): Promise<readonly Group[]> {
  const { body } = await service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly Group[] };
  return items.filter(({ name }) => name.startsWith(`${prefix}-`));
}

/** Without what differs from run to run. */
function stableText(text: string, { name }: { name: string }): string {
  return text
    .replaceAll(service.url, "http://server")
    .replaceAll(name, "stack")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

describe("from a manifest to a live service", slowTest, () => {
  it("plans, applies, shows drift and repairs it", async () => {
    const stack = makeStackFolder(["one", "two"]);
    const planned = await run(["plan", "--quiet"], stack);
    expect([planned.code, planned.err]).toEqual([0, ""]);
    expect(await liveGroups(stack.name)).toEqual([]);
    expect(existsSync(join(stack.path, ".svc"))).toBe(false);
    await expect(stableText(planned.out, stack)).toMatchFileSnapshot("cli-plan.golden");

    const applied = await run(["apply", "--yes"], stack);
    expect([applied.code, applied.err]).toEqual([0, ""]);
    await expect(stableText(applied.out, stack)).toMatchFileSnapshot("cli-apply.golden");
    const [first] = await liveGroups(stack.name);
    expect((await run(["plan"], stack)).code).toBe(0);
    expect((await run(["apply"], stack)).code).toBe(0);

    await service.send("PATCH", `/api/v1/user-groups/${first?.id}`, {
      body: { description: "by hand" },
    });
    const drift = await run(["drift"], stack);
    expect([drift.code, drift.err]).toEqual([2, ""]);
    await expect(stableText(drift.out, stack)).toMatchFileSnapshot("cli-drift.golden");
    expect((await run(["apply", "--yes", "--quiet"], stack)).code).toBe(0);
    expect((await run(["drift"], stack)).code).toBe(0);
    expect((await liveGroups(stack.name)).map((one) => one.description)).toEqual([
      "declared",
      "declared",
    ]);
  });

  it("applies a saved plan, and refuses it after a change on the server", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "saved.json");
    expect((await run(["plan", "--detailed-exitcode", "--out", file], stack)).code).toBe(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(["apply", file], stack)).code).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
    const again = await run(["apply", "--plan", file], stack);
    expect(again.code).toBe(4);
    expect(again.err).toContain("error: stale: ");
  });

  it("names the manifests of a saved plan if the current folder holds others", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "saved.json");
    expect((await run(["plan", "--detailed-exitcode", "--out", file], stack)).code).toBe(2);
    const elsewhere = makeFolder({});
    folders.push(elsewhere);
    const { code, err } = await run(["apply", file], elsewhere);
    expect(code).toBe(1);
    expect(err).toContain(`run: svc apply ${file} ../${basename(stack.path)}\n`);
  });

  it("applies a saved plan with secrets if no earlier run created a fingerprint key", async () => {
    const stack = makeStackFolder(["one"]);
    const variable = {
      apiVersion: "svc/v1",
      kind: "EnvironmentVariable",
      metadata: { name: "token" },
      spec: { deployment: { external: "main" }, name: "API_TOKEN", value: "hush" },
    };
    stack.write({ "variables.yaml": JSON.stringify(variable) });
    const file = join(stack.path, "saved.json");
    const how = { env: { ...env, XDG_CONFIG_HOME: join(stack.path, "config") } };
    expect((await run(["plan", "--detailed-exitcode", "--out", file], stack, how)).code).toBe(2);
    expect(readFileSync(file, "utf8")).not.toContain("hush");
    expect(await run(["apply", file], stack, how)).toMatchObject({ code: 0 });
    expect((await run(["plan"], stack, how)).code).toBe(0);
  });

  it("refuses a saved plan that was edited", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "saved.json");
    await run(["plan", "--out", file], stack);
    writeFileSync(file, readFileSync(file, "utf8").replace('"create"', '"conjure"'));
    const { code, err } = await run(["apply", file], stack);
    expect(code).toBe(1);
    expect(err).toContain("error: corrupt: ");
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("adopts all existing objects, or only those that are named", async () => {
    const stack = makeStackFolder(["one", "two"]);
    for (const name of ["one", "two"]) {
      await service.send("POST", "/api/v1/user-groups", {
        body: { name: `${stack.name}-${name}` },
      });
    }
    const refused = await run(["plan"], stack);
    expect(refused.code).toBe(1);
    expect((await run(["adopt"], stack)).out).toBe(
      "would adopt UserGroup/one\nwould adopt UserGroup/two\nTo confirm, run: svc adopt --yes\n",
    );
    const unasked = await run(["adopt", "--json"], stack);
    expect([unasked.code, JSON.parse(unasked.out)]).toMatchObject([
      5,
      { status: "confirmation_required", adopts: ["UserGroup/one", "UserGroup/two"] },
    ]);
    expect((await run(["plan"], stack)).code).toBe(1);
    const only = await run(["adopt", "--yes", "--only", "UserGroup/one", "--json"], stack);
    expect([only.code, JSON.parse(only.out)]).toEqual([
      0,
      { adopted: ["UserGroup/one"], notFound: [] },
    ]);
    const two = await run(["adopt", "-y", "UserGroup/two"], stack);
    expect([two.code, two.out]).toEqual([0, "adopted UserGroup/two\n1 object adopted.\n"]);
    expect((await run(["adopt"], stack)).out).toBe(
      "no object to adopt: the stack already owns its 2 declared objects.\n",
    );
    expect((await run(["adopt", "UserGroup/three"], stack)).code).toBe(1);
    expect((await run(["plan", "--detailed-exitcode"], stack)).code).toBe(2);
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    expect((await liveGroups(stack.name)).map((one) => one.description)).toEqual([
      "declared",
      "declared",
    ]);
  });

  it("prints one JSON value, and also writes it to a file", async () => {
    const stack = makeStackFolder(["one"]);
    const file = join(stack.path, "result.txt");
    const planned = await run(["plan", "--output", "json", "--json-into", file], stack);
    expect(planned.code).toBe(0);
    expect(JSON.parse(planned.out)).toEqual(JSON.parse(readFileSync(file, "utf8")));
    const applied = await run(["apply", "--yes", "--json"], stack);
    expect(applied.code).toBe(0);
    expect(typeof JSON.parse(applied.out)).toBe("object");
    const lines = applied.err.split("\n").filter((line) => line.startsWith("{"));
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain("phase");
    expect((await run(["drift", "--json"], stack)).code).toBe(0);
  });
});

describe("confirmation", slowTest, () => {
  interface Confirmation {
    readonly status: string;
    readonly command: string;
    readonly deletes: number;
  }

  it("is required without a terminal, and the error names the option", async () => {
    const stack = makeStackFolder(["one"]);
    const inText = await run(["apply", "."], stack);
    expect(inText.code).toBe(5);
    expect(inText.out).toContain("UserGroup/one");
    expect(inText.out).toMatch(/\nTo confirm, run: svc apply \. --yes\n$/u);
    const { code, out, err } = await run(["apply", ".", "--json"], stack);
    expect(code).toBe(5);
    expect(validator(failureSchema())(JSON.parse(out))).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({
      status: "confirmation_required",
      error: {
        code: "confirmation_required",
        remedy: "run it to confirm: svc apply . --json --yes",
      },
      command: "svc apply . --json --yes",
      writes: 1,
      deletes: 0,
    });
    expect(err).toContain("UserGroup/one");
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("of changes does not include deletes beyond the limit of the stack", async () => {
    const stack = makeStackFolder(["one", "two", "three"], "prune: true, maxDeletes: 1");
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    stack.write({ "groups.yaml": groups(stack.name, ["one"]) });
    const refused = await run(["apply", "--yes", "--json"], stack);
    expect(refused.code).toBe(5);
    const { command, status, deletes } = JSON.parse(refused.out) as Confirmation;
    expect([status, deletes]).toEqual(["confirmation_required", 2]);
    expect(await liveGroups(stack.name)).toHaveLength(3);
    expect(command).toBe("svc apply --json --yes --allow-deletes 2");
    expect((await run(command.split(" ").slice(1), stack)).code).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
  });

  it("includes deletes within the limit of the stack", async () => {
    const stack = makeStackFolder(["one", "two"], "prune: true, maxDeletes: 1");
    await run(["apply", "--yes"], stack);
    stack.write({ "groups.yaml": groups(stack.name, ["one"]) });
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
    expect(await liveGroups(stack.name)).toHaveLength(1);
  });
});

describe("a freeze", slowTest, () => {
  it("shows the plan, asks for no confirmation and writes nothing", async () => {
    const freeze = '{ to: 2999-01-01T00:00:00Z, reason: "end of the year", owner: "ops" }';
    const stack = makeStackFolder(["one"], `freezes: [${freeze}]`);
    expect((await run(["plan", "--detailed-exitcode"], stack)).code).toBe(2);
    const { code, out, err } = await run(["apply", "--yes"], stack);
    expect(code, err).toBe(6);
    expect(out).toContain("UserGroup/one");
    expect(err).toContain(
      "error: window_closed: changes are not allowed now: a freeze of the Stack (end of the year)",
    );
    expect(err).toContain("it does not open within a year, or ask ops");
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("of the operator is read from the grants file, and errors in that file are reported", async () => {
    const stack = makeStackFolder(["one"]);
    const grants = makeFolder({
      "grants.yaml": "freezes:\n  - { to: 2999-01-01T00:00:00Z, reason: audit, owner: ops }\n",
      "wrong.yaml": "maxDelete: 3\nwindows:\n  - { effect: allow }\n",
    });
    const env6 = { ...env, SVC_GRANTS: join(grants.path, "grants.yaml") };
    expect((await run(["apply", "--yes"], stack, { env: env6 })).code).toBe(6);
    const { code, err } = await run(["plan", "--grants", join(grants.path, "wrong.yaml")], stack);
    grants.remove();
    expect(code).toBe(64);
    expect(err).toContain('1:1: "maxDelete" is not a known field');
    stack.write({ "grants.yaml": "maxDeletes: 1000\n" });
    const own = await run(["plan", "--grants", "grants.yaml"], stack);
    expect([own.code, own.err]).toEqual([1, expect.stringContaining("not-granted")]);
  });
});

describe("what goes wrong", slowTest, () => {
  it("is a wrong key", async () => {
    const stack = makeStackFolder(["one"]);
    const wrong = { ...env, SVC_API_KEY: "sk-wrong-key" };
    const { code, out, err } = await run(["plan"], stack, { env: wrong });
    expect([code, out]).toEqual([77, ""]);
    expect(err).toContain("error: unauthenticated: ");
    expect(err).not.toContain("sk-wrong-key");
    const json = await run(["plan", "--json"], stack, { env: wrong });
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "unauthenticated" } });
  });

  it("is a key that is not an administrator's", async () => {
    const stack = makeStackFolder(["one"]);
    const key = await service.key({ admin: false });
    const { code, err } = await run(["apply", "--yes"], stack, {
      env: { ...env, SVC_API_KEY: key },
    });
    expect(code, err).toBe(77);
    expect(await liveGroups(stack.name)).toEqual([]);
  });

  it("of a change is named once where both streams are one", async () => {
    const stack = makeStackFolder(["a"]);
    stack.write({
      "user.yaml":
        "apiVersion: svc/v1\nkind: User\nmetadata: { name: u }\nspec: { email: other@x.example, username: admin }\n",
    });
    const command = `'${process.execPath}' '${main}' apply --yes 2>&1`;
    const child = spawn("sh", ["-c", command], {
      cwd: stack.path,
      env: { ...env, PATH: process.env["PATH"], HOME: stack.path },
    });
    const merged = await readText(child.stdout);
    expect(merged.match(/failed to create/gu)).toHaveLength(1);
    const apart = await run(["apply", "--yes"], stack);
    expect([apart.code, apart.err]).toEqual([
      4,
      expect.stringContaining("failed to create User/u"),
    ]);
  });

  it("is a server that does not answer", async () => {
    const stack = makeStackFolder(["one"]);
    const nowhere = { ...env, SVC_API_URL: "http://127.0.0.1:9" };
    const { code, out, err } = await run(["plan"], stack, { env: nowhere });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("error: unreachable: Cannot reach http://127.0.0.1:9");
  });

  it("is no stack", async () => {
    const folder = makeFolder({ "readme.txt": "" });
    folders.push(folder);
    const { code, out, err } = await run(["plan"], folder);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("no Stack document found");
  });

  it("is a lock of another run, until it is released by its id", async () => {
    const stack = makeStackFolder(["one"], "requestsPerSecond: 1, concurrency: 1");
    const first = startSvc(["apply", "--yes", "--json"], { cwd: stack.path, env });
    await waitForOutput(first.child.stderr, /"phase":"check"/u);
    first.child.kill("SIGSTOP");
    stack.write({ "stack.yaml": stackText(stack.name, "requestsPerSecond: 100") });
    const refused = await run(["apply", "--yes"], stack);
    expect(refused.code, refused.err).toBe(4);
    const id = /svc inventory unlock (\S+)/u.exec(refused.err)?.[1] ?? "";
    expect((await run(["inventory", "unlock", "another-id"], stack)).code).toBe(1);
    const alive = await run(["inventory", "unlock", id], stack);
    expect(alive.code, alive.err).toBe(4);
    expect(alive.err).toMatch(/is alive: \S+ pid \d+ \(apply\) since 20.*--yes/su);
    expect((await run(["inventory", "unlock", id, "--yes"], stack)).code).toBe(0);
    first.child.kill("SIGKILL");
    await first.ended;
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
  });

  it("is not a lock whose run was killed on the same machine", async () => {
    const stack = makeStackFolder(["one"], "requestsPerSecond: 1, concurrency: 1");
    const first = startSvc(["apply", "--yes", "--json"], { cwd: stack.path, env });
    await waitForOutput(first.child.stderr, /"phase":"check"/u);
    first.child.kill("SIGKILL");
    await first.ended;
    stack.write({ "stack.yaml": stackText(stack.name, "requestsPerSecond: 100") });
    expect((await run(["apply", "--yes"], stack)).code).toBe(0);
  });
});

describe("Ctrl-C in the middle of an apply", slowTest, () => {
  it("stops between calls, and the next run finishes without duplicates", async () => {
    // Users are created with a call each.
    const names = Array.from({ length: 30 }, (_, index) => `u${index}`);
    const stack = makeStackFolder([], "requestsPerSecond: 20, concurrency: 1");
    const documents = names.map((name) => ({
      apiVersion: "svc/v1",
      kind: "User",
      metadata: { name },
      spec: { email: `${name}@${stack.name}.example`, username: `${stack.name}-${name}` },
    }));
    const text = documents.map((one) => JSON.stringify(one)).join("\n---\n");
    writeFileSync(join(stack.path, "groups.yaml"), text);
    const live = async () => {
      const { body } = await service.send("GET", "/api/v1/users?first=1000");
      const { items } = body as { items: readonly { username: string }[] };
      return items.map((one) => one.username).filter((one) => one.startsWith(`${stack.name}-`));
    };
    const first = startSvc(["apply", "--yes", "--json"], { cwd: stack.path, env });
    while ((await live()).length < 3) expect(first.child.exitCode).toBeNull();
    first.child.kill("SIGINT");
    const stopped = await first.ended;
    expect(stopped.code, stopped.err).toBe(3);
    expect(stopped.err).toContain("stopping after the calls in flight");
    expect(stopped.err).toContain("run the same command again to continue");
    const some = (await live()).length;
    expect(some).toBeGreaterThan(2);
    expect(some).toBeLessThan(names.length);
    const second = await run(["apply", "--yes"], stack);
    expect(second.code, second.err).toBe(0);
    const after = await live();
    expect(after.toSorted()).toEqual(names.map((name) => `${stack.name}-${name}`).toSorted());
    expect((await run(["plan"], stack)).code).toBe(0);
  });

  it("exits with 130 if nothing was written", async () => {
    const stack = makeStackFolder(["one"], "requestsPerSecond: 1, concurrency: 1");
    const first = startSvc(["plan", "--json"], { cwd: stack.path, env });
    await waitForOutput(first.child.stderr, /"phase":"read"/u);
    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(130);
  });
});

/** Resolves once a stream has said it. */
function waitForOutput(stream: NodeJS.ReadableStream | null, what: RegExp): Promise<void> {
  let said = "";
  return new Promise((resolve) => {
    stream?.on("data", (chunk) => {
      said += String(chunk);
      if (what.test(said)) resolve();
    });
  });
}
