// Tests that text of the API and of arguments cannot run commands in the log of a CI runner.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRunnerCommand } from "../../core/text/escape-text.ts";
import { statusLineFor } from "../../cli/shared/output/status-line.ts";
import { jsonProgress } from "../../reconciler/report/progress.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type CommandResult, runSvc } from "./run-cli.ts";

const description = "##[error]all\n::error::owned";
let service: TestService;
beforeAll(async () => {
  service = await startService();
  const body = { name: "##[error]name", description };
  await service.send("POST", "/api/v1/user-groups", { body });
});
afterAll(() => service.close());

function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return runSvc(args, { env: { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey, ...env } });
}

const groups = ["api", "GET", "/api/v1/user-groups"];

describe.each([
  ["GITHUB_ACTIONS", "true"],
  ["TF_BUILD", "True"],
  ["TEAMCITY_VERSION", "2026.1"],
])("in the log of a runner with %s", (name, value) => {
  it.each([
    ["a failure with a name of the request", ["groups", "create", "--name", "##[error]name"]],
    ["a failure with an argument", ["users", "get", "##vso[task.setvariable variable=PATH]x"]],
    ["a table", ["groups", "list"]],
    ["a text that --jq selects", [...groups, "--jq", ".items[].description"]],
    ["an object that --jq selects", [...groups, "--jq", ".items[0]"]],
    ["JSON", groups],
  ])("%s is no command", async (_, args) => {
    const { out, err } = await run(args, { [name]: value });
    expect(`${out}${err}`).not.toBe("");
    const lines = `${out}\n${err}`
      .split("\n")
      .filter((line) => !/^::(?:stop-commands::)?[\w-]+(?:::)?$/u.test(line));
    expect(lines.filter(hasRunnerCommand)).toEqual([]);
  });

  it("JSON keeps its value", async () => {
    const all = await run(groups, { [name]: value });
    expect(JSON.parse(all.out)).toMatchObject({ items: [{ description }] });
    const one = await run([...groups, "--jq", ".items[0]"], { [name]: value });
    expect(JSON.parse(one.out)).toMatchObject({ description });
  });
});

it("gives scripts elsewhere exactly the text that --jq selects", async () => {
  const { out } = await run([...groups, "--jq", ".items[].description"], {});
  expect(out).toBe(`${description}\n`);
});

it("shows the lines of a wait without commands", () => {
  let shown = "";
  const stream = { write: (text: string) => Boolean((shown += text)), isTTY: false, columns: 80 };
  const line = statusLineFor({ isQuiet: false }, { stream, now: () => 0 });
  line.show("::error::a");
  line.note("build: ##[error]b");
  expect(shown).toBe("\\u{3a}:error::a\nbuild: \\u{23}#[error]b\n");
});

it("prints progress as JSON that keeps its value, without commands", () => {
  let shown = "";
  const address = "UserGroup/##[error]a";
  const { on } = jsonProgress({ write: (text) => (shown += text) });
  on({ event: "change", address, action: "create", result: "failed", done: 1, total: 2, layer: 0 });
  expect(hasRunnerCommand(shown)).toBe(false);
  expect(JSON.parse(shown)).toMatchObject({ address });
});
