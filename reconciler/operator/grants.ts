// Grants: the operator's permissions for manifests, beyond declaring objects. A pull request cannot change them.
import { limits } from "../../core/limits/limits.ts";
import { isModifiableFrom } from "./path-containment.ts";
import { shellQuote } from "../../core/text/shell-quote.ts";
import type { Freeze, Window } from "../model/windows/window-schema.ts";

/** The origins and commands that checks of pipelines may use. */
export interface CheckGrants {
  /** Origins: `https://host`, or `https://*.host` for all subdomains. Only the former may be a private address. */
  readonly origins: readonly string[];
  /** Programs, by the names that pipelines use. */
  readonly commands: Readonly<Record<string, string>>;
}

/** The files that one `age` key may decrypt. */
export interface AgeGrant {
  /** Absolute path of the key file. */
  readonly identity: string;
  /** Absolute paths. A path that ends in `/` covers a whole folder. */
  readonly files: readonly string[];
}

/**
 * A command that may run: a program without arguments, or a program with all its arguments.
 * {@link argumentWildcard} stands for one argument that the manifest chooses.
 */
export type CommandGrant = string | readonly string[];

/** Stands for one argument that the manifest chooses. The argument must not be empty or an option. */
export const argumentWildcard = "*";

/** The permissions that the operator gives to manifests. */
export interface Grants {
  /** Environment variables that may be read if the Stack lists them too; `stack` permits all that it lists. */
  readonly environment: readonly string[] | "stack";
  /** Absolute paths of files that secrets may be read from. A path that ends in `/` covers a whole folder. */
  readonly files: readonly string[];
  /** Commands that may run to obtain a secret. */
  readonly commands: readonly CommandGrant[];
  /** Absolute paths of files that `sops` may decrypt. A path that ends in `/` covers a whole folder. */
  readonly sops: readonly string[];
  /** Files that `age` may decrypt, by key. */
  readonly age: readonly AgeGrant[];
  /** Origins that svc may connect to. Undefined permits only the configured one. */
  readonly origins: readonly string[] | undefined;
  /** The required inventory backend. Absent if the Stack may choose. */
  readonly inventory?: "service" | "postgres";
  /** The upper bound of a Stack's `maxDeletes`. */
  readonly maxDeletes: number;
  /** The upper bound of a Stack's `maxDeletePercent`. Undefined for no bound. */
  readonly maxDeletePercent: number | undefined;
  /** Pipeline stages that may be promoted to automatically, or `all`. */
  readonly promotion: readonly string[];
  /** Pipeline stages that may get a version which the stages before have not verified, or `all`. Default: none. */
  readonly skipStages?: readonly string[];
  /** Whether a stage may be rolled back during the operator's windows and freezes. Default: no. */
  readonly rollbackInFreeze?: boolean;
  /** The origins and commands that checks of pipelines may use. Default: nothing. */
  readonly checks?: Partial<CheckGrants>;
  /** The operator's maintenance windows. A Stack's windows can only restrict further. */
  readonly windows: readonly Window[];
  /** The operator's freezes. */
  readonly freezes: readonly Freeze[];
  /** Absolute path of the grants file. Undefined if there is none. */
  readonly file: string | undefined;
}

/** The defaults, without any grant. */
export const noGrants: Grants = Object.freeze({
  environment: [],
  files: [],
  commands: [],
  sops: [],
  age: [],
  origins: undefined,
  maxDeletes: limits.deletesWithoutGrant,
  maxDeletePercent: undefined,
  promotion: [],
  windows: [],
  freezes: [],
  file: undefined,
});

/** Members of the grants file that `--grant MEMBER=VALUE` adds to, with the meaning of their values. */
export const grantMembers = {
  environment: "NAME",
  files: "PATH",
  sops: "PATH",
  promotion: "STAGE",
  skipStages: "STAGE",
  "checks.origins": "ORIGIN",
  "checks.commands": "NAME=FILE",
} as const;

/** A member of the grants file that `--grant` adds to. */
export type GrantMember = keyof typeof grantMembers;

/** Returns the remedy of a refusal: the exact grant to give. */
export function grantRemedy(member: GrantMember, value: string): string {
  const option = shellQuote(`${member}=${value}`);
  return `If you trust its authors, pass --grant ${option}, or add it to \`${member}\` in the grants file.`;
}

/** Returns true if the grant covers exactly this command, with all its arguments and no others. */
export function coversCommand(granted: CommandGrant, command: readonly string[]): boolean {
  const words = typeof granted === "string" ? [granted] : granted;
  return words.length > 0 && words.length === command.length && coversWords(words, command);
}

/** Returns true if the granted list is a proper prefix of the command, for a hint in the refusal. */
export function isCommandPrefix(granted: CommandGrant, command: readonly string[]): boolean {
  if (typeof granted === "string" || granted.length === 0) return false;
  return granted.length < command.length && coversWords(granted, command);
}

function coversWords(words: readonly string[], command: readonly string[]): boolean {
  return words.every((word, index) => {
    const argument = command[index] ?? "";
    // The wildcard never stands for the program.
    return word === argumentWildcard && index > 0 ? !/^(?:-|$)/u.test(argument) : word === argument;
  });
}

/** Returns true if a change of the stack's folder could change the grants file. */
export function areGrantsInFolder(folder: string, { file }: Grants): boolean {
  return file !== undefined && isModifiableFrom(folder, file);
}
