// Measures which functions take the most processor time in a plan, a start, a read and a session, and which parts of the
// service a request passes.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { buildPackage } from "./built-package.ts";
import { type CpuProfile, timeByPart, topFunctions } from "./cpu-profile.ts";
import { freePort, inspectFlags, profileWhile } from "./inspect.ts";
import { formatMs, printTable } from "./report.ts";
import { requestCases, sendRequests } from "./request-load.ts";
import { serve, type Served } from "./server.ts";
import { otherParts, partOfService } from "./service-parts.ts";
import { type BenchStack, makeStack } from "./stack.ts";

const groups = 5000;
const requests = 5000;
const shown = 10;
const samplingMicroseconds = 200;

/** Profiles this checkout. */
export async function profilesBench(): Promise<void> {
  const built = buildPackage();
  try {
    await profileCheckout(join(import.meta.dirname, ".."), built.cli, "");
  } finally {
    built.remove();
  }
}

/** Profiles the built checkout in the folder `BENCH_EARLIER`. Without it the page keeps the earlier profiles. */
export async function earlierProfilesBench(): Promise<void> {
  const root = process.env["BENCH_EARLIER"];
  if (root === undefined) return;
  const commit = execFileSync("git", ["rev-parse", "--short=7", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  });
  await profileCheckout(root, join(root, "dist", "svc.js"), `, commit ${commit.trim()}`);
}

async function profileCheckout(root: string, cli: string, suffix: string): Promise<void> {
  const port = await freePort();
  const server = await serve(undefined, { root, flags: inspectFlags(port) });
  try {
    const stack = await makeStack(server, "profiles", { tenants: 1, groups });
    try {
      const commands = { root, server, stack };
      await runCommand(commands, join("cli", "main.ts"), ["apply", "--yes"]);
      printTop(`A plan of ${groups} groups without changes${suffix}`, await planOf(commands));
    } finally {
      await stack.remove();
    }
    printTop(
      `The start of a plan of one document${suffix}`,
      await startOf({ root, server, program: cli }),
    );
    await profileRequests(port, server, suffix);
  } finally {
    await server.stop();
  }
}

async function profileRequests(port: number, server: Served, suffix: string): Promise<void> {
  const rows: Record<string, string[]> = {};
  const heads: string[] = [];
  for (const { name, ours } of await requestCases(server)) {
    await sendRequests([server], ours, requests);
    const profile = await profileWhile(port, () => sendRequests([server], ours, requests));
    printTop(`${name}, ${requests} requests${suffix}`, profile);
    heads.push(name);
    for (const part of timeByPart(profile, partOfService, otherParts)) {
      const cells = (rows[part.name] ??= heads.slice(1).map(() => ""));
      cells.push(`${(part.microseconds / requests).toFixed(1)} µs (${percent(part.share)})`);
    }
  }
  const table = Object.entries(rows).map(([part, cells]) => [
    part,
    ...heads.map((_, at) => cells[at] ?? ""),
  ]);
  printTable(
    `Time of one request on the thread of the server by part, with its waits for the disk${suffix}`,
    [["", ...heads], ...table],
  );
}

/** Processor time of a command that runs again, so that its code is compiled and kept. */
async function planOf(commands: CommandContext): Promise<CpuProfile> {
  const program = join("cli", "main.ts");
  await runCommand(commands, program, ["plan"]);
  return runCommand(commands, program, ["plan"]);
}

/** Profiles the second plan of the built program in a separate folder. */
async function startOf({
  program,
  ...checkout
}: Omit<CommandContext, "stack"> & { readonly program: string }): Promise<CpuProfile> {
  const { server } = checkout;
  const stack = await makeStack(server, "start", { tenants: 1, groups: 0 });
  try {
    const commands = { ...checkout, stack };
    await runCommand(commands, program, ["plan"]);
    return await runCommand(commands, program, ["plan"]);
  } finally {
    await stack.remove();
  }
}

interface CommandContext {
  readonly root: string;
  readonly server: Served;
  readonly stack: BenchStack;
}

/** Runs `svc` in the folder of a stack and returns its profile. */
async function runCommand(
  { root, server, stack }: CommandContext,
  program: string,
  args: readonly string[],
): Promise<CpuProfile> {
  const cwd = stack.options.cwd;
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-profile-"));
  const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
  const interval = `--cpu-prof-interval=${samplingMicroseconds}`;
  const child = spawn(process.execPath, [...flags, interval, resolve(root, program), ...args], {
    cwd,
    env: {
      ...process.env,
      SVC_API_URL: server.url,
      SVC_API_KEY: server.apiKey,
      XDG_CACHE_HOME: join(cwd, ".cache"),
      NODE_COMPILE_CACHE: join(cwd, ".cache", "node"),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    const [file] = readdirSync(folder);
    // Earlier versions end a plan that has changes with 2.
    if ((code !== 0 && code !== 2) || file === undefined)
      throw new Error(`${args.join(" ")} ended with ${String(code)}: ${errors}`);
    return JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function printTop(title: string, profile: CpuProfile): void {
  const top = topFunctions(profile, shown);
  const all = topFunctions(profile, Infinity).reduce(
    (sum, { microseconds }) => sum + microseconds,
    0,
  );
  printTable(`${title}: ${formatMs(all / 1000)}, and the ${shown} functions with most of it`, [
    ["", "time", "share"],
    ...top.map(({ name, microseconds, share }) => [
      name,
      formatMs(microseconds / 1000),
      percent(share),
    ]),
  ]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
