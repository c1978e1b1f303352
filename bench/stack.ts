// Creates stacks of embed tenants and groups in a temporary folder and runs the reconciler's verbs on them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kind } from "../core/kind/kind.ts";
import { Secret } from "../core/secret.ts";
import { noGrants } from "../reconciler/operator/grants.ts";
import type { ApplyResult, Plan } from "../reconciler/model/index.ts";
import type { VerbResult, VerbOptions } from "../reconciler/verbs/session.ts";
import { apply } from "../reconciler/apply.ts";
import { plan } from "../reconciler/plan.ts";
import { embedGroup } from "../resources/embed-group.ts";
import { embedTenant } from "../resources/embed-tenant.ts";
import { embedUser } from "../resources/embed-user.ts";
import { kinds } from "../resources/index.ts";
import type { Served } from "./server.ts";

/** The size of a stack. */
export interface Size {
  readonly tenants: number;
  /** Of all tenants together. */
  readonly groups: number;
  /** External users of all tenants together. */
  readonly users?: number;
  /** Number of groups, from the first one on, with a different description. */
  readonly edited?: number;
}

/** A stack on disk. */
export interface BenchStack {
  readonly options: VerbOptions;
  readonly tenantNames: readonly string[];
  /** The file with all documents but the Stack. */
  readonly groupsFile: string;
  /** Replaces the documents. */
  write(size: Size): Promise<void>;
  plan(): Promise<Plan>;
  apply(options?: Pick<VerbOptions, "progress">): Promise<ApplyResult>;
  remove(): Promise<void>;
}

/** Group `at` of a stack, as its manifest and the API spell it. */
export function groupFields(at: number, edited = 0): { name: string; description: string } {
  const description = `May read the dashboards of department ${at}.`;
  return {
    name: `viewers-${at}`,
    description: at < edited ? `${description} Edited.` : description,
  };
}

/** External user `at` of a stack, as its manifest and the API spell it. */
export function userFields(at: number): { externalId: string; email: string } {
  return { externalId: `viewer-${at}`, email: `viewer-${at}@example.com` };
}

/** The options of verbs for the stack in a folder. */
export function verbOptionsFor(
  folder: string,
  { url, apiKey }: Pick<Served, "url" | "apiKey">,
): VerbOptions {
  return {
    paths: [folder],
    cwd: folder,
    kinds,
    variables: {},
    grants: noGrants,
    env: {},
    connection: { url, credential: new Secret(apiKey) },
  };
}

/** Writes a separate stack for `server`; `name` is part of the names of tenants. */
export async function makeStack(server: Served, name: string, size: Size): Promise<BenchStack> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const tenantNames = Array.from({ length: size.tenants }, (_, at) => `${name}-${at}`);
  const options = verbOptionsFor(folder, server);
  const groupsFile = join(folder, "groups.yaml");
  const write = (wanted: Size): Promise<void> => writeTenants(groupsFile, tenantNames, wanted);
  await writeFile(
    join(folder, "stack.yaml"),
    `apiVersion: svc/v1\nkind: Stack\nmetadata:\n  name: ${name}\nspec:\n  inventory: file\n`,
  );
  await write(size);
  return {
    options,
    tenantNames,
    groupsFile,
    write,
    plan: async () => unwrapVerdict(await plan(options)).plan,
    apply: async (watched = {}) => {
      const verdict = await apply({ ...options, ...watched, approve: async () => true });
      const { applied } = unwrapVerdict(verdict);
      const failed = applied?.outcomes.find(({ result }) => result !== "done");
      if (applied === undefined || failed !== undefined || applied.residual.length > 0)
        throw new Error(`the apply did not succeed: ${JSON.stringify(failed)}`);
      return applied;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Writes documents of embed tenants, and of groups and users that are spread over them. */
export async function writeTenants(
  file: string,
  tenantNames: readonly string[],
  { groups, users = 0, edited = 0 }: Omit<Size, "tenants">,
): Promise<void> {
  const tenantOf = (at: number): string => tenantNames[at % tenantNames.length] ?? "";
  const tenants = tenantNames.map((tenant) => documentOf(embedTenant, tenant, { name: tenant }));
  const allGroups = Array.from({ length: groups }, (_, at) => {
    const [tenant, fields] = [tenantOf(at), groupFields(at, edited)];
    return documentOf(embedGroup, `${tenant}-${fields.name}`, { embedTenant: tenant, ...fields });
  });
  const allUsers = Array.from({ length: users }, (_, at) => {
    const [tenant, fields] = [tenantOf(at), userFields(at)];
    const name = `${tenant}-${fields.externalId}`;
    return documentOf(embedUser, name, { embedTenant: tenant, ...fields });
  });
  await writeFile(file, [...tenants, ...allGroups, ...allUsers].join("---\n"));
}

/** Returns the manifest of an object. */
export function documentOf(
  { name: kind }: Kind,
  name: string,
  spec: Readonly<Record<string, string>>,
): string {
  const fields = Object.entries(spec).map(([field, value]) => `  ${field}: ${value}\n`);
  return `apiVersion: svc/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\nspec:\n${fields.join("")}`;
}

/** Returns the result of a verb. Fails if the manifests have errors. */
export function unwrapVerdict<T>(verdict: VerbResult<T>): T {
  if (verdict.ok) return verdict;
  throw new Error(verdict.diagnostics.map(({ code, summary }) => `${code}: ${summary}`).join("\n"));
}
