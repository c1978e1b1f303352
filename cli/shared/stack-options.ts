// Which manifests, with which values, and what they may read: the options of every command on a stack.
import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { Failure } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import { type Grants, noGrants } from "../../reconciler/operator/grants.ts";
import { readGrants } from "../../reconciler/policy/grants-file.ts";
import type { LoadOptions } from "../../reconciler/manifest/load.ts";
import { kinds } from "../../resources/index.ts";
import type { ConnectionFlags } from "./connection.ts";
import { readStandardInput } from "./streams.ts";

/** What the options of {@link stackOptions} give. */
export interface StackFlags {
  readonly var?: Readonly<Record<string, JsonValue>>;
  readonly varJson?: Readonly<Record<string, JsonValue>>;
  readonly allowEnv?: readonly string[];
  readonly allowSecretFile?: readonly string[];
  readonly allowTypescript?: readonly string[];
  readonly grants?: string;
}

/** What is said of the argument of every command on a stack. */
export const pathsHelp =
  "manifest files and folders, - for standard input; none: the current folder";

/** Adds the options that say how manifests are read. */
export function stackOptions(command: Command): Command {
  return command
    .optionsGroup("Manifests:")
    .option("--var <name=value>", "text for ${name} in the manifests", variable(String))
    .option(
      "--var-json <name=json>",
      "the same for numbers, lists and the like",
      variable(parseJson),
    )
    .option("--allow-env <name>", "let the manifests read an environment variable", appendValue)
    .option(
      "--allow-secret-file <path>",
      "let secrets be read from a file, or from a folder with / at its end",
      appendValue,
    )
    .option(
      "--allow-typescript <path>",
      "let a manifest in TypeScript be run, or those of a folder with / at its end",
      appendValue,
    )
    .option(
      "--grants <file>",
      "what the manifests may do, written by an operator (else SVC_GRANTS)",
    );
}

type Variables = Readonly<Record<string, JsonValue>>;

function variable(valueOf: (text: string) => JsonValue) {
  return (text: string, before: Variables = {}): Variables => {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_-]*)=(.*)$/su.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new InvalidArgumentError("Write name=value.");
    }
    return { ...before, [name]: valueOf(value) };
  };
}

/** Collects the values of an option that may be given several times. */
export function appendValue(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new InvalidArgumentError("Its value is not valid JSON.");
  }
}

/** A slash at the end says that it is a folder, and stays. */
function absolutePath(given: string): string {
  return `${path.resolve(given)}${given.endsWith("/") ? "/" : ""}`;
}

/** What the file of the operator grants, and the flags of this one run. */
function grantsOf({
  grants,
  allowEnv = [],
  allowSecretFile = [],
  allowTypescript = [],
}: StackFlags): Grants {
  const file = grants ?? process.env["SVC_GRANTS"];
  const given = file === undefined || file === "" ? noGrants : readGrants(file);
  const { environment, typescript = [] } = given;
  return {
    ...given,
    environment: environment === "stack" ? environment : [...environment, ...allowEnv],
    typescript:
      typescript === true ? true : [...(typescript || []), ...allowTypescript.map(absolutePath)],
    files: [...given.files, ...allowSecretFile.map(absolutePath)],
  };
}

/** How the reconciler is to read the stack. Fails with `usage` where standard input would be read twice. */
export function loadOptions(
  paths: readonly string[],
  flags: StackFlags & Pick<ConnectionFlags, "apiKeyFile">,
): LoadOptions {
  if (paths.includes("-") && flags.apiKeyFile === "-") {
    throw new Failure("usage", "standard input cannot hold both the manifests and the API key");
  }
  const missing = paths.filter((one) => one !== "-" && !existsSync(one));
  if (missing.length > 0) {
    throw new Failure("usage", `there is no ${missing.join(" and no ")}`, {
      remedy: "name files and folders as they are seen from the current folder",
    });
  }
  return {
    paths,
    cwd: process.cwd(),
    kinds,
    variables: { ...flags.var, ...flags.varJson },
    grants: grantsOf(flags),
    env: process.env,
    stdin: () => readStandardInput(limits.manifestBytes),
  };
}
