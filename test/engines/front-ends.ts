// Gives the four front ends of the examples one interface for apply and adopt.
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { equal, isObject } from "../../core/json.ts";
import { Secret } from "../../core/secret.ts";
import { SecretValue } from "../../provider/pulumi/property-values.ts";
import { toInputs } from "../../provider/terraform/attribute-values.ts";
import { objectName } from "../../provider/terraform/plan.ts";
import { schemas } from "../../provider/terraform/wire-schema.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { apply } from "../../reconciler/apply.ts";
import { plan } from "../../reconciler/plan.ts";
import { kinds } from "../../resources/index.ts";
import { StandInEngine } from "./pulumi/stand-in-engine.ts";
import { type Engine, makeWorkspace } from "./terraform-workspace.ts";
import { builtPackages } from "../support/svc-program.ts";
import type { TestService } from "../support/test-service.ts";

const root = join(import.meta.dirname, "../..");
const examples = join(root, "examples");

/** A field of a kind, such as `EmbedUser.groups`. */
export type FieldName = string;

/** One front end on one service. */
export interface FrontEnd {
  /** Applies the example. Returns the number of created, changed and deleted objects. */
  apply(): Promise<number>;
  /** Adopts existing objects. Returns the fields that the next apply still writes. */
  adopt(): Promise<readonly FieldName[]>;
  dispose(): Promise<void>;
}

/** Fields that the API never returns. An adoption writes them once, because their value is unknown. */
export const unreadableFields: ReadonlySet<FieldName> = new Set(
  Object.values(schemas.resources).flatMap(({ kind, attributes }) =>
    attributes
      .filter(({ hidden, writeOnly, part }) => hidden || writeOnly || part === "version")
      .map(({ field }) => `${kind}.${field}`),
  ),
);

/** examples/quickstart. */
export async function manifests(service: TestService): Promise<FrontEnd> {
  const stack = mkdtempSync(join(tmpdir(), "svc-quickstart-"));
  cpSync(join(examples, "quickstart"), stack, { recursive: true });
  const options = {
    paths: [stack],
    cwd: stack,
    kinds,
    variables: {},
    grants: noGrants,
    env: { XDG_CONFIG_HOME: stack },
    connection: { url: service.url, credential: new Secret(service.adminKey) },
  };
  const good = <T extends { readonly ok: boolean }>(verdict: T): T & { readonly ok: true } => {
    if (!verdict.ok) throw new Error(JSON.stringify(verdict));
    return verdict as T & { readonly ok: true };
  };
  const open = async () =>
    good(await plan(options)).plan.changes.filter(({ action }) => action !== "none");
  return {
    apply: async () => {
      const count = (await open()).length;
      // As the other front ends do.
      good(await apply({ ...options, onConflict: "overwrite", approve: async () => true }));
      return count;
    },
    adopt: async () => {
      good(await adopt(options));
      return (await open()).flatMap(({ address, fields }) =>
        fields.map(({ field }) => `${address.slice(0, address.indexOf("/"))}.${field}`),
      );
    },
    dispose: async () => rmSync(stack, { recursive: true, force: true }),
  };
}

/** examples/terraform. */
export async function terraform(service: TestService, engine: Engine): Promise<FrontEnd> {
  return terraformFrontEnd(service, engine, (folder) =>
    cpSync(join(examples, "terraform", "main.tf"), join(folder, "main.tf")),
  );
}

/** examples/cdktf, synthesised with the published constructs. */
export async function cdktf(service: TestService, engine: Engine): Promise<FrontEnd> {
  const home = mkdtempSync(join(tmpdir(), "svc-cdk-"));
  const folder = join(home, "cdktf");
  try {
    const modules = join(folder, "node_modules");
    const library = join(modules, "svc-as-code");
    mkdirSync(library, { recursive: true });
    for (const name of ["cdktf", "constructs"]) {
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    cpSync(join(root, "package.json"), join(library, "package.json"));
    const run = promisify(execFile);
    const { client } = await builtPackages();
    cpSync(join(client, "cdk"), join(library, "dist", "cdk"), { recursive: true });
    cpSync(join(examples, "cdktf", "main.ts"), join(folder, "main.ts"));
    cpSync(join(examples, "quickstart"), join(home, "quickstart"), { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    await run(process.execPath, ["main.ts"], { cwd: folder });
    const synthesized = join(folder, "cdktf.out", "stacks", "harbour", "cdk.tf.json");
    const text = readFileSync(synthesized, "utf8");
    return await terraformFrontEnd(service, engine, (own) => {
      const { terraform: settings, ...rest } = JSON.parse(text) as JsonObject;
      const { backend: _, ...kept } = settings as JsonObject;
      writeFileSync(join(own, "main.tf.json"), JSON.stringify({ terraform: kept, ...rest }));
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns the front end of a configuration with real Terraform. */
async function terraformFrontEnd(
  service: TestService,
  engine: Engine,
  write: (folder: string) => void,
): Promise<FrontEnd> {
  const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
  const workspace = await makeWorkspace(engine, env);
  write(workspace.folder);
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, output } = await workspace.run(...args);
    if (code !== 0) throw new Error(output);
    return output;
  };
  await run("init");
  return {
    apply: async () => {
      const count = (await plannedChanges(run)).length;
      await run("apply", "-auto-approve");
      return count;
    },
    adopt: async () => {
      const ids = await importIds(run);
      const file = join(workspace.folder, "imports.tf.json");
      writeFileSync(file, JSON.stringify({ import: ids }));
      const changes = await plannedChanges(run);
      const unexpected = changes.filter(
        ({ change }) => !change.actions.every((one) => /no-op|update/.test(one)),
      );
      if (unexpected.length > 0) throw new Error(unexpected.map(({ address }) => address).join());
      return changes.flatMap(fieldsOf);
    },
    dispose: () => workspace.dispose(),
  };
}

type RunCommand = (...args: readonly string[]) => Promise<string>;

interface ResourceChange {
  readonly address: string;
  readonly type: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly before: JsonObject | null;
    readonly after: JsonObject | null;
    readonly after_unknown: JsonValue;
    readonly importing?: object;
  };
}

interface ConfiguredResource {
  readonly address: string;
  readonly expressions?: Readonly<Record<string, { readonly references?: readonly string[] }>>;
}

interface SavedPlan {
  readonly resource_changes?: readonly ResourceChange[];
  readonly configuration: {
    readonly root_module: { readonly resources?: readonly ConfiguredResource[] };
  };
}

async function planOf(run: RunCommand): Promise<SavedPlan> {
  await run("plan", "-out=saved.plan");
  return JSON.parse(await run("show", "-json", "saved.plan")) as SavedPlan;
}

function changesIn({ resource_changes: changes = [] }: SavedPlan): readonly ResourceChange[] {
  return changes.filter(({ change }) => change.actions.join() !== "no-op");
}

async function plannedChanges(run: RunCommand): Promise<readonly ResourceChange[]> {
  return changesIn(await planOf(run));
}

/**
 * Returns the addresses and ids for import blocks. A plan leaves the import id and the reference of a new object unknown,
 * so this follows the references between the resources of the configuration.
 */
async function importIds(run: RunCommand): Promise<JsonObject[]> {
  const planned = await planOf(run);
  const changes = changesIn(planned);
  const nameAt = (address: string, as: "importId" | "reference"): string => {
    const found = changes.find((one) => one.address === address);
    const block = schemas.resources[found?.type ?? ""];
    const kind = kinds.find(({ name }) => name === block?.kind);
    if (kind === undefined) throw new Error(`the plan does not create ${address}`);
    const resources = planned.configuration.root_module.resources ?? [];
    const expressions = resources.find((one) => one.address === address)?.expressions;
    const keyAttributes = (block?.attributes ?? []).filter(({ field }) => kind.key.includes(field));
    const values = keyAttributes.map(({ name }): [string, JsonValue] => {
      const value = found?.change.after?.[name] ?? null;
      const target = expressions?.[name]?.references?.find((one) => one.endsWith(".reference"));
      if (value !== null || target === undefined) return [name, value];
      return [name, nameAt(target.slice(0, -".reference".length), "reference")];
    });
    const inputs = toInputs(keyAttributes, Object.fromEntries(values)).inputs;
    const text = objectName(kind, inputs, as);
    if (text === undefined) throw new Error(`the key of ${address} is not known`);
    return text;
  };
  return changes.map(({ address }) => ({ to: address, id: nameAt(address, "importId") }));
}

function fieldsOf({
  type,
  change: { before, after, after_unknown: open },
}: ResourceChange): readonly FieldName[] {
  const block = schemas.resources[type];
  return (block?.attributes ?? [])
    .filter(({ part }) => part === "spec" || part === "version")
    .filter(({ name }) => !(isObject(open) && open[name] === true))
    .filter(({ name }) => !equal(before?.[name] ?? null, after?.[name] ?? null))
    .map(({ field }) => `${block?.kind}.${field}`);
}

/**
 * Returns the front end of a program of examples/pulumi with the stand-in engine. `other` is a program that created the
 * same objects elsewhere.
 */
export function pulumiProgram(
  service: TestService,
  program: pulumi.automation.PulumiFn,
  other?: StandInEngine,
): FrontEnd & { readonly engine: StandInEngine } {
  const engine = new StandInEngine({ url: service.url, apiKey: new SecretValue(service.adminKey) });
  const good = <R extends { readonly errors: readonly string[] }>(ran: R): R => {
    if (ran.errors.length > 0) throw new Error(ran.errors.join());
    return ran;
  };
  return {
    engine,
    apply: async () => good(await engine.up(program)).steps.length,
    adopt: async () => {
      good(await engine.import((await other?.resources()) ?? []));
      const { steps } = good(await engine.preview(program));
      const unexpected = steps.filter(({ op }) => op !== "update");
      if (unexpected.length > 0)
        throw new Error(unexpected.map(({ op, name }) => `${op} ${name}`).join());
      return steps.flatMap(({ type, detailed = {} }) =>
        Object.keys(detailed).map((path) => `${type}.${path.split(/[.[]/)[0]}`),
      );
    },
    dispose: async () => undefined,
  };
}
