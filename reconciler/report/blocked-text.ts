// Phrases the reasons that block a change.
import { type Diagnostic, diagnosticCodes } from "../../core/diagnostics.ts";
import type { BlockReason, Change } from "../model/index.ts";

/** One reason in words, with the diagnostic that explains it, if there is one. */
export interface BlockText {
  readonly text: string;
  readonly diagnostic?: Diagnostic;
}

/** Phrases the reasons of a change other than blocked dependencies. `findings` are the diagnostics about its object. */
export function blockTexts(
  { blockedBy }: Change,
  findings: readonly Diagnostic[],
): readonly BlockText[] {
  return blockedBy.flatMap((reason): readonly BlockText[] => {
    if (reason.code === "dependency") return [];
    if (reason.code === "still-exists") return [{ text: "it still exists" }];
    const explained = findings.filter((finding) => isReason(finding, reason));
    return explained.length > 0
      ? explained.map((diagnostic) => ({ text: diagnostic.summary, diagnostic }))
      : [{ text: diagnosticCodes[reason.code] }];
  });
}

/** Returns whether the diagnostic, about the object of the change, is why the change is blocked. */
export function isBlocking(diagnostic: Diagnostic, { blockedBy }: Change): boolean {
  return blockedBy.some((reason) => isReason(diagnostic, reason));
}

function isReason({ severity, code }: Diagnostic, reason: BlockReason): boolean {
  return severity === "error" && code === reason.code;
}

/** Returns the addresses of the blocked changes that this one depends on. */
export function blockingDependencies({ blockedBy }: Change): readonly string[] {
  return blockedBy.flatMap((reason) => (reason.code === "dependency" ? [reason.address] : []));
}
