// Measures how long the plugins and a server take to start, and the processor time of commands, against a bare start of
// Node.js.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client, credentials } from "@grpc/grpc-js";
import { selfSigned } from "../provider/terraform/wire/certificate.ts";
import { embedGroup } from "../resources/embed-group.ts";
import { userGroup } from "../resources/user-group.ts";
import { type BuiltPackage, buildPackage } from "./built-package.ts";
import { printTable, formatMs, formatFactor } from "./report.ts";
import { median, medianRatio, interleavedRounds } from "./interleaved-rounds.ts";
import { serve, type Served } from "./server.ts";

const cpuHook = join(import.meta.dirname, "cpu-at-exit.cjs");
const cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
const count = 9;

/** The first requests of both engines. */
const terraformSchema = "/tfplugin6.Provider/GetProviderSchema";
const pulumiInfo = "/pulumirpc.ResourceProvider/GetPluginInfo";

/** Runs them in turn. */
export async function startBench(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "svc-bench-"));
  // The engine sends its certificate, and the provider answers with another one.
  const built = buildPackage();
  const handshake = {
    TF_PLUGIN_MAGIC_COOKIE: cookie,
    PLUGIN_CLIENT_CERT: selfSigned("localhost").pem,
  };
  try {
    await measureStart(built, home, handshake);
  } finally {
    built.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureStart(
  built: BuiltPackage,
  home: string,
  handshake: Readonly<Record<string, string>>,
): Promise<void> {
  await measureCommands(built, home);
  const own = selfSigned("localhost");
  const took = await interleavedRounds(count, {
    bare: () => runBare("0"),
    secure: () => runBare(secureServer, { KEY: own.key, CERT: own.pem }),
    serve: timeToReady,
    terraform: () => timeToHandshake(built.provider, home, handshake),
    pulumi: () => timeToHandshake(built.plugin, home, {}),
    terraformAnswer: () => timeToAnswer(built.provider, home, terraformSchema),
    pulumiAnswer: () => timeToAnswer(built.plugin, home, pulumiInfo),
  });
  const row = rowsAgainst(took.bare);
  printTable(`Start-up, built, ${count} rounds`, [
    ["", "median", "best", "to bare"],
    row("node -e 0", took.bare),
    row("node -e that serves HTTP/2 over TLS, as Terraform requires", took.secure),
    row("svc serve from its sources with a fresh store, until it answers", took.serve),
    row("the Terraform provider, until its handshake", took.terraform),
    row("the Pulumi plugin, until its port", took.pulumi),
    row("the Terraform provider, until it has sent its schema", took.terraformAnswer),
    row("the Pulumi plugin, until its first answer", took.pulumiAnswer),
  ]);
}

/** Measures CPU time, which other processes on the machine do not change much. */
async function measureCommands({ cli }: BuiltPackage, home: string): Promise<void> {
  const server = await serve();
  try {
    const folder = writeStack(home);
    const env = { SVC_API_URL: server.url, SVC_API_KEY: server.apiKey, XDG_CACHE_HOME: home };
    const cpuOf = (...args: readonly string[]) => cpuTime(args, { folder, env });
    const took = await interleavedRounds(count, {
      bare: () => cpuOf("-e", "0"),
      help: () => cpuOf(cli, "--help"),
      planHelp: () => cpuOf(cli, "plan", "--help"),
      areaHelp: () => cpuOf(cli, "branches", "--help"),
      explain: () => cpuOf(cli, "explain", embedGroup.name),
      lint: () => cpuOf(cli, "lint"),
      plan: () => cpuOf(cli, "plan"),
    });
    const row = rowsAgainst(took.bare);
    printTable(`CPU of commands, built, ${count} rounds`, [
      ["", "median", "best", "to bare"],
      row("node -e 0", took.bare),
      row("svc --help", took.help),
      row("svc plan --help", took.planHelp),
      row("svc branches --help", took.areaHelp),
      row("svc explain KIND", took.explain),
      row("svc lint of one document", took.lint),
      row("svc plan of one document", took.plan),
    ]);
  } finally {
    await server.stop();
  }
}

function rowsAgainst(bare: readonly number[]) {
  return (name: string, of: readonly number[]): readonly string[] => [
    name,
    formatMs(median(of)),
    formatMs(Math.min(...of)),
    formatFactor(medianRatio(of, bare)),
  ];
}

function writeStack(home: string): string {
  const folder = join(home, "stack");
  mkdirSync(folder);
  const document = (kind: string, spec: string): string =>
    `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: one }\nspec: ${spec}\n`;
  writeFileSync(join(folder, "stack.yaml"), document("Stack", "{}"));
  writeFileSync(join(folder, "group.yaml"), document(userGroup.name, "{ name: analysts }"));
  return folder;
}

/** Returns the user and system CPU time of a run of Node.js, in milliseconds. */
async function cpuTime(
  args: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): Promise<number> {
  const child = spawn(process.execPath, ["--require", cpuHook, ...args], {
    cwd: folder,
    // Settings of this machine, such as more certificates to load, must not count.
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  const found = /CPU (?<ms>[\d.]+)$/mu.exec(output);
  if (code !== 0 || found === null)
    throw new Error(`${args.join(" ")} ended with ${code}: ${output}`);
  return Number(found.groups?.["ms"]);
}

/** Listens as the provider does, with an existing certificate and without code of this repository, and ends. */
const secureServer = `
  const { KEY: key, CERT: cert } = process.env;
  const server = require("http2").createSecureServer({ key, cert, ca: cert, requestCert: true });
  server.listen(0, "127.0.0.1", () => process.exit());
`;

async function runBare(
  program: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { PATH: process.env["PATH"], ...more };
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore", env });
  await once(child, "exit");
}

/** Stopping is not counted. */
async function timeToReady(): Promise<number> {
  const from = performance.now();
  const server: Served = await serve();
  const took = performance.now() - from;
  await server.stop();
  return took;
}

/** How an engine starts a plug-in. */
interface PluginStart {
  readonly launcher: string;
  readonly home: string;
  readonly more: Readonly<Record<string, string>>;
}

/** A plug-in as its engine starts it, by its launcher, until its first line; what Node compiles is kept from round to round. */
async function timeToHandshake(
  launcher: string,
  home: string,
  more: Readonly<Record<string, string>>,
): Promise<number> {
  return timePlugin({ launcher, home, more }, () => Promise.resolve());
}

/** The same, without TLS, until it has answered one request without fields. */
async function timeToAnswer(launcher: string, home: string, path: string): Promise<number> {
  const more = { TF_PLUGIN_MAGIC_COOKIE: cookie };
  return timePlugin({ launcher, home, more }, async (line) => {
    const socket = line.split("|")[3];
    const address = socket === undefined ? `127.0.0.1:${line.trim()}` : `unix:${socket}`;
    const client = new Client(address, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
    });
    const asIs = (bytes: Buffer): Buffer => bytes;
    await new Promise<void>((resolve, reject) =>
      client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
    client.close();
  });
}

/** Returns the time until `work` is done, which gets the first line. */
async function timePlugin(
  { launcher, home, more }: PluginStart,
  work: (line: string) => Promise<void>,
): Promise<number> {
  const from = performance.now();
  const env = { PATH: process.env["PATH"], HOME: home, SVC_NODE: process.execPath, ...more };
  const child = spawn(launcher, [], { stdio: ["ignore", "pipe", "ignore"], env });
  const [line] = await once(child.stdout, "data");
  await work(String(line));
  const took = performance.now() - from;
  child.kill();
  await once(child, "exit");
  return took;
}
