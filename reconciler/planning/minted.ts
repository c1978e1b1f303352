// What planning one wish has to do about the secret that its create mints: where it lies, and what to say when it does not.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { commandOn } from "../command.ts";
import type { Action, Entry, Sink, Wish } from "../model.ts";
import type { SinkState } from "../sinks.ts";

/** What is known of an object's secret. */
export interface MintedContext {
  readonly entry: Entry | undefined;
  /** Undefined where nobody looked. */
  readonly sink: SinkState | undefined;
  readonly fingerprints: Fingerprints;
  /** The stack's folder as commands in messages name it. */
  readonly seenAt: string | undefined;
}

/** True for an object of ours that was made by a run which ended before its secret was kept: nobody can use it. */
export function isLost({ kind }: Wish, entry: Entry | undefined): boolean {
  return kind.mints !== undefined && entry?.pending === true && entry.sink?.mark === undefined;
}

/** Where the secret lies once the action is carried out; undefined where there is none, or it was never ours. */
export function sinkAfter(
  { secretTo }: Wish,
  action: Action | undefined,
  { entry, sink, fingerprints }: MintedContext,
): Sink | undefined {
  if (secretTo === undefined) return undefined;
  if (action === "create" || action === "replace") return { file: secretTo };
  const mark = knownMark(entry, fingerprints);
  return mark !== undefined && sink?.held === mark ? { file: secretTo, mark } : entry?.sink;
}

/** The mark that can be compared here: none that was made with another key. */
function knownMark(entry: Entry | undefined, fingerprints: Fingerprints): string | undefined {
  const mark = entry?.sink?.mark;
  return mark === undefined ? undefined : fingerprints.comparable({ mark })["mark"];
}

/** Why the secret that the action mints could not be kept; empty where it can be, and for actions that mint none. */
export function sinkObstacles(wish: Wish, action: Action, context: MintedContext): Diagnostic[] {
  const { secretTo: file } = wish;
  const { sink, entry } = context;
  if (file === undefined || (action !== "create" && action !== "replace")) return [];
  const isOurs = entry?.sink?.file === file;
  const why = sink?.obstacle ?? (sink?.held !== undefined && !isOurs ? "it exists already" : "");
  if (why === "") return [];
  return [
    {
      ...about(wish),
      severity: "error",
      code: "sink-unusable",
      summary: `the secret of ${wish.address} cannot be written to ${file}: ${why}`,
      remedy: "name another file in secretTo, or move what is there away",
    },
  ];
}

/** What is to be said of a secret that does not lie where it should, though nothing is done about it unasked. */
export function sinkNotes(
  wish: Wish,
  action: Action | undefined,
  context: MintedContext,
): Diagnostic[] {
  const { secretTo: file, address } = wish;
  const { entry, sink, seenAt, fingerprints } = context;
  if (file === undefined || sink === undefined) return [];
  const again = commandOn({ seenAt }, "apply", "--replace", address);
  if (action === "replace" && isLost(wish, entry)) return [lost(wish)];
  if (action === "create" || action === "replace") return [];
  const mark = knownMark(entry, fingerprints);
  const known = entry?.sink;
  // What was taken over has a secret that we never had: there is nothing to put back.
  if (known === undefined) {
    return action === "adopt" && sink.held === undefined ? [unknown(wish, file)] : [];
  }
  const isThere = sink.held !== undefined && (mark === undefined || sink.held === mark);
  if (isThere) return [];
  const found = sink.held === undefined ? "is not there" : "holds something else";
  const whither = known.file !== file ? `move it there from ${known.file}` : "put it back";
  return [
    {
      ...about(wish),
      severity: "warning",
      code: "sink-drift",
      summary: `the file for the secret of ${address}, ${file}, ${found}`,
      remedy: `${whither}, or have another secret made: \`${again}\` deletes the object and makes it anew`,
    },
  ];
}

function lost(wish: Wish): Diagnostic {
  return {
    ...about(wish),
    severity: "warning",
    code: "secret-lost",
    summary: `${wish.address} was made by a run that ended before its secret was kept, so nobody can use it`,
    remedy: "it is deleted and made anew, which counts as a replace",
  };
}

function unknown(wish: Wish, file: string): Diagnostic {
  return {
    ...about(wish),
    severity: "info",
    code: "secret-unknown",
    summary: `${wish.address} is taken over without its secret, which was shown only to whoever made it`,
    remedy: `it stays in use as it is; whoever has the secret may put it into ${file}`,
  };
}

function about(wish: Wish): Pick<Diagnostic, "address" | "place" | "path"> {
  return { address: wish.address, place: wish.place, path: "/secretTo/file" };
}
