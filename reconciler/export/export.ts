// Exports live objects as manifests. Read-only.
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { createClient } from "../../client/client.ts";
import type { Client, WaitEvent } from "../../client/types.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { isName } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { didYouMean } from "../../core/text/naming.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import { ownersBeside } from "../inventory/inventory-store.ts";
import type { InventoryStore } from "../inventory/store.ts";
import { stateServer } from "../inventory/service.ts";
import type { LiveState, ProgressEvent } from "../model/index.ts";
import type { Connection } from "../verbs/session.ts";
import { survey } from "../verbs/survey.ts";
import { ownedByOthers, ownedByOthersNote } from "./owned-by-others.ts";
import { documentsOf } from "./documents.ts";
import { type ExportedFile, filesFor, type Split } from "./files.ts";

/** The objects to export, and the form of their documents. */
export interface ExportOptions {
  readonly connection: Connection;
  /** Every kind. */
  readonly kinds: readonly Kind[];
  /** Names of the kinds to export; all if empty or omitted. */
  readonly only?: readonly string[] | undefined;
  readonly split: Split;
  /** Name of the Stack document to write; none if omitted. */
  readonly stack?: string | undefined;
  /**
   * Name of the stack that the documents are for, if it has a Stack document: the objects that it owns are exported
   * too.
   */
  readonly forStack?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
}

/** Result of an export. */
export interface Export {
  readonly files: readonly ExportedFile[];
  /** Number of objects with a complete document. */
  readonly declared: number;
  /** Number of objects written as comments, because part of them cannot be read. */
  readonly incomplete: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads every object of the kinds that the server can list and returns files that declare them. Values
 * that cannot be read, such as secrets, are reported and not written. Fails with `usage` for an
 * unknown kind or an invalid Stack name.
 */
export async function exportStack(options: ExportOptions): Promise<Export> {
  const { kinds, connection, signal, progress, split } = options;
  const only = selectedKinds(options);
  requireName(options.stack);
  const onWait = (event: WaitEvent) => progress?.({ event: "wait", ...event });
  const client = createClient({ ...connection, signal, onWait });
  try {
    const offer = await client.discoverApi();
    progress?.({ event: "phase", phase: "read" });
    const reader = createCachedReader(client.reader, { signal });
    const { live, unlistable, unidentified } = await survey({
      kinds,
      only,
      allFields: true,
      apiDiscovery: offer,
      reader,
      signal,
    });
    const wanted = kinds.filter(({ name }) => only.has(name));
    const foreign = await ownedByOtherStacks(options, { live, client, offer });
    const { documents, diagnostics } = documentsOf(live, wanted, {
      ownedElsewhere: new Set(foreign),
    });
    const stack = options.stack && { name: options.stack, url: client.origin };
    const files = filesFor(documents, { split, stack: stack || undefined });
    const held = documents.filter(({ missing }) => missing.length > 0).length;
    return {
      files,
      declared: documents.length - held,
      incomplete: held,
      diagnostics: [
        ...unlistable.map(notListable),
        ...unidentified,
        ...diagnostics,
        ...ownedByOthersNote(foreign),
      ],
    };
  } finally {
    await client.close();
  }
}

/**
 * Returns the objects that other stacks with an inventory at this server own. Returns none if the documents are for no
 * stack.
 */
async function ownedByOtherStacks(
  { stack, forStack, connection }: ExportOptions,
  {
    live,
    client,
    offer,
  }: { readonly live: LiveState; readonly client: Client; readonly offer: ApiDiscovery },
): Promise<readonly string[]> {
  const owner = stack ?? forStack;
  if (owner === undefined) return [];
  await using server = stateServer({ ...connection, apiDiscovery: async () => offer });
  if (!(await server.keepsInventories())) return [];
  const backend = server.backend(owner);
  const ownersOf: InventoryStore["ownersOf"] = (origin, objects) =>
    ownersBeside(backend, { stack: owner, origin, objects });
  return await ownedByOthers({ store: { ownersOf }, client }, live, new Map());
}

/** Returns the names of the requested kinds; fails with `usage` for an unknown one. */
export function selectedKinds({
  kinds,
  only = [],
}: Pick<ExportOptions, "kinds" | "only">): ReadonlySet<string> {
  const names = kinds.map(({ name }) => name);
  for (const name of only) {
    if (names.includes(name)) continue;
    throw new Failure("usage", `unknown resource type "${name}"`, {
      remedy: didYouMean(name, names) ?? `The resource types are ${names.join(", ")}.`,
    });
  }
  return new Set(only.length === 0 ? names : only);
}

function requireName(name: string | undefined): void {
  if (name === undefined || isName(name)) return;
  throw new Failure("usage", `invalid Stack name ${JSON.stringify(name)}`, {
    remedy: "Use letters, digits, dots, hyphens and underscores.",
  });
}

function notListable({ name }: Kind): Diagnostic {
  return {
    code: "not-readable",
    severity: "warning",
    summary: `this server cannot list objects of type ${name}; none is exported`,
  };
}
