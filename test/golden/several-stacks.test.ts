// Commands on several stacks in one call: a report for each, one summary, one exit code, one JSON document.
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { validator } from "../../core/validate.ts";
import { reportSchema } from "../../reconciler/report/schema.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { makeFolder, runOnService, type TestFolder } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

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

it("reports every stack and the worst exit code", { timeout: 60_000 }, async () => {
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

it("stops an apply at the first failure, unless it keeps going", { timeout: 60_000 }, async () => {
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

it(
  "needs a Stack in several of the paths, and no file of one stack",
  { timeout: 60_000 },
  async () => {
    const shared = await run(["plan", ...at("a", "shared")]);
    expect(shared.out).toContain("UserGroup/m");
    expect(shared.out).not.toContain("stacks:");
    const out = await run(["plan", "--out", join(folder.path, "p.json"), ...at("a", "b")]);
    expect([out.code, out.err]).toEqual([64, expect.stringContaining("--out is for one stack")]);
    const sarif = await run(["plan", "--output", "sarif", ...at("a", "b")]);
    expect([sarif.code, sarif.err]).toEqual([64, expect.stringContaining("--output json")]);
  },
);
