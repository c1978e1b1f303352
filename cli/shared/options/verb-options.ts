// Options that commands on a stack share.
import { type Command, Option } from "commander";
import type { ReportFormat } from "../../../reconciler/report/format-names.ts";
import { type ConnectionFlags, connectionOptions } from "../connection/connection.ts";
import { type OutputFlags, outputOptions } from "../output/output-options.ts";
import { type StackFlags, appendValue, stackOptions } from "./stack-options.ts";

/** Flags of a command on a stack. */
export interface VerbFlags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly adopt?: true;
  readonly replace?: readonly string[];
  readonly target?: readonly string[];
  readonly allowEmpty?: true;
}

/**
 * Adds the options of every command on a stack; `more` lists formats in addition to text and JSON.
 */
export function verbOptions(command: Command, more: readonly ReportFormat[] = []): Command {
  return outputOptions(connectionOptions(stackOptions(command)), more);
}

/** Returns the option that shows long lists in full. */
export function fullOption(): Option {
  return new Option("--full", "show every object of long lists in text output");
}

/** Returns the option that lists the checks that a plan could not run. */
export function verboseOption(): Option {
  return new Option(
    "--verbose",
    "list what could not be checked before the first write, and all changes inside large values",
  );
}

/** Returns the option that adopts existing objects. */
export function adoptOption(): Option {
  return new Option("--adopt", "import existing objects that are declared and that no stack owns");
}

/** Returns the option that forces replacement. */
export function replaceOption(): Option {
  const help = "force replacement of this object (Kind/name); repeatable";
  return new Option("--replace <address>", help).argParser(appendValue);
}

/** Returns the option that limits a plan. */
export function targetOption(): Option {
  const help =
    "limit the plan to this resource (Kind/name) and what it depends on; repeatable; nothing else " +
    "is deleted";
  return new Option("--target <address>", help).argParser(appendValue);
}

/** Returns the option that lets an empty stack delete its objects. */
export function allowEmptyOption(): Option {
  return new Option(
    "--allow-empty",
    "allow a stack without documents to delete or forget what it owns",
  );
}
