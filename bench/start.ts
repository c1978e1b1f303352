// How long the command line and a server take to start, against a bare start of Node.js.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "../provider/terraform/wire/certificate.ts";
import { embedGroup } from "../resources/embed-group.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { serve, type Served } from "./server.ts";

const cli = join(import.meta.dirname, "..", "cli", "main.ts");
const dist = join(import.meta.dirname, "..", "dist");
const provider = join(dist, "terraform", "terraform-provider-svc");
const plugin = join(dist, "pulumi", "plugin", "pulumi-resource-svc");
const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const count = 9;

/** Runs them in turn. */
export async function startBench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "svc-bench-"));
  // The engine's own certificate comes with it, which the provider answers with one of its own.
  const asked = { TF_PLUGIN_MAGIC_COOKIE: cookie, PLUGIN_CLIENT_CERT: selfSigned("localhost").pem };
  try {
    await measureStart(home, asked);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureStart(home: string, asked: Readonly<Record<string, string>>): Promise<void> {
  const took = await interleavedRounds(count, {
    bare: () => run(["-e", "0"]),
    help: () => run([cli, "--help"]),
    explain: () => run([cli, "explain", embedGroup.name]),
    serve: timeToReady,
    terraform: () => timeToHandshake(provider, home, asked),
    pulumi: () => timeToHandshake(plugin, home, {}),
  });
  const row = (name: string, of: readonly number[]): readonly string[] => [
    name,
    formatMs(median(of)),
    formatMs(Math.min(...of)),
    formatFactor(medianRatio(of, took.bare)),
  ];
  printTable(`Start-up, from the sources, ${count} rounds`, [
    ["", "median", "best", "to bare"],
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
async function timeToReady(): Promise<number> {
  const from = performance.now();
  const server: Served = await serve();
  const took = performance.now() - from;
  await server.stop();
  return took;
}

/** A plug-in as its engine starts it, by its launcher, until its first line; what Node compiles is kept from round to round. */
async function timeToHandshake(
  launcher: string,
  home: string,
  more: Readonly<Record<string, string>>,
): Promise<number> {
  const from = performance.now();
  const env = { PATH: process.env["PATH"], HOME: home, SVC_NODE: process.execPath, ...more };
  const child = spawn(launcher, [], { stdio: ["ignore", "pipe", "ignore"], env });
  await once(child.stdout, "data");
  const took = performance.now() - from;
  child.kill();
  await once(child, "exit");
  return took;
}
