// `npm run check [-- NAME... | --skip NAME...]`: runs the checks other than the tests. Prints one line per check and the output of failed ones.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Check {
  readonly name: string;
  readonly remedy: string;
  readonly command: readonly [string, ...string[]];
  /** Most CPU time, as a multiple of the time of {@link computeFixed} in the same run: machines differ in speed. */
  readonly cpuRatio?: number;
}

/** A check that takes longer fails. The slowest takes less than a minute on two cores. */
const limitMs = 6 * 60_000;

const root = join(import.meta.dirname, "..");
const bin = (tool: string): string => join(root, "node_modules", ".bin", tool);

const checks: readonly Check[] = [
  { name: "format", remedy: "Run npx oxfmt.", command: [bin("oxfmt"), "--check"] },
  { name: "lint", remedy: "Run npx oxlint --fix.", command: [bin("oxlint")] },
  {
    name: "types",
    remedy: "Fix the type errors.",
    // Each checker computes most types of its own.
    command: [bin("tsc"), "--noEmit", "-p", ".", "--checkers", "2"],
    // One and a half times the usual time.
    cpuRatio: 120,
  },
  {
    name: "types-web",
    remedy: "Fix the type errors.",
    command: [bin("tsc"), "--noEmit", "-p", "web"],
  },
  {
    name: "generated",
    remedy: "Run npm run generate.",
    command: [process.execPath, "scripts/generate.ts", "--check"],
  },
  { name: "unused", remedy: "Remove the unused code.", command: [bin("knip")] },
  {
    name: "tidy",
    remedy: "See CONTRIBUTING.md.",
    command: [bin("vitest"), "run", "--configLoader=native", "--reporter=default", "test/tidy"],
  },
  growthCheck("reconciler"),
  growthCheck("service"),
  {
    name: "bundle",
    remedy: "Run npm run build.",
    command: [process.execPath, "scripts/build.mjs"],
  },
];

/** Returns the check that fails if a step of a part grows faster than its input. */
function growthCheck(part: string): Check {
  return {
    name: `growth-${part}`,
    remedy: "Make the step linear in its input; see bench/README.md.",
    command: [process.execPath, "--expose-gc", `bench/growth-${part}.ts`],
  };
}

/** Returns the CPU time of the ended child processes in seconds; undefined if the system has no file that shows it. */
function childrenCpuSeconds(): number | undefined {
  const file = "/proc/self/stat";
  if (!existsSync(file)) return undefined;
  // The name of the program, which may contain spaces, ends with the last parenthesis. The unit is a hundredth of a second.
  const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Computes something that never changes. Returns its CPU time in seconds, which shows how fast the machine is now. */
function computeFixed(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let at = 0; at < 1e8; at++) sum = (sum * 31 + at) | 0;
  const { user, system } = process.cpuUsage(before);
  if (sum !== -1_206_259_584) throw new Error("the fixed computation went wrong");
  return (user + system) / 1e6;
}

/** Returns the error for the CPU time of a check; undefined if there is none. */
function tooSlow({ cpuRatio }: Check, before: number | undefined): string | undefined {
  const after = childrenCpuSeconds();
  if (cpuRatio === undefined || before === undefined || after === undefined) return undefined;
  const took = after - before;
  const most = cpuRatio * computeFixed();
  if (took <= most) return undefined;
  return `it took ${took.toFixed(1)} s of CPU time, more than ${most.toFixed(1)} s\n`;
}

function run(check: Check): boolean {
  const [command, ...args] = check.command;
  const started = performance.now();
  const before = childrenCpuSeconds();
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const slow = tooSlow(check, before);
  const ok = result.status === 0 && slow === undefined;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (!ok)
    console.log(`\n${result.stdout}${result.stderr}${result.error?.message ?? ""}${slow ?? ""}`);
  console.log(
    `${ok ? "ok    " : "FAILED"} ${check.name} (${seconds} s)${ok ? "" : `: ${check.remedy}`}`,
  );
  return ok;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: "string" }, skip: { type: "string", multiple: true, default: [] } },
});
const named = [...positionals, ...values.skip];
const unknown = named.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(
    `unknown check: ${unknown.join(", ")}; known: ${checks.map((c) => c.name).join(", ")}`,
  );
  process.exit(2);
}
const chosen = checks.filter(
  ({ name }) =>
    !values.skip.includes(name) && (positionals.length === 0 || positionals.includes(name)),
);
const failed = chosen.filter((check) => !run(check)).length;
if (values.report !== undefined) {
  writeFileSync(values.report, JSON.stringify({ passed: chosen.length - failed, failed }));
}
process.exitCode = failed > 0 ? 1 : 0;
