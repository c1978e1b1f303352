// Measures plan, apply and a second plan of 1,000 groups with the real engine, against as many `terraform_data` resources.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../core/json.ts";
import { terraformType } from "../core/text/naming.ts";
import { userGroup } from "../resources/user-group.ts";
import {
  engineNamed,
  makeWorkspace,
  providerConfiguration,
  type Workspace,
} from "../test/engines/terraform-workspace.ts";
import { type Proxy, startProxy } from "../test/support/fault-proxy.ts";
import { formatCalls, formatFactor, formatMs, printTable } from "./report.ts";
import { groupFields } from "./stack.ts";
import { serve } from "./server.ts";

const count = 1000;
const defaultParallelism = 10;
const wideParallelism = 100;

/** The time of one program, in milliseconds, and the number of calls that reached the server. */
interface RunResult {
  readonly ms: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, string>>;
}

/** Runs both once: a single apply takes the engine a minute or more. */
export async function terraformBench(): Promise<void> {
  const engine = engineNamed("terraform") ?? engineNamed("tofu");
  if (engine === undefined) {
    console.log("\nTerraform: no engine was found, so nothing was measured");
    return;
  }
  // The helper of the tests builds the plug-ins into this folder.
  const builds = mkdtempSync(join(tmpdir(), "svc-bench-builds-"));
  process.env["SVC_TEST_BUILDS"] ??= builds;
  const server = await serve();
  const proxy = await startProxy(server.url);
  const env = { SVC_API_URL: proxy.url, SVC_API_KEY: server.apiKey };
  try {
    const bare = await timeRun(await makeWorkspace(engine, env), bareProgram(), { proxy });
    const ours = await timeRun(await makeWorkspace(engine, env), providerProgram("g"), { proxy });
    const wide = await timeRun(await makeWorkspace(engine, env), providerProgram("w"), {
      proxy,
      applyOptions: [`-parallelism=${wideParallelism}`],
    });
    printRuns(engine.name, { bare, ours, wide });
  } finally {
    await proxy.close();
    await server.stop();
    rmSync(builds, { recursive: true, force: true });
  }
}

function printRuns(
  engine: string,
  { bare, ours, wide }: Readonly<Record<"bare" | "ours" | "wide", RunResult>>,
): void {
  printTable(`${engine}, ${count} resources, a run each`, [
    ["", "calls", "aim", "svc", "terraform_data", "ratio"],
    ...Object.keys(ours.ms).map((step) => {
      const [one = NaN, other = NaN] = [ours.ms[step], bare.ms[step]];
      const cells = [formatMs(one), formatMs(other), formatFactor(one / other)];
      const aim = step === "apply" ? writesText(defaultParallelism) : "";
      return [step, ours.calls[step] ?? "", aim, ...cells];
    }),
    [
      `apply -parallelism=${wideParallelism}`,
      wide.calls["apply"] ?? "",
      writesText(wideParallelism),
      formatMs(wide.ms["apply"] ?? NaN),
      "",
      "",
    ],
  ]);
}

/** Returns the target number of calls: a batch for each round of the engine's slots. */
function writesText(parallelism: number): string {
  return `${count / parallelism} writes`;
}

/** Another prefix gives the groups other names. */
function providerProgram(prefix: string): JsonObject {
  const groups = Array.from({ length: count }, (_, at) => {
    const { name, description } = groupFields(at);
    return [`${prefix}${at}`, { name: `${prefix}-${name}`, description }];
  });
  return providerConfiguration({
    resource: { [terraformType(userGroup.name)]: Object.fromEntries(groups) },
  });
}

function bareProgram(): JsonObject {
  const data = Array.from({ length: count }, (_, at) => [`g${at}`, { input: groupFields(at) }]);
  return { resource: { terraform_data: Object.fromEntries(data) } };
}

interface RunOptions {
  readonly proxy: Proxy;
  readonly applyOptions?: readonly string[];
}

async function timeRun(
  workspace: Workspace,
  configuration: JsonObject,
  { proxy, applyOptions = [] }: RunOptions,
): Promise<RunResult> {
  const ms: Record<string, number> = {};
  const calls: Record<string, string> = {};
  const step = async (name: string, ...args: readonly string[]): Promise<void> => {
    proxy.arm();
    const from = performance.now();
    const { code, output } = await workspace.run(...args);
    if (code !== 0) throw new Error(output);
    ms[name] = performance.now() - from;
    const writes = proxy.writes().length;
    calls[name] = formatCalls(proxy.requests.length - writes, writes);
  };
  try {
    await workspace.write(configuration);
    await workspace.run("init");
    await step("plan to create", "plan", "-out=saved.plan");
    await step("apply", "apply", ...applyOptions, "saved.plan");
    await step("plan of nothing to do", "plan", "-detailed-exitcode");
    return { ms, calls };
  } finally {
    await workspace.dispose();
  }
}
