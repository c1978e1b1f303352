// Pulumi's own engine behind the interface of the tests, by its Automation API: programs run in this process, state lies in a folder.
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
import { type PropertyMap, type PropertyValue, Sealed } from "../../../provider/pulumi/values.ts";
import type { Engine, Kept, Ran, Step } from "./engines.ts";
import type { Installed } from "./installed.ts";
import { binaryOf, environmentOf } from "./real.ts";
import { kindOf } from "./urns.ts";

/** What the tests call the steps of the engine; those of its own book-keeping have no name. */
const ops: Readonly<Record<string, Step["op"]>> = {
  create: "create",
  update: "update",
  same: "same",
  delete: "delete",
  read: "read",
  import: "import",
  "create-replacement": "replace",
  "delete-replaced": "delete",
};

interface Options {
  readonly color: "never";
  readonly signal: AbortSignal;
  readonly onEvent: (event: EngineEvent) => void;
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
}

/** Opens an empty stack in a folder of its own below that of the installed plugin. */
export async function openReal(installed: Installed, config: PropertyMap): Promise<Engine> {
  const folder = await mkdtemp(join(installed.folder, "stack-"));
  const own = { ...installed, folder };
  await mkdir(join(folder, "bin"));
  await symlink(binaryOf(), join(folder, "bin", "pulumi"));
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "dev", projectName: "test", program: async () => undefined },
    {
      workDir: folder,
      pulumiHome: installed.home,
      pulumiCommand: await PulumiCommand.get({ root: folder }),
      secretsProvider: "passphrase",
      envVars: environmentOf(own),
      projectSettings: { name: "test", runtime: "nodejs" },
    },
  );
  const settings = Object.entries(config).map(([name, value]) => {
    const secret = value instanceof Sealed;
    const open = secret ? value.reveal() : value;
    const text = typeof open === "string" ? open : JSON.stringify(open);
    return [`svc:${name}`, { value: text, secret }] as const;
  });
  await stack.setAllConfig(Object.fromEntries(settings));
  return new Real(stack, folder);
}

class Real implements Engine {
  readonly #stack: Stack;
  readonly #folder: string;
  readonly #said: string[] = [];

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
    this.#run(async (options) => void (await this.#stack.refresh(options)), { tells: "after" });

  destroy: Engine["destroy"] = () =>
    this.#run(async (options) => void (await this.#stack.destroy(options)));

  /** There are no events of an import: what it did is seen by what state tells of. */
  import: Engine["import"] = async (those) => {
    const before = new Set((await this.kept()).map(({ urn }) => urn));
    const resources = those.map(({ type, name, id }) => ({ type, name, id }));
    const ran = await this.#run(async ({ color, onOutput }) => {
      const settings = { color, onOutput, protect: false, generateCode: false };
      await this.#stack.import({ ...settings, resources });
    });
    const added = (await this.kept()).filter(({ urn }) => !before.has(urn));
    return { ...ran, steps: added.map((one) => ({ op: "import", ...kindOf(one) })) };
  };

  async kept(): Promise<readonly Kept[]> {
    const { deployment } = await this.#stack.exportStack();
    const { resources = [] } = deployment as { readonly resources?: readonly Exported[] };
    return resources.filter(({ type }) => type.startsWith("svc:")).map(keptOf);
  }

  async everything(): Promise<string> {
    const files = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((one) => one.isFile() && one.name !== "pulumi")
      .map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8"));
    return [...(await Promise.all(texts)), ...this.#said].join("\n");
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async #run(
    work: (options: Options) => Promise<PropertyMap | void>,
    { cancelAfter = Infinity, tells = "before" }: { cancelAfter?: number; tells?: Told } = {},
  ): Promise<Ran> {
    const stopping = new AbortController();
    const heard = new Heard(tells);
    const say = (text: string): void => void this.#said.push(text);
    const onEvent = (event: EngineEvent): void => {
      say(JSON.stringify(event));
      heard.take(event);
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
    return { steps: heard.steps, warnings: heard.warnings, errors, outputs: outputs ?? heard.root };
  }
}

/** Whether steps are known when they begin, or by what they came to, as those of a refresh. */
type Told = "before" | "after";

/** What the events of one run say. */
class Heard {
  readonly steps: Step[] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  /** The outputs of the program, as far as a preview knows them. */
  root: PropertyMap = {};
  readonly #tells: Told;

  constructor(tells: Told) {
    this.#tells = tells;
  }

  take({ resourcePreEvent, resOutputsEvent, diagnosticEvent }: EngineEvent): void {
    if (diagnosticEvent?.severity === "error") this.errors.push(plain(diagnosticEvent.message));
    if (diagnosticEvent?.severity === "warning") this.warnings.push(plain(diagnosticEvent.message));
    const after = resOutputsEvent?.metadata;
    if (after?.type === "pulumi:pulumi:Stack") this.root = revived(after.new?.outputs ?? {});
    const told = this.#tells === "before" ? resourcePreEvent?.metadata : after;
    const op = ops[told?.op ?? ""];
    if (told === undefined || op === undefined || op === "same") return;
    if (!told.type.startsWith("svc:") || (told.new ?? told.old)?.custom !== true) return;
    const changes = Object.entries(told.detailedDiff ?? {});
    const detailed = changes.map(([at, { diffKind }]): [string, string] => [
      at,
      diffKind.toUpperCase().replace("-", "_"),
    ]);
    const name = told.urn.slice(told.urn.lastIndexOf("::") + 2);
    this.steps.push({
      op,
      ...kindOf({ type: told.type, name }),
      ...(detailed.length > 0 && { detailed: Object.fromEntries(detailed) }),
    });
  }
}

/** Without the engine's marks for colours. */
function plain(text: string): string {
  return text.replaceAll(/<\{%[^%]*%\}>/g, "").trim();
}

function outputsOf(outputs: OutputMap): PropertyMap {
  const values = Object.entries(outputs).map(([name, { value, secret }]) => [
    name,
    secret ? new Sealed(value as PropertyValue) : (value as PropertyValue),
  ]);
  return Object.fromEntries(values) as PropertyMap;
}

/** As `pulumi stack export` says it. */
interface Exported {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly custom: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly string[];
  readonly propertyDependencies?: Readonly<Record<string, readonly string[] | null>>;
}

function keptOf({ urn, type, id = "", custom, ...one }: Exported): Kept {
  const through = Object.entries(one.propertyDependencies ?? {});
  return {
    urn,
    type,
    id,
    custom,
    name: urn.slice(urn.lastIndexOf("::") + 2),
    inputs: revived(one.inputs ?? {}),
    state: revived(one.outputs ?? {}),
    dependencies: one.dependencies ?? [],
    propertyDependencies: Object.fromEntries(through.map(([name, urns]) => [name, urns ?? []])),
  };
}

const secretMark = "4dabf18193072939515e22adb298388d";

/** Exported properties with their secrets sealed. */
function revived(map: Readonly<Record<string, unknown>>): PropertyMap {
  const value = (one: unknown): PropertyValue => {
    if (Array.isArray(one)) return one.map(value);
    if (!isObject(one)) return one as PropertyValue;
    if (!Object.hasOwn(one, secretMark)) return revived(one);
    const { plaintext } = one;
    return new Sealed(typeof plaintext === "string" ? value(JSON.parse(plaintext)) : null);
  };
  const found = Object.entries(map).map(([name, one]) => [name, value(one)]);
  return Object.fromEntries(found) as PropertyMap;
}
