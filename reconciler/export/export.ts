// Export: the manifests that declare what lives on a server just as it is. Reads only.
import { createClient } from "../../client/client.ts";
import type { WaitEvent } from "../../client/types.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { namePattern } from "../../core/identity.ts";
import type { Kind } from "../../core/kind.ts";
import { closestMatch } from "../../core/naming.ts";
import { createCachedReader } from "../../lifecycle/reader.ts";
import type { ProgressEvent } from "../model/index.ts";
import type { Connection } from "../verbs/session.ts";
import { survey } from "../verbs/survey.ts";
import { documentsOf } from "./documents.ts";
import { type ExportedFile, filesFor, type Split } from "./files.ts";

/** What to export, and in which form. */
export interface ExportOptions {
  readonly connection: Connection;
  /** Every kind there is. */
  readonly kinds: readonly Kind[];
  /** Names of the kinds to export; all where it is empty or left out. */
  readonly only?: readonly string[] | undefined;
  readonly split: Split;
  /** Name of the Stack that is written along; none is where it is left out. */
  readonly stack?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((event: ProgressEvent) => void) | undefined;
}

/** What an export came to. */
export interface Export {
  readonly files: readonly ExportedFile[];
  /** Objects that are declared. */
  readonly declared: number;
  /** Objects that stand as comments, since something of them cannot be read. */
  readonly incomplete: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads every object of the kinds that the server can list and answers the files that declare them; writes nothing. What
 * cannot be read, secrets first of all, is told and in no file. Fails with `usage` for a kind that there is not, or a name
 * that no Stack can have.
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
    const { live, unlistable: blind } = await survey({
      kinds,
      only,
      allFields: true,
      apiDiscovery: offer,
      reader,
      signal,
    });
    const wanted = kinds.filter(({ name }) => only.has(name));
    const { documents, diagnostics } = documentsOf(live, wanted);
    const stack = options.stack && { name: options.stack, url: client.origin };
    const files = filesFor(documents, { split, stack: stack || undefined });
    const held = documents.filter(({ missing: lacks }) => lacks.length > 0).length;
    return {
      files,
      declared: documents.length - held,
      incomplete: held,
      diagnostics: [...blind.map(notListable), ...diagnostics],
    };
  } finally {
    await client.close();
  }
}

/** The names of the kinds that are asked for; fails with `usage` for one that there is not. */
export function selectedKinds({
  kinds,
  only = [],
}: Pick<ExportOptions, "kinds" | "only">): ReadonlySet<string> {
  const names = kinds.map(({ name }) => name);
  for (const name of only) {
    if (names.includes(name)) continue;
    const meant = closestMatch(name, names);
    throw new Failure("usage", `there is no kind "${name}"`, {
      remedy: meant === undefined ? `the kinds are ${names.join(", ")}` : `did you mean ${meant}?`,
    });
  }
  return new Set(only.length === 0 ? names : only);
}

function requireName(name: string | undefined): void {
  if (name === undefined || new RegExp(namePattern, "u").test(name)) return;
  throw new Failure("usage", `no Stack can be called ${JSON.stringify(name)}`, {
    remedy: "use letters, digits, dots, hyphens and underscores",
  });
}

function notListable({ name }: Kind): Diagnostic {
  return {
    code: "not-readable",
    severity: "warning",
    summary: `this server has no way to list objects of kind ${name}, so none is exported`,
  };
}
