// How long the command line and a server take to start, against a bare start of Node.js.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { embedGroup } from "../resources/embed-group.ts";
import { report, time, times } from "./report.ts";
import { median, ratio, rounds } from "./rounds.ts";
import { serve, type Served } from "./server.ts";

const cli = join(import.meta.dirname, "..", "cli", "main.ts");
const provider = join(import.meta.dirname, "..", "dist", "terraform", "provider.cjs");
const plugin = join(import.meta.dirname, "..", "dist", "pulumi", "plugin", "plugin.cjs");
const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const count = 9;

/** Runs them in turn. */
export async function startBench(): Promise<void> {
  const took = await rounds(count, {
    bare: () => run(["-e", "0"]),
    help: () => run([cli, "--help"]),
    explain: () => run([cli, "explain", embedGroup.name]),
    serve: untilReady,
    terraform: () => untilSpoken(provider, { TF_PLUGIN_MAGIC_COOKIE: cookie }),
    pulumi: () => untilSpoken(plugin, {}),
  });
  const row = (name: string, of: readonly number[]): readonly string[] => [
    name,
    time(median(of)),
    times(ratio(of, took.bare)),
  ];
  report(`Start-up, from the sources, ${count} rounds`, [
    ["", "median", "to bare"],
    row("node -e 0", took.bare),
    row("svc --help", took.help),
    row("svc explain KIND", took.explain),
    row("svc serve with a fresh store, until it answers", took.serve),
    row("the Terraform provider, built, until its handshake", took.terraform),
    row("the Pulumi plugin, built, until its port", took.pulumi),
  ]);
}

async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
}

/** Stopping is not counted. */
async function untilReady(): Promise<number> {
  const from = performance.now();
  const server: Served = await serve();
  const took = performance.now() - from;
  await server.stop();
  return took;
}

/** A bundle as its engine starts it, until its first line. */
async function untilSpoken(
  bundle: string,
  more: Readonly<Record<string, string>>,
): Promise<number> {
  const from = performance.now();
  const env = { ...process.env, ...more };
  const child = spawn(process.execPath, [bundle], { stdio: ["ignore", "pipe", "ignore"], env });
  await once(child.stdout, "data");
  const took = performance.now() - from;
  child.kill();
  await once(child, "exit");
  return took;
}
