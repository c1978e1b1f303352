// Creates a stack in a temporary folder for a running service and runs the reconciler's verbs on it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiscoveryCache, OfferedApi } from "../../client/api-discovery.ts";
import type { ClientOptions } from "../../client/types.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { Secret } from "../../core/secret.ts";
import { noGrants } from "../../reconciler/operator/grants.ts";
import type { ApplyResult, Change, Plan } from "../../reconciler/model/index.ts";
import type { Connection, VerbResult, VerbOptions } from "../../reconciler/verbs/session.ts";
import type { ApplyOptions } from "../../reconciler/apply.ts";
import { adopt } from "../../reconciler/adopt.ts";
import { apply } from "../../reconciler/apply.ts";
import { plan } from "../../reconciler/plan.ts";
import { components, kinds as allKinds } from "../../resources/index.ts";
import { pipelineDocumentType } from "../../promotion/document-type.ts";

/** A document in a test. */
export interface Doc {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
  /** `metadata.labels`. */
  readonly labels?: JsonObject;
  /** `metadata.lifecycle`. */
  readonly lifecycle?: JsonObject;
}

/** Options of a test stack. */
export interface TestStackOptions {
  readonly url: string;
  readonly key: string;
  readonly name?: string;
  /** The parent of its folder; by default the system's temporary folder. */
  readonly parentFolder?: string;
  readonly kinds?: readonly Kind[];
  /** The policy in addition to pruning. Without `maxDeletes`, all deletes are allowed; with null, the defaults of a Stack apply. */
  readonly policy?: JsonObject;
  /**
   * The location of the inventory in the Stack; by default a file. `unspecified` is for a Stack that does not name a
   * location.
   */
  readonly inventory?: string | undefined;
  /** Environment variables in addition to those of every test stack. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A stack that a test changes and applies. */
export interface TestStack {
  readonly folder: string;
  /** The options of every verb, for calling one directly. */
  readonly options: VerbOptions;
  /** Replaces the documents. */
  write(documents: readonly Doc[]): Promise<void>;
  /** Removes everything from the inventory, as if it was lost. */
  loseInventory(): Promise<void>;
  plan(more?: Partial<VerbOptions>): Promise<Plan>;
  /** Applies without confirmation and despite conflicts. Fails if the manifests or the plan have errors. */
  apply(more?: Partial<ApplyOptions>): Promise<ApplyResult>;
  adopt(): Promise<readonly string[]>;
  /** Returns the diagnostics of a plan, whether it succeeds or fails. */
  diagnostics(): Promise<readonly Diagnostic[]>;
  /** Returns only the diagnostics of the manifests. */
  manifestDiagnostics(): Promise<readonly Diagnostic[]>;
  dispose(): Promise<void>;
}

let offered: OfferedApi | undefined;

/**
 * Caches the API document of the last server for every server, because a server with another document does not confirm
 * its entity tag.
 */
const discoveryCache: DiscoveryCache = {
  read: () => offered,
  write: (_baseUrl, now) => void (offered = now),
};

const approved = { onConflict: "overwrite", approve: async () => true } as const;

/** Creates an empty stack. Dispose of it after the test. */
export async function makeStack(stackOptions: TestStackOptions): Promise<TestStack> {
  const {
    url,
    key,
    name = "conformance",
    kinds = allKinds,
    inventory = "file",
    env,
    parentFolder: under = tmpdir(),
  } = stackOptions;
  const folder = await mkdtemp(join(under, "svc-stack-"));
  const { maxDeletes = 1000, ...rest } = stackOptions.policy ?? {};
  const allowed = maxDeletes !== null && { maxDeletes, maxDeletePercent: 100 };
  const policy = { prune: true, ...allowed, ...rest };
  const stack = {
    apiVersion: "svc/v1",
    kind: "Stack",
    metadata: { name },
    spec: { policy, inventory: inventory === "unspecified" ? undefined : inventory },
  };
  await writeFile(join(folder, "stack.yaml"), JSON.stringify(stack));
  const options: VerbOptions = {
    paths: [folder],
    cwd: folder,
    kinds,
    components,
    documentTypes: [pipelineDocumentType],
    variables: {},
    grants: { ...noGrants, maxDeletes: 100_000 },
    env: { XDG_CONFIG_HOME: join(folder, ".config"), ...env },
    connection: connectionTo(url, key),
  };
  const planned = async (more?: Partial<VerbOptions>) =>
    expectOk(await plan({ ...options, ...more })).plan;
  return {
    folder,
    options,
    write: (documents) =>
      writeFile(
        join(folder, "documents.yaml"),
        documents.map((doc) => documentText(doc, kinds)).join("\n---\n"),
      ),
    loseInventory: () => rm(join(folder, ".svc"), { recursive: true, force: true }),
    plan: planned,
    apply: async (more) => {
      const verdict = expectOk(await apply({ ...options, ...approved, ...more }));
      if (verdict.applied === undefined) throw new Error("it was not applied");
      return verdict.applied;
    },
    adopt: async () => expectOk(await adopt(options)).adopted,
    diagnostics: async () => {
      const verdict = await plan(options);
      return verdict.ok ? verdict.plan.diagnostics : verdict.diagnostics;
    },
    manifestDiagnostics: async () => (await plan(options)).diagnostics,
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

function connectionTo(
  url: string,
  key: string,
): Connection & Pick<ClientOptions, "discoveryCache"> {
  return { url, credential: new Secret(key), retryFirstMs: 5, discoveryCache };
}

/** Returns each change in short form: `update EmbedGroup/acme-viewers /description`. */
export function changeSummaries(changes: readonly Change[]): string[] {
  return changes.map(({ action, address, fields }) =>
    [action, address, ...fields.map(({ path }) => path)].join(" "),
  );
}

/**
 * Returns the text of a document in a file. A kind that generates a secret gets a file for it, named after the
 * document.
 */
export function documentText(
  { kind, name, spec, labels, lifecycle }: Doc,
  kinds: readonly Kind[] = allKinds,
) {
  const generated = kindsByName(kinds).get(kind)?.generatedSecret;
  const file = kind === "ApiKey" ? name : `${kind}-${name}`;
  const sink = generated && { secretTo: { file: `secrets/${file}` } };
  return JSON.stringify({
    apiVersion: "svc/v1",
    kind,
    metadata: { name, labels, lifecycle },
    spec,
    ...sink,
  });
}

function expectOk<T>(verdict: VerbResult<T>): T {
  if (verdict.ok) return verdict;
  throw new Error(verdict.diagnostics.map(({ code, summary }) => `${code}: ${summary}`).join("\n"));
}
