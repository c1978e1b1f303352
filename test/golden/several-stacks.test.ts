// Tests commands on several stacks: a report for each stack, one summary, one exit code and one JSON document.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { validator } from "../../core/schema/validate.ts";
import { reportSchema } from "../../reconciler/report/schema.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeFolder, runOnService, type TestFolder } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const slowTest = { timeout: 60_000 };

const stack = (name: string, more = "") =>
  `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${name} }\nspec: { inventory: file }\n---\n` +
  `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: ${name}${more} }\n`;

beforeEach(() => {
  folder = makeFolder({
    "a/stack.yaml": stack("a"),
    "b/stack.yaml": stack("b"),
    "c/stack.yaml": stack("c"),
    "shared/more.yaml":
      "apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: m }\nspec: { name: m }\n",
  });
});
afterEach(() => folder.remove());

const run = (args: readonly string[]) => runOnService(service, folder, args);

const at = (...names: readonly string[]) => names.map((name) => join(folder.path, name));
const shown = (text: string) => text.replaceAll(`${folder.path}/`, "");

it("reports every stack and the worst exit code", slowTest, async () => {
  folder.write({ "b/stack.yaml": stack("b", ", nmae: x") });
  const linted = await run(["lint", ...at("a", "b", "c")]);
  expect(linted.code).toBe(1);
  expect(shown(linted.out)).toContain(
    "3 stacks:\n  a: done\n  b: failed (exit code 1)\n  c: done\n",
  );
  const planned = await run(["plan", "--json", "--detailed-exitcode", ...at("a", "c")]);
  const document: unknown = JSON.parse(planned.out);
  expect([planned.code, validator(reportSchema())(document)]).toEqual([2, []]);
  expect(document).toMatchObject({
    report: "stacks",
    stacks: [
      { exitCode: 2, result: { report: "plan", stack: "a" } },
      { exitCode: 2, result: { report: "plan", stack: "c" } },
    ],
  });
  const markdown = await run(["plan", "--output", "markdown", ...at("a", "c")]);
  expect(markdown.out.match(/<!-- svc plan [ac] -->/gu)).toHaveLength(2);
});

it("stops an apply at the first failure, unless it keeps going", slowTest, async () => {
  folder.write({ "b/stack.yaml": stack("b", ", nmae: x") });
  const stopped = await run(["apply", "--yes", ...at("a", "b", "c")]);
  expect([stopped.code, shown(stopped.out).slice(shown(stopped.out).indexOf("3 stacks:"))]).toEqual(
    [1, "3 stacks:\n  a: done\n  b: failed (exit code 1)\n  c: not run\n"],
  );
  const json = await run(["apply", "--yes", "--json", ...at("b", "c")]);
  const { stacks } = JSON.parse(json.out) as { stacks: readonly object[] };
  expect(stacks[1]).toEqual({ path: join(folder.path, "c") });
  const kept = await run(["apply", "--yes", "--keep-going", ...at("a", "b", "c")]);
  expect([kept.code, shown(kept.out)]).toEqual([1, expect.stringContaining("  c: done\n")]);
});

it("needs a Stack in several of the paths, and no file of one stack", slowTest, async () => {
  const shared = await run(["plan", ...at("a", "shared")]);
  expect(shared.out).toContain("UserGroup/m");
  expect(shared.out).not.toContain("stacks:");
  const out = await run(["plan", "--out", join(folder.path, "p.json"), ...at("a", "b")]);
  expect([out.code, out.err]).toEqual([64, expect.stringContaining("--out accepts one stack")]);
});

it("reports several stacks in one file for other programs", slowTest, async () => {
  folder.write({
    "d/stack.yaml": stack("d"),
    "e/stack.yaml": stack("e", ", nmae: x"),
    "f/stack.yaml": stack("f"),
  });
  const plan = async (form: string) =>
    (await run(["plan", "--output", form, ...at("d", "e", "f")])).out;
  const sarif = JSON.parse(await plan("sarif")) as {
    runs: readonly { automationDetails: object; results: readonly object[] }[];
  };
  expect(sarif.runs).toHaveLength(1);
  expect(sarif.runs[0]?.automationDetails).toEqual({ id: "svc/plan/stacks" });
  expect(sarif.runs[0]?.results).toMatchObject([{ ruleId: "unknown-field", level: "error" }]);
  const junit = await plan("junit");
  expect(junit.match(/<testsuite /gu)).toHaveLength(3);
  expect(junit).toMatch(/<testsuites tests="3" failures="1" errors="0">/u);
  const html = await plan("html");
  expect(html.match(/<h2>/gu)).toHaveLength(3);
  expect(html.match(/<h1>3 stacks<\/h1>/gu)).toHaveLength(1);
  expect(html).toContain('id="0.UserGroup.2Fd"');
  expect(html).toContain('id="2.UserGroup.2Ff"');
});

it("names the stack that failed in reports for other programs", slowTest, async () => {
  folder.write({
    "b/stack.yaml": stack("b", ", nmae: x"),
    "c/stack.yaml": stack("c").replace("inventory: file", "inventory: postgres"),
  });
  const plan = async (form: string): Promise<string> =>
    shown((await run(["plan", "--output", form, ...at("a", "b", "c")])).out);
  const { runs } = JSON.parse(await plan("sarif")) as {
    readonly runs: readonly { readonly invocations: unknown }[];
  };
  expect(runs[0]?.invocations).toMatchObject([
    {
      executionSuccessful: false,
      toolExecutionNotifications: [
        { level: "error", message: { text: expect.stringMatching(/^c: .*postgres/su) } },
      ],
    },
  ]);
  const junit = await plan("junit");
  for (const name of ["svc plan a", "svc manifests b", "svc failure c"])
    expect(junit).toContain(`<testsuite name="${name}"`);
  const titles = [...(await plan("html")).matchAll(/<h2>(.*?)<\/h2>/gu)].map(([, title]) => title);
  expect(titles).toEqual([
    expect.stringMatching(/ a$/u),
    expect.stringMatching(/ b$/u),
    expect.stringMatching(/ c$/u),
  ]);
  expect(await plan("github")).toMatch(/::error .*::c: .*postgres/u);
});

it("plans the stacks that have a target, and refuses a target of none", slowTest, async () => {
  folder.write({ "x/stack.yaml": stack("x"), "y/stack.yaml": stack("y") });
  const one = await run(["plan", "--target", "UserGroup/y", ...at("x", "y")]);
  expect([one.code, shown(one.out)]).toEqual([0, expect.stringContaining("+ UserGroup/y")]);
  expect(shown(one.out)).toContain("x: skipped, it has none of the targets\n  y: done\n");
  const both = ["--target", "UserGroup/x", "--target", "UserGroup/y"];
  const planned = await run(["plan", "--json", ...both, ...at("x", "y")]);
  expect(planned.code).toBe(0);
  const lines = planned.err.split("\n").filter((line) => line !== "");
  expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
  const none = await run(["plan", "--target", "UserGroup/none", ...at("x", "y")]);
  expect([none.code, none.err]).toEqual([
    64,
    expect.stringContaining("none of the 2 stacks has UserGroup/none to target"),
  ]);
});
