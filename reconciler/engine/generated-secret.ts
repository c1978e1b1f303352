// Plans the generated secret of one object: where it is stored, and the diagnostic if it is missing.
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Fingerprints } from "../../core/spec/fingerprints.ts";
import type { ObservedObject } from "../../core/kind/kind.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import { stackCommand } from "../model/shell-command.ts";
import { withDependencies } from "../model/implied-dependencies.ts";
import {
  type Action,
  type Change,
  type Entry,
  type Inventory,
  type SecretSink,
  type DesiredObject,
  locationIn,
} from "../model/index.ts";
import type { Match } from "./match-objects.ts";
import type { SecretSinkState } from "./secret-sinks.ts";

/** The state of an object's secret. */
export interface GeneratedSecretContext {
  readonly entry: Entry | undefined;
  readonly observed: ObservedObject | undefined;
  /** Undefined if the file was not inspected. */
  readonly sink: SecretSinkState | undefined;
  /** The entry of the object that this plan deletes and whose secret the file was written with, if any. */
  readonly deletedEntry: Entry | undefined;
  readonly fingerprints: Fingerprints;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath: string | undefined;
}

/** A deleted object whose secret was written to a file. */
interface DeletedSecret {
  /** The address of the delete: the object itself, or the parent whose delete cascades to it. */
  readonly deletedBy: string;
  readonly entry: Entry;
}

/** The deleted objects by the file that their secret was written to. */
export type DeletedSinks = ReadonlyMap<string, DeletedSecret>;

/** Returns the files for the secrets of the objects that `removed` deletes. */
export function deletedSinks(
  removed: readonly Change[],
  entries: Inventory["entries"],
): DeletedSinks {
  const deleted = new Map<string, DeletedSecret>();
  for (const { action, address, cascadedBy } of removed) {
    const entry = entries[address];
    const file = entry?.secretTo?.file;
    if (action === "delete" && entry !== undefined && file !== undefined)
      deleted.set(file, { deletedBy: cascadedBy ?? address, entry });
  }
  return deleted;
}

/** Lets an object depend on the delete of the one whose secret is in its file. */
export function withSinkDependencies(
  objects: readonly DesiredObject[],
  deleted: DeletedSinks,
  matchOf: (object: DesiredObject) => Match,
): readonly DesiredObject[] {
  if (deleted.size === 0) return objects;
  return objects.map((object) => {
    const { secretTo: file } = object;
    const isOurs = file === undefined || matchOf(object).entry?.secretTo?.file === file;
    return isOurs ? object : withDependencies(object, [deleted.get(file)?.deletedBy]);
  });
}

/** True if the run that created the object ended before it stored the secret, so that the object is unusable. */
export function isSecretLost({ kind }: DesiredObject, entry: Entry | undefined): boolean {
  return (
    kind.generatedSecret !== undefined &&
    entry?.pending === true &&
    entry.secretTo?.fingerprint === undefined
  );
}

/** Returns the place of the secret after the action; undefined without a secret, or if the stack never had it. */
export function sinkAfter(
  { secretTo }: DesiredObject,
  action: Action | undefined,
  { entry, sink, fingerprints }: GeneratedSecretContext,
): SecretSink | undefined {
  if (secretTo === undefined) return undefined;
  if (action === "create" || action === "replace") return { file: secretTo };
  const fingerprint = comparableFingerprint(entry, fingerprints);
  return fingerprint !== undefined && sink?.storedFingerprint === fingerprint
    ? { file: secretTo, fingerprint }
    : entry?.secretTo;
}

/** Returns the fingerprint, unless it was made with another key. */
function comparableFingerprint(
  entry: Entry | undefined,
  fingerprints: Fingerprints,
): string | undefined {
  const fingerprint = entry?.secretTo?.fingerprint;
  return fingerprint === undefined
    ? undefined
    : fingerprints.comparable({ fingerprint })["fingerprint"];
}

/** Reports why the secret that the action generates cannot be stored. */
export function sinkObstacles(
  desiredObject: DesiredObject,
  action: Action,
  context: GeneratedSecretContext,
): Diagnostic[] {
  const { secretTo: file } = desiredObject;
  const { sink, entry, deletedEntry, fingerprints } = context;
  if (file === undefined || (action !== "create" && action !== "replace")) return [];
  const stored = sink?.storedFingerprint;
  const isReplaceable =
    stored === undefined ||
    entry?.secretTo?.file === file ||
    comparableFingerprint(deletedEntry, fingerprints) === stored;
  const why = sink?.obstacle ?? (isReplaceable ? "" : "it exists already");
  if (why === "") return [];
  return [
    {
      ...about(desiredObject),
      severity: "error",
      code: "sink-unusable",
      summary: `the secret of ${desiredObject.address} cannot be written to ${file}: ${why}`,
      remedy: "Name another file in secretTo, or move the existing file away.",
    },
  ];
}

/** Reports a stored secret that is missing or changed; plan alone never replaces it. */
export function sinkNotes(
  desiredObject: DesiredObject,
  action: Action | undefined,
  context: GeneratedSecretContext,
): Diagnostic[] {
  const { secretTo: file, address } = desiredObject;
  const { entry, sink, displayPath: seenAt, fingerprints } = context;
  if (file === undefined || sink === undefined) return [];
  if (action === "replace" && isSecretLost(desiredObject, entry))
    return [secretLostDiagnostic(desiredObject)];
  if (action === "create" || action === "replace") return [];
  const fingerprint = comparableFingerprint(entry, fingerprints);
  const recorded = entry?.secretTo;
  // The stack never had the secret of an adopted object.
  if (recorded === undefined) {
    return action === "adopt" && sink.storedFingerprint === undefined
      ? [secretUnknownDiagnostic(desiredObject, file)]
      : [];
  }
  const isStored = sink.storedFingerprint !== undefined;
  const isOurs = isStored && (fingerprint === undefined || sink.storedFingerprint === fingerprint);
  // The server shows whether the stored secret is the current one: it can be rotated without this stack.
  if (isStored && (isCurrent(desiredObject, context) ?? isOurs)) return [];
  const other = isOurs ? "contains a secret that was rotated since" : "contains something else";
  const present = isStored ? other : "is not there";
  const summary = `the file for the secret of ${address}, ${file}, ${present}`;
  const rotate = desiredObject.kind.generatedSecret?.rotation?.(desiredObject.spec);
  // A secret that can be rotated is kept elsewhere, and a replace would lose the object for nothing.
  if (rotate !== undefined) {
    const place = path.join(seenAt ?? "", file);
    const [written, kept] = [shellQuote(`${place}.new`), shellQuote(place)];
    // A redirection to the file itself would empty it before a call that fails, and let others read it.
    const call = `${rotate} --jq .${desiredObject.kind.generatedSecret?.name} > ${written}`;
    const command = `(umask 077 && ${call} && mv ${written} ${kept})`;
    const remedy = `Do nothing if the secret is kept elsewhere; \`${command}\` rotates the secret, keeps the object, and writes the file.`;
    return [{ ...about(desiredObject), severity: "info", code: "sink-drift", summary, remedy }];
  }
  const restoring = recorded.file !== file ? `Move it there from ${recorded.file}` : "Put it back";
  const again = stackCommand({ displayPath: seenAt }, "apply", "--replace", address);
  const remedy = `${restoring}, or generate another secret: \`${again}\` replaces the object.`;
  return [{ ...about(desiredObject), severity: "warning", code: "sink-drift", summary, remedy }];
}

/** Returns whether the file holds the secret that is valid now; undefined if the server does not show it. */
function isCurrent(
  { kind }: DesiredObject,
  { sink, observed }: GeneratedSecretContext,
): boolean | undefined {
  const { prefixField = "", length } = kind.generatedSecret ?? {};
  const prefix = observed?.status[prefixField];
  return typeof prefix === "string" ? sink?.storedMatches(prefix, length) : undefined;
}

function secretLostDiagnostic(desiredObject: DesiredObject): Diagnostic {
  return {
    ...about(desiredObject),
    severity: "warning",
    code: "secret-lost",
    summary: `${desiredObject.address} was created by a run that ended before it stored the secret, so the object is unusable`,
    remedy: "Apply replaces it; that counts as a replace.",
  };
}

function secretUnknownDiagnostic(desiredObject: DesiredObject, file: string): Diagnostic {
  return {
    ...about(desiredObject),
    severity: "info",
    code: "secret-unknown",
    summary: `${desiredObject.address} is adopted without its secret, which the server showed only once, at creation`,
    remedy: `The secret stays valid; if you have it, write it into ${file}.`,
  };
}

function about(desiredObject: DesiredObject): Pick<Diagnostic, "address" | "place" | "path"> {
  return locationIn(desiredObject, "/secretTo/file");
}
