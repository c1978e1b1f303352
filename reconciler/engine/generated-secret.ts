// What planning one wish has to do about the secret that its create mints: where it lies, and what to say when it does not.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { Action, Entry, SecretSink, DesiredObject } from "../model/index.ts";
import type { SecretSinkState } from "./secret-sinks.ts";

/** What is known of an object's secret. */
export interface GeneratedSecretContext {
  readonly entry: Entry | undefined;
  /** Undefined where nobody looked. */
  readonly sink: SecretSinkState | undefined;
  readonly fingerprints: Fingerprints;
  /** The stack's folder as commands in messages name it. */
  readonly displayPath: string | undefined;
}

/** True for an object of ours that was made by a run which ended before its secret was kept: nobody can use it. */
export function isSecretLost({ kind }: DesiredObject, entry: Entry | undefined): boolean {
  return (
    kind.generatedSecret !== undefined && entry?.pending === true && entry.sink?.mark === undefined
  );
}

/** Where the secret lies once the action is carried out; undefined where there is none, or it was never ours. */
export function sinkAfter(
  { secretTo }: DesiredObject,
  action: Action | undefined,
  { entry, sink, fingerprints }: GeneratedSecretContext,
): SecretSink | undefined {
  if (secretTo === undefined) return undefined;
  if (action === "create" || action === "replace") return { file: secretTo };
  const mark = comparableFingerprint(entry, fingerprints);
  return mark !== undefined && sink?.storedFingerprint === mark
    ? { file: secretTo, mark }
    : entry?.sink;
}

/** The mark that can be compared here: none that was made with another key. */
function comparableFingerprint(
  entry: Entry | undefined,
  fingerprints: Fingerprints,
): string | undefined {
  const mark = entry?.sink?.mark;
  return mark === undefined ? undefined : fingerprints.comparable({ mark })["mark"];
}

/** Why the secret that the action mints could not be kept; empty where it can be, and for actions that mint none. */
export function sinkObstacles(
  desiredObject: DesiredObject,
  action: Action,
  context: GeneratedSecretContext,
): Diagnostic[] {
  const { secretTo: file } = desiredObject;
  const { sink, entry } = context;
  if (file === undefined || (action !== "create" && action !== "replace")) return [];
  const isOurs = entry?.sink?.file === file;
  const why =
    sink?.obstacle ?? (sink?.storedFingerprint !== undefined && !isOurs ? "it exists already" : "");
  if (why === "") return [];
  return [
    {
      ...about(desiredObject),
      severity: "error",
      code: "sink-unusable",
      summary: `the secret of ${desiredObject.address} cannot be written to ${file}: ${why}`,
      remedy: "name another file in secretTo, or move what is there away",
    },
  ];
}

/** What is to be said of a secret that does not lie where it should, though nothing is done about it unasked. */
export function sinkNotes(
  desiredObject: DesiredObject,
  action: Action | undefined,
  context: GeneratedSecretContext,
): Diagnostic[] {
  const { secretTo: file, address } = desiredObject;
  const { entry, sink, displayPath: seenAt, fingerprints } = context;
  if (file === undefined || sink === undefined) return [];
  const again = stackCommand({ displayPath: seenAt }, "apply", "--replace", address);
  if (action === "replace" && isSecretLost(desiredObject, entry))
    return [secretLostDiagnostic(desiredObject)];
  if (action === "create" || action === "replace") return [];
  const mark = comparableFingerprint(entry, fingerprints);
  const known = entry?.sink;
  // What was taken over has a secret that we never had: there is nothing to put back.
  if (known === undefined) {
    return action === "adopt" && sink.storedFingerprint === undefined
      ? [secretUnknownDiagnostic(desiredObject, file)]
      : [];
  }
  const isThere =
    sink.storedFingerprint !== undefined && (mark === undefined || sink.storedFingerprint === mark);
  if (isThere) return [];
  const found = sink.storedFingerprint === undefined ? "is not there" : "holds something else";
  const whither = known.file !== file ? `move it there from ${known.file}` : "put it back";
  return [
    {
      ...about(desiredObject),
      severity: "warning",
      code: "sink-drift",
      summary: `the file for the secret of ${address}, ${file}, ${found}`,
      remedy: `${whither}, or have another secret made: \`${again}\` deletes the object and makes it anew`,
    },
  ];
}

function secretLostDiagnostic(desiredObject: DesiredObject): Diagnostic {
  return {
    ...about(desiredObject),
    severity: "warning",
    code: "secret-lost",
    summary: `${desiredObject.address} was made by a run that ended before its secret was kept, so nobody can use it`,
    remedy: "it is deleted and made anew, which counts as a replace",
  };
}

function secretUnknownDiagnostic(desiredObject: DesiredObject, file: string): Diagnostic {
  return {
    ...about(desiredObject),
    severity: "info",
    code: "secret-unknown",
    summary: `${desiredObject.address} is taken over without its secret, which was shown only to whoever made it`,
    remedy: `it stays in use as it is; whoever has the secret may put it into ${file}`,
  };
}

function about(desiredObject: DesiredObject): Pick<Diagnostic, "address" | "place" | "path"> {
  return { address: desiredObject.address, place: desiredObject.place, path: "/secretTo/file" };
}
