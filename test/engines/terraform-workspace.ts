// Runs real Terraform or OpenTofu in temporary folders, with a provider that is built once.
import { execFile, execFileSync, type ExecFileException } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { findEngine } from "../../scripts/build-engines.ts";
import { terraformType } from "../../core/text/naming.ts";
import { resourceBody } from "../../scripts/hcl.ts";
import { kindNamed } from "../conformance/registry-cases.ts";
import { builtFolder } from "../support/built-folder.ts";
import { runsAllCases } from "../support/sampling.ts";
import { installPlugin } from "../support/svc-program.ts";
import type { Doc } from "../support/test-stack.ts";
import { startAttachedProvider } from "./attached-provider.ts";

/** An installed engine. */
export interface Engine {
  readonly name: string;
  readonly binary: string;
  /** The host name of its registry. */
  readonly registry: string;
}

const registries = { terraform: "registry.terraform.io", tofu: "registry.opentofu.org" } as const;

/** Finds the engine on PATH or in the build cache; undefined if there is none. */
export function engineNamed(name: keyof typeof registries): Engine | undefined {
  const binary = findEngine(name);
  return binary === undefined ? undefined : { name, binary, registry: registries[name] };
}

/** Returns true if the engine is version 1.`minor` or newer. */
export function isAtLeast(binary: string, minor: number): boolean {
  const { terraform_version: version } = JSON.parse(
    execFileSync(binary, ["version", "-json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as { terraform_version: string };
  const [major = 0, actual = 0] = version.split(".").map(Number);
  return major > 1 || actual >= minor;
}

/**
 * Declares tests with the first installed engine, or with every engine if `SVC_TEST_ENGINES` is `all`, as in
 * `npm run test:engines`. Skips the tests if no engine is installed.
 */
export function describeWithEngines(title: string, tests: (engine: Engine) => void): void {
  const names = ["terraform", "tofu"] as const;
  const first = names.find((name) => engineNamed(name) !== undefined) ?? "terraform";
  for (const name of process.env["SVC_TEST_ENGINES"] === "all" ? names : [first]) {
    const engine = engineNamed(name);
    describe.skipIf(engine === undefined)(`${title} with ${name}`, { timeout: 120_000 }, () =>
      tests(engine ?? { name, binary: name, registry: registries[name] }),
    );
  }
}

/** The result of a command. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** A folder with a configuration and its state. */
export interface Workspace {
  readonly folder: string;
  /** The current configuration. */
  readonly text: string;
  /** Replaces the configuration. */
  write(configuration: JsonObject): Promise<void>;
  run(...args: readonly string[]): Promise<CommandResult>;
  /** Starts a command that can be interrupted. */
  start(...args: readonly string[]): { readonly ended: Promise<CommandResult>; interrupt(): void };
  /** Returns everything that the engine wrote to the folder, as text. */
  allText(): Promise<string>;
  dispose(): Promise<void>;
}

/** Returns a plugin folder, which is also a mirror, with the provider of the package; all workspaces share it. */
function pluginFolder(): Promise<string> {
  return builtFolder("terraform-plugins", (folder) => installPlugin("terraform", folder));
}

/** Returns the folder with the installed provider. */
export async function installedProvider(): Promise<string> {
  const platform = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  return join(await pluginFolder(), registries.terraform, "svc", "svc", "0.1.0", platform);
}

/** The provider options of a workspace. */
export interface WorkspaceOptions {
  /**
   * The engine starts the provider of the package, as for users. By default, it attaches to a provider in this process.
   */
  readonly startsProvider?: boolean;
}

/** Creates a workspace for an engine. `env` adds environment variables. */
export async function makeWorkspace(
  engine: Engine,
  env: Readonly<Record<string, string>>,
  { startsProvider = runsAllCases }: WorkspaceOptions = {},
): Promise<Workspace> {
  const provider = startsProvider ? undefined : await startAttachedProvider(env);
  const folder = mkdtempSync(join(tmpdir(), "svc-workspace-"));
  const configuration = join(folder, "cli.tfrc");
  const mirrored = JSON.stringify(await pluginFolder());
  await writeFile(
    configuration,
    `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = ${mirrored}\n  }\n}\n`,
  );
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    SVC_NODE: process.execPath,
    TF_CLI_CONFIG_FILE: configuration,
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    ...(provider && { TF_REATTACH_PROVIDERS: provider.reattach }),
    ...env,
  };
  const start: Workspace["start"] = (...args) => {
    const options = { cwd: folder, env: environment, maxBuffer: 1 << 26 };
    let interrupt = (): void => undefined;
    const ended = new Promise<CommandResult>((done) => {
      const child = execFile(engine.binary, [...args], options, (error, stdout, stderr) =>
        done({ code: exitCodeOf(error), output: `${stdout}${stderr}` }),
      );
      interrupt = () => void child.kill("SIGINT");
    });
    return { ended, interrupt: () => interrupt() };
  };
  let text = "";
  return {
    folder,
    get text() {
      return text;
    },
    write: async (given) => {
      text = JSON.stringify(given, undefined, 2);
      await writeFile(join(folder, "main.tf.json"), text);
    },
    run: (...args) =>
      start(...args, ...(commandsWithColor.has(args[0] ?? "") ? ["-no-color"] : [])).ended,
    start,
    allText: async () => {
      const names = await readdir(folder);
      const files = names.filter((name) => /tfstate|\.plan$|\.log$/.test(name));
      const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "latin1")));
      return texts.join("\n");
    },
    dispose: async () => {
      await provider?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const commandsWithColor = new Set([
  "init",
  "validate",
  "plan",
  "apply",
  "destroy",
  "import",
  "show",
  "refresh",
]);

function exitCodeOf(error: ExecFileException | null): number {
  if (error === null) return 0;
  return typeof error.code === "number" ? error.code : 1;
}

/** Returns a configuration with the provider requirements and more blocks. */
export function providerConfiguration(more: JsonObject = {}): JsonObject {
  return {
    terraform: { required_providers: { svc: { source: "svc/svc", version: "0.1.0" } } },
    ...more,
  };
}

/** Returns the configuration of documents. References between them become references between resources. */
export function configurationFor(documents: readonly Doc[]): JsonObject {
  const resources: Record<string, Record<string, JsonObject>> = {};
  for (const doc of documents) {
    const type = terraformType(doc.kind);
    const body = { ...resourceBody(doc, documents), ...afterImplied(doc, documents) };
    resources[type] = { ...resources[type], [doc.name]: body };
  }
  return documents.length === 0
    ? providerConfiguration()
    : providerConfiguration({ resource: resources });
}

/** Orders a resource after the one that its create would also create, such as a recipient after its external user. */
function afterImplied(doc: Doc, documents: readonly Doc[]): JsonObject {
  const implied = impliedBy(doc, documents);
  return implied === undefined
    ? {}
    : { depends_on: [`${terraformType(implied.kind)}.${implied.name}`] };
}

/** Returns the document of the object that a document's create would also create. */
export function impliedBy(doc: Doc, documents: readonly Doc[]): Doc | undefined {
  const implied = kindNamed(doc.kind).createsImplicitly;
  return documents.find(
    (other) =>
      other.kind === implied?.kind &&
      implied.key.every((name) => other.spec[name] === doc.spec[name]),
  );
}
