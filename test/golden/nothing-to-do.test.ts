// Tests what adopt adopts and skips with reasons, undo and protect without changes, and conflicts without a terminal.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { makeFolder, runOnService, type TestFolder } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(() => {
  folder = makeFolder({});
});
afterEach(() => folder.remove());

const run = (args: readonly string[]) => runOnService(service, folder, args);

const slow = { timeout: 60_000 };

/** Writes a stack of groups by name and description, with its inventory at the service. */
function writeStack(name: string, groups: Readonly<Record<string, string>>): string {
  const documents = Object.entries(groups).map(
    ([group, description]) =>
      `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${group} }\nspec: { name: ${group}, description: ${description} }\n`,
  );
  const stack = `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${name} }\nspec: {}\n`;
  folder.write({ [`${name}/stack.yaml`]: [stack, ...documents].join("---\n") });
  return join(folder.path, name);
}

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await run(args);
  expect([args, code, err]).toEqual([args, 0, err]);
  return out;
}

async function createByHand(...names: readonly string[]): Promise<void> {
  for (const name of names)
    await service.send("POST", "/api/v1/user-groups", { body: { name, description: "x" } });
}

it("adopt lists what it takes, and what it leaves with the reason", slow, async () => {
  const other = writeStack("ad-other", { "ad-theirs": "x" });
  await succeed("apply", other, "--yes");
  const own = writeStack("ad-own", { "ad-mine": "x" });
  await succeed("apply", own, "--yes");
  await createByHand("ad-free", "ad-free-too");
  const groups = ["ad-mine", "ad-free", "ad-free-too", "ad-absent", "ad-theirs"];
  writeStack("ad-own", Object.fromEntries(groups.map((name) => [name, "x"])));
  const preview = await run(["adopt", own]);
  expect(preview.code).toBe(5);
  expect(preview.out).toContain(
    "not on the server: UserGroup/ad-absent\nnot adopted: UserGroup/ad-theirs: ",
  );
  expect(preview.out).toContain("    → Declare it in one stack only");
  const adoption = await run(["adopt", own, "--json"]);
  expect(JSON.parse(adoption.out)).toMatchObject({
    adopts: ["UserGroup/ad-free", "UserGroup/ad-free-too"],
    notFound: ["UserGroup/ad-absent"],
    blocked: [{ address: "UserGroup/ad-theirs", remedy: expect.any(String) }],
  });
  const first = await run(["adopt", own, "--yes"]);
  expect([first.code, first.out.split("\n")]).toEqual([
    4,
    [
      "adopted UserGroup/ad-free",
      "adopted UserGroup/ad-free-too",
      "not on the server: UserGroup/ad-absent",
      'not adopted: UserGroup/ad-theirs: UserGroup ad-theirs belongs to stack "ad-other"',
      expect.stringMatching(/^ {4}→ Declare it in one stack only, .*svc inventory move/u),
      "2 objects adopted.",
      "",
    ],
  ]);
  const second = await run(["adopt", own, "--yes"]);
  expect([second.code, second.out]).toEqual([
    4,
    expect.stringContaining(
      "no object to adopt: the stack already owns 3 of its 5 declared objects.\n",
    ),
  ]);
  const theirs = await run(["adopt", own, "UserGroup/ad-theirs", "--yes", "--json"]);
  expect([theirs.code, JSON.parse(theirs.out)]).toEqual([
    4,
    {
      format: 1,
      report: "adopt",
      adopted: [],
      notFound: [],
      blocked: [
        {
          address: "UserGroup/ad-theirs",
          code: "owned-by-other-stack",
          summary: 'UserGroup ad-theirs belongs to stack "ad-other"',
          remedy: expect.stringContaining("svc inventory move ADDRESS PATH --to "),
        },
      ],
    },
  ]);
  expect(await succeed("adopt", own, "UserGroup/ad-mine", "--yes")).toBe(
    "already owned: UserGroup/ad-mine\n0 objects adopted.\n",
  );
  const all = await run(["adopt", own, "--yes", "--json"]);
  expect(JSON.parse(all.out)).toMatchObject({ notFound: ["UserGroup/ad-absent"] });
  const rest = await run(["adopt", own, "UserGroup/ad-theirs", "UserGroup/no", "--yes"]);
  expect([rest.code, rest.err]).toEqual([
    1,
    expect.stringContaining("error: the stack does not declare UserGroup/no [not_found]\n"),
  ]);
  const misspelled = await run(["adopt", own, "UserGroup/ad-fre", "--yes"]);
  expect([misspelled.code, misspelled.out, misspelled.err]).toEqual([
    1,
    "",
    expect.stringMatching(/^ {2}Did you mean UserGroup\/ad-free\?$/mu),
  ]);
});

it("undo says that nothing is left to undo", slow, async () => {
  const stack = writeStack("un", { "un-a": "one" });
  await succeed("apply", stack, "--yes");
  writeStack("un", { "un-a": "two" });
  await succeed("apply", stack, "--yes");
  const { runs } = JSON.parse(await succeed("history", stack, "--json")) as {
    runs: readonly { id: string }[];
  };
  // Newest first, because ids of the same second do not sort by time.
  const last = runs[0]?.id ?? "";
  await succeed("undo", last, stack, "--yes");
  const again = await succeed("undo", last, stack, "--yes");
  expect(again).toContain(`info: nothing of run ${last} is left that svc can undo`);
  expect(again).toContain("Plan: nothing to do");
});

it("an undo of a part of a run exits with 3, and its last line says what stays", slow, async () => {
  const stack = writeStack("part", { "part-a": "one" });
  const secret = (value: string): Readonly<Record<string, string>> => ({
    "part/variable.yaml": [
      "apiVersion: svc/v1",
      "kind: EnvironmentVariable",
      "metadata: { name: password }",
      `spec: { deployment: { external: main }, name: DB_PASS, value: ${value} }`,
    ].join("\n"),
  });
  folder.write(secret("first"));
  await succeed("apply", stack, "--yes");
  writeStack("part", { "part-a": "two" });
  folder.write(secret("second"));
  await succeed("apply", stack, "--yes");
  const { runs } = JSON.parse(await succeed("history", stack, "--json")) as {
    runs: readonly { id: string }[];
  };
  const undo = ["undo", runs[0]?.id ?? "", stack, "--yes"];
  const last =
    "error: the run is only partly undone: changes of 1 object remain: EnvironmentVariable/password [cannot-undo]\n";
  const partly = await run(undo);
  expect([partly.code, partly.err]).toEqual([3, last]);
  expect(partly.out).toContain("Applied: 1 updated");
  const rest = await run(undo);
  expect([rest.code, rest.err]).toEqual([3, last]);
  expect(rest.out).toContain("is left that svc can undo");
});

it("drift with an error says that drift was found as well", slow, async () => {
  const stack = writeStack("dr", { "dr-a": "one" });
  await succeed("apply", stack, "--yes");
  const { body } = await service.send("GET", "/api/v1/user-groups");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "dr-a")?.id;
  await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: { description: "by hand" } });
  await createByHand("dr-b");
  writeStack("dr", { "dr-a": "one", "dr-b": "x" });
  const { code, err } = await run(["drift", stack]);
  expect([code, err]).toEqual([
    1,
    "error: the report has 1 error; also found: drift of 1 object [invalid]\n",
  ]);
});

it("protect says what was protected before", slow, async () => {
  const stack = writeStack("pr", { "pr-a": "one" });
  await succeed("apply", stack, "--yes");
  expect(await succeed("protect", "UserGroup/pr-a", stack)).toBe("UserGroup/pr-a is protected\n");
  expect(await succeed("protect", "UserGroup/pr-a", stack)).toBe(
    "UserGroup/pr-a was already protected\n",
  );
  expect(await succeed("inventory", "show", stack)).toMatch(
    /^ADDRESS +KEY +ID +STATE\nUserGroup\/pr-a {2}pr-a {2}\d+ +protected\nStack pr owns 1 object; /u,
  );
  await succeed("protect", "--off", "UserGroup/pr-a", stack);
  expect(await succeed("protect", "--off", "UserGroup/pr-a", stack)).toBe(
    "UserGroup/pr-a was not protected\n",
  );
});

it("a conflict fails without a terminal, unless the command says what to do", slow, async () => {
  const stack = writeStack("co", { "co-a": "one" });
  await succeed("apply", stack, "--yes");
  const { body } = await service.send("GET", "/api/v1/user-groups");
  const { items } = body as { items: readonly { id: number; name: string }[] };
  const id = items.find(({ name }) => name === "co-a")?.id;
  const live = { name: "co-a", description: "by hand" };
  await service.send("PATCH", `/api/v1/user-groups/${id}`, { body: live });
  writeStack("co", { "co-a": "two" });
  for (const yes of [["--yes"], []]) {
    const failed = await run(["apply", stack, ...yes]);
    expect([failed.code, failed.err]).toEqual([
      4,
      expect.stringContaining("changed both in the manifests and on the server: UserGroup/co-a"),
    ]);
  }
  const explicit = await run(["apply", stack, "--yes", "--on-conflict", "fail"]);
  expect(explicit.code).toBe(4);
  const saved = join(folder.path, "plan.json");
  await succeed("plan", stack, "--out", saved);
  // A saved plan shows its conflicts and was already reviewed.
  expect(await succeed("apply", saved, stack)).toContain("Applied: 1 updated");
});

it("shows warnings of the manifests with the plan, before its summary", slow, async () => {
  const stack = writeStack("warn", { "warn-a": "one" });
  folder.write({
    "warn/variable.yaml": [
      "apiVersion: svc/v1",
      "kind: EnvironmentVariable",
      "metadata: { name: shown }",
      "spec: { deployment: { external: main }, name: WARN_PASS, value: plain }",
    ].join("\n"),
  });
  const summaries = [
    ["plan", "Plan: "],
    ["apply", "Plan: "],
    ["drift", "Drift: "],
    ["lint", "Stack "],
  ] as const;
  for (const [command, summary] of summaries) {
    const { out, err } = await run([command, stack, ...(command === "apply" ? ["--yes"] : [])]);
    expect([command, err]).toEqual([command, ""]);
    expect([command, out.match(/\[literal-secret\]/gu)?.length, out]).toEqual([command, 1, out]);
    expect(out.lastIndexOf(summary)).toBeGreaterThan(out.indexOf("[literal-secret]"));
    const json = await run([command, stack, "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({});
  }
});
