// Implements the engine interface of the tests with Pulumi's Automation API: programs run in this process, state is in a folder.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  type EngineEvent,
  LocalWorkspace,
  type OutputMap,
  PulumiCommand,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { isObject } from "../../../core/json.ts";
import {
  type PropertyMap,
  type PropertyValue,
  SecretValue,
} from "../../../provider/pulumi/property-values.ts";
import type { Engine, StackResource, RunResult, Step } from "./engine.ts";
import type { Installation } from "./installation.ts";
import { pulumiBinary, commandEnvironment } from "./pulumi-cli.ts";
import { kindOf } from "./urns.ts";

/** Names of the engine's steps in tests; the engine's internal steps have none. */
const stepOps: Readonly<Record<string, Step["op"]>> = {
  create: "create",
  update: "update",
  same: "same",
  delete: "delete",
  read: "read",
  import: "import",
  "create-replacement": "replace",
  "delete-replaced": "delete",
};

interface RunOptions {
  readonly color: "never";
  readonly signal: AbortSignal;
  readonly onEvent: (event: EngineEvent) => void;
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
}

/** Opens an empty stack in its own folder below the installation. */
export async function openPulumiEngine(
  installed: Installation,
  config: PropertyMap,
): Promise<Engine> {
  const folder = await mkdtemp(join(installed.folder, "stack-"));
  const own = { ...installed, folder };
  await mkdir(join(folder, "bin"));
  await symlink(pulumiBinary(), join(folder, "bin", "pulumi"));
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "dev", projectName: "test", program: async () => undefined },
    {
      workDir: folder,
      pulumiHome: installed.home,
      pulumiCommand: await PulumiCommand.get({ root: folder }),
      secretsProvider: "passphrase",
      envVars: commandEnvironment(own),
      projectSettings: { name: "test", runtime: "nodejs" },
    },
  );
  const settings = Object.entries(config).map(([name, value]) => {
    const secret = value instanceof SecretValue;
    const open = secret ? value.reveal() : value;
    const text = typeof open === "string" ? open : JSON.stringify(open);
    return [`svc:${name}`, { value: text, secret }] as const;
  });
  await stack.setAllConfig(Object.fromEntries(settings));
  return new PulumiEngine(stack, folder);
}

class PulumiEngine implements Engine {
  readonly #stack: Stack;
  readonly #folder: string;
  readonly #log: string[] = [];

  constructor(stack: Stack, folder: string) {
    this.#stack = stack;
    this.#folder = folder;
  }

  preview: Engine["preview"] = (program) =>
    this.#run(async (options) => void (await this.#stack.preview({ ...options, program })));

  up: Engine["up"] = (program, { cancelAfter = Infinity } = {}) =>
    this.#run(
      async (options) => outputsOf((await this.#stack.up({ ...options, program })).outputs),
      { cancelAfter },
    );

  refresh: Engine["refresh"] = () =>
    this.#run(async (options) => void (await this.#stack.refresh(options)), { timing: "after" });

  destroy: Engine["destroy"] = () =>
    this.#run(async (options) => void (await this.#stack.destroy(options)));

  /** Imports have no events: steps are read from state, warnings from the output. */
  import: Engine["import"] = async (those) => {
    const before = new Set((await this.resources()).map(({ urn }) => urn));
    const resources = those.map(({ type, name, id }) => ({ type, name, id }));
    const printed = this.#log.length;
    const ran = await this.#run(async ({ color, onOutput }) => {
      const settings = { color, onOutput, protect: false, generateCode: false };
      await this.#stack.import({ ...settings, resources });
    });
    const added = (await this.resources()).filter(({ urn }) => !before.has(urn));
    const output = this.#log.slice(printed).join("").split("\n");
    const warnings = output.filter((line) => line.includes("warning:"));
    return { ...ran, warnings, steps: added.map((one) => ({ op: "import", ...kindOf(one) })) };
  };

  async resources(): Promise<readonly StackResource[]> {
    const { deployment } = await this.#stack.exportStack();
    const { resources = [] } = deployment as { readonly resources?: readonly ExportedResource[] };
    return resources.filter(({ type }) => type.startsWith("svc:")).map(stackResource);
  }

  async allText(): Promise<string> {
    const files = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((one) => one.isFile() && one.name !== "pulumi")
      .map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8"));
    return [...(await Promise.all(texts)), ...this.#log].join("\n");
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async #run(
    work: (options: RunOptions) => Promise<PropertyMap | void>,
    {
      cancelAfter = Infinity,
      timing = "before",
    }: { cancelAfter?: number; timing?: StepTiming } = {},
  ): Promise<RunResult> {
    const stopping = new AbortController();
    const heard = new EventCollector(timing);
    const say = (text: string): void => void this.#log.push(text);
    const onEvent = (event: EngineEvent): void => {
      // The engine's debug events contain secrets in plain text; only --debug prints them.
      const severity: string | undefined = event.diagnosticEvent?.severity;
      if (severity !== "debug") say(JSON.stringify(event));
      heard.add(event);
      if (heard.steps.length > cancelAfter) stopping.abort();
    };
    const failed: string[] = [];
    const outputs = await work({
      color: "never",
      signal: stopping.signal,
      onEvent,
      onOutput: say,
      onError: say,
    }).catch((error: unknown) => void failed.push(String(error)));
    failed.forEach(say);
    const errors = [...heard.errors, ...failed];
    return {
      steps: heard.steps,
      warnings: heard.warnings,
      errors,
      outputs: outputs ?? heard.outputs,
    };
  }
}

/** Whether steps are recorded when they start or, as in a refresh, when they end. */
type StepTiming = "before" | "after";

/** Collects the events of one run. */
class EventCollector {
  readonly steps: Step[] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  /** Outputs of the program, as far as a preview knows them. */
  outputs: PropertyMap = {};
  readonly #timing: StepTiming;

  constructor(timing: StepTiming) {
    this.#timing = timing;
  }

  add({ resourcePreEvent, resOutputsEvent, diagnosticEvent }: EngineEvent): void {
    if (diagnosticEvent?.severity === "error")
      this.errors.push(withoutColorMarks(diagnosticEvent.message));
    if (diagnosticEvent?.severity === "warning")
      this.warnings.push(withoutColorMarks(diagnosticEvent.message));
    const after = resOutputsEvent?.metadata;
    if (after?.type === "pulumi:pulumi:Stack")
      this.outputs = decodeSecrets(after.new?.outputs ?? {});
    const metadata = this.#timing === "before" ? resourcePreEvent?.metadata : after;
    const op = stepOps[metadata?.op ?? ""];
    if (metadata === undefined || op === undefined || op === "same") return;
    if (!metadata.type.startsWith("svc:") || (metadata.new ?? metadata.old)?.custom !== true)
      return;
    const changes = Object.entries(metadata.detailedDiff ?? {});
    const detailed = changes.map(([at, { diffKind }]): [string, string] => [
      at,
      diffKind.toUpperCase().replace("-", "_"),
    ]);
    const name = metadata.urn.slice(metadata.urn.lastIndexOf("::") + 2);
    this.steps.push({
      op,
      ...kindOf({ type: metadata.type, name }),
      ...(detailed.length > 0 && { detailed: Object.fromEntries(detailed) }),
    });
  }
}

/** Removes the engine's color marks. */
function withoutColorMarks(text: string): string {
  return text.replaceAll(/<\{%[^%]*%\}>/g, "").trim();
}

function outputsOf(outputs: OutputMap): PropertyMap {
  const values = Object.entries(outputs).map(([name, { value, secret }]) => [
    name,
    secret ? new SecretValue(value as PropertyValue) : (value as PropertyValue),
  ]);
  return Object.fromEntries(values) as PropertyMap;
}

/** A resource in `pulumi stack export`. */
interface ExportedResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly custom: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly string[];
  readonly propertyDependencies?: Readonly<Record<string, readonly string[] | null>>;
}

function stackResource({ urn, type, id = "", custom, ...one }: ExportedResource): StackResource {
  const through = Object.entries(one.propertyDependencies ?? {});
  return {
    urn,
    type,
    id,
    custom,
    name: urn.slice(urn.lastIndexOf("::") + 2),
    inputs: decodeSecrets(one.inputs ?? {}),
    state: decodeSecrets(one.outputs ?? {}),
    dependencies: one.dependencies ?? [],
    propertyDependencies: Object.fromEntries(through.map(([name, urns]) => [name, urns ?? []])),
  };
}

const secretMark = "4dabf18193072939515e22adb298388d";

/** Decodes exported properties, with secrets marked. */
function decodeSecrets(map: Readonly<Record<string, unknown>>): PropertyMap {
  const value = (one: unknown): PropertyValue => {
    if (Array.isArray(one)) return one.map(value);
    if (!isObject(one)) return one as PropertyValue;
    if (!Object.hasOwn(one, secretMark)) return decodeSecrets(one);
    const { plaintext } = one;
    return new SecretValue(typeof plaintext === "string" ? value(JSON.parse(plaintext)) : null);
  };
  const found = Object.entries(map).map(([name, one]) => [name, value(one)]);
  return Object.fromEntries(found) as PropertyMap;
}
