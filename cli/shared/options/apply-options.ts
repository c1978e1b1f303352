// Options of the commands that plan, ask and apply.
import { InvalidArgumentError, Option } from "commander";
import type { ConflictPolicy } from "../../../reconciler/verbs/field-conflicts.ts";
import type { PolicyFlags } from "./policy-options.ts";
import type { VerbFlags } from "./verb-options.ts";

/** Flags shared by the commands that plan, ask and apply. */
export interface ApplyFlags extends VerbFlags, PolicyFlags {
  readonly plan?: string;
  readonly yes?: true;
  readonly allowDeletes?: number;
  readonly onConflict?: ConflictPolicy;
  readonly reason?: string;
}

const conflictTexts = {
  apply:
    "fields changed both in the manifests and on the server: fail, overwrite, " +
    "or keep the live value for this run; the next plan shows the conflict again",
  undo: "what changed again after the run: fail, overwrite, or keep it",
} as const;

/** Returns the option for conflicts. */
export function conflictOption(verb: keyof typeof conflictTexts): Option {
  return new Option(
    "--on-conflict <action>",
    `what to do about ${conflictTexts[verb]} (default: fail with --yes or without a terminal, else ask)`,
  ).choices(["fail", "overwrite", "keep"]);
}

/** Parses an option that must be a whole number. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/u.test(text)) return number;
  throw new InvalidArgumentError("It must be a whole number.");
}
