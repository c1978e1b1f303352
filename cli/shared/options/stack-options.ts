// Options of every command on a stack: manifests, variables and grants.
import type { Command } from "commander";
import { Failure } from "../../../core/errors.ts";
import type { JsonValue } from "../../../core/json.ts";
import { jsonLossReason } from "../../../core/text/exact-numbers.ts";
import { upperFirst } from "../../../core/text/naming.ts";
import { grantForms } from "../../../reconciler/policy/grant-option.ts";

/** Values of {@link stackOptions}. */
export interface StackFlags {
  readonly var?: Readonly<Record<string, JsonValue>>;
  readonly varJson?: Readonly<Record<string, JsonValue>>;
  readonly grant?: readonly string[];
  readonly grants?: string;
}

/** Help for the path arguments of commands on a stack. */
export const pathsHelp =
  "manifest files and folders, or - for standard input (default: the current folder)";

/** Help for the path arguments of commands on one or several stacks. */
export const stacksHelp = `${pathsHelp}; several paths with a Stack each are several stacks`;

/** Adds the options for reading manifests. */
export function stackOptions(command: Command): Command {
  return command
    .optionsGroup("Manifests:")
    .option("--var <name=value>", "set the variable ${name} to a string", variable(String))
    .option("--var-json <name=json>", "set a variable to a JSON value", variable(parseJson))
    .option(
      "--grant <member=value>",
      `grant a permission to the manifests: ${grantForms.join(", ")}; repeatable`,
      appendValue,
    )
    .option("--grants <file>", "grants file of the operator (default: SVC_GRANTS)");
}

type Variables = Readonly<Record<string, JsonValue>>;

function variable(valueOf: (text: string) => JsonValue) {
  return (text: string, before: Variables = {}): Variables => {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_-]*)=(.*)$/su.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw invalidVariable("Use name=value.");
    }
    return { ...before, [name]: valueOf(value) };
  };
}

/** Collects the values of a repeatable option. */
export function appendValue(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw invalidVariable("The value must be JSON.");
  }
  const loss = jsonLossReason(text);
  if (loss === undefined) return value;
  throw invalidVariable(`${upperFirst(loss.problem)}. ${loss.remedy}`);
}

/** Returns the failure for a variable, whose value can be a secret: an error of the parser would show it. */
function invalidVariable(remedy: string): Failure {
  return new Failure("usage", "the value of --var or --var-json is invalid", { remedy });
}
