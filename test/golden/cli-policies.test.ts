// Tests policies on the command line with a real service: a plan reports violations, and an apply with a violation writes
// nothing.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { type TestFolder, makeFolder, runSvc } from "./run-cli.ts";

let service: TestService;
let folder: TestFolder;
let env: Record<string, string>;

const group = (name: string): string =>
  `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name} }\nspec: { name: policy-${name} }\n`;
const stack =
  "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: policies }\nspec: { policy: { prune: true } }\n";
const own = {
  rules: [
    {
      name: "few-groups",
      severity: "warning",
      message: "no group is made here",
      over: "change",
      schema: { not: { properties: { action: { const: "create" } } } },
    },
  ],
};

beforeAll(async () => {
  service = await startService();
  env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  folder = makeFolder({
    "stack.yaml": stack,
    "groups.yaml": `${group("one")}---\n${group("two")}`,
    "own.json": JSON.stringify(own),
  });
});

afterAll(async () => {
  folder.remove();
  await service.close();
});

const run = (...args: readonly string[]) => runSvc(args, { cwd: folder.path, env });

async function liveGroups(): Promise<readonly string[]> {
  const { body } = await service.send("GET", "/api/v1/user-groups?first=1000");
  const { items } = body as { items: readonly { readonly name: string }[] };
  return items.map(({ name }) => name).filter((name) => name.startsWith("policy-"));
}

describe("policies", { timeout: 120_000 }, () => {
  it("are reported, and from the threshold on fail the run before any write", async () => {
    const reported = await run("plan", "--policy", "own.json");
    expect([reported.code, reported.err]).toEqual([0, ""]);
    expect(reported.out).toContain("few-groups: no group is made here (UserGroup/one)");
    const failed = await run("plan", "--policy", "own.json", "--fail-on", "warning", "--json");
    expect(failed.code).toBe(1);
    const { diagnostics } = JSON.parse(failed.out) as { diagnostics: { code: string }[] };
    expect(diagnostics.map(({ code }) => code)).toEqual(["policy-violation", "policy-violation"]);

    const refused = await run("apply", "--yes", "--policy", "own.json", "--fail-on", "warning");
    expect([refused.code, await liveGroups()]).toEqual([1, []]);
    expect(refused.err).toContain("error: the plan has findings at or above");
    expect((await run("apply", "--yes", "--policy", "own.json")).code).toBe(0);
    expect(await liveGroups()).toHaveLength(2);
  });

  it("recommended by svc stop a delete in a pipeline", async () => {
    folder.write({ "groups.yaml": group("one") });
    const threshold = ["--policy", "recommended", "--fail-on", "warning"];
    const planned = await run("plan", "--output", "github", ...threshold);
    expect(planned.code).toBe(1);
    expect(planned.out).toContain(
      "::warning title=svc%3A policy-deletes::UserGroup/two is deleted",
    );
    expect((await run("apply", "--yes", ...threshold)).code).toBe(1);
    expect(await liveGroups()).toHaveLength(2);
    const lacking = await run("plan", "--policy", "none.json");
    expect([lacking.code, lacking.out]).toEqual([64, ""]);
  });
});
