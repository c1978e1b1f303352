// Reads names of objects for completion: within a second, from a file of this user for a minute, and without errors.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Argument, Option } from "commander";
import { createClient } from "../../client/client.ts";
import { ageMs, cacheFile, writeCacheFile } from "../../client/user-cache.ts";
import { membersOf } from "../../core/kind/fields.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { serverAccess } from "../shared/connection/connection.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { foundId, idOf, type Lookup } from "../shared/lookup/lookup.ts";
import { type NameSource, nameSourceOf } from "../shared/lookup/name-source.ts";
import type { Candidate } from "../shared/lookup/candidate.ts";

/** Longest time that a completion waits for the server, in milliseconds. */
const waitMs = 1000;
/** How long names are kept, in milliseconds. */
const keptMs = 60_000;
/** Most names of a list. */
const namesMax = 1000;

/** The words before the one that is completed. */
interface TypedWords {
  readonly flags: Readonly<Record<string, string>>;
  readonly before: readonly { readonly argument: Argument; readonly value: string }[];
}

/** Returns the names that an argument or an option accepts; none if the server does not answer in time. */
export async function serverNames(
  of: Argument | Option,
  typed: TypedWords,
): Promise<readonly Candidate[]> {
  const source = sourceOf(of);
  // Standard input belongs to the shell.
  if (source === undefined || source.lookup.typeMember !== undefined) return [];
  if (typed.flags["apiKeyFile"] === "-") return [];
  try {
    return await namesWithin(source, typed, AbortSignal.timeout(waitMs));
  } catch {
    return [];
  }
}

function sourceOf(of: Argument | Option): NameSource | undefined {
  const isDeployment = "required" in of && of.name() === "deployment";
  const deployment = { member: "deploymentId", lookup: deploymentLookup };
  return nameSourceOf(of) ?? (isDeployment ? deployment : undefined);
}

async function namesWithin(
  { lookup }: NameSource,
  { flags, before }: TypedWords,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const { url, credential, ...access } = await serverAccess(flags);
  // A word to complete must not spend a token that is valid once, nor wait for a new one.
  if (credential === undefined) return [];
  const needed = membersOf(lookup.list.params).map(({ name }) => name);
  const parents = before.flatMap(({ argument, value }) => {
    const parent = sourceOf(argument);
    return parent !== undefined && needed.includes(parent.member) ? [{ parent, value }] : [];
  });
  const key = [url, credential.reveal(), lookup.list.id, ...parents.map(({ value }) => value)];
  const file = cacheFile(
    "names",
    `${createHash("sha256").update(JSON.stringify(key)).digest("hex")}.json`,
  );
  const kept = readKept(file);
  if (kept !== undefined) return kept;
  const client = createClient({
    ...access,
    url,
    credential,
    renewCredential: undefined,
    signal,
    attempts: 1,
  });
  try {
    const params: Record<string, string | number> = {};
    for (const { parent, value } of parents)
      params[parent.member] = await idOf(client, parent.lookup, { given: value, params });
    const items = await client.reader.all(
      lookup.list as Operation<{ params: unknown; query: unknown; body: unknown }, unknown, "read">,
      { params, query: lookup.listQuery ?? {} },
      { most: namesMax },
    );
    const found = candidatesOf(lookup, items as readonly Readonly<Record<string, unknown>>[]);
    writeCacheFile(file, JSON.stringify(found), { maxAgeMs: keptMs });
    return found;
  } finally {
    await client.close();
  }
}

function candidatesOf(
  lookup: Lookup,
  items: readonly Readonly<Record<string, unknown>>[],
): readonly Candidate[] {
  const { label, names } = lookup;
  return items.flatMap((item) => {
    const value = names.map((name) => item[name]).find((name) => typeof name === "string");
    const id = foundId(lookup, item);
    return typeof value === "string" && id !== undefined
      ? [{ value, description: `${label} ${String(id)}` }]
      : [];
  });
}

function readKept(file: string): readonly Candidate[] | undefined {
  try {
    return ageMs(file) > keptMs
      ? undefined
      : (JSON.parse(readFileSync(file, "utf8")) as readonly Candidate[]);
  } catch {
    return undefined;
  }
}
