// What manifests may do beyond wishing: granted by the operator, outside whatever a pull request can change; nothing by default.
import { limits } from "../../core/limits.ts";
import { isModifiableFrom } from "./path-containment.ts";
import type { Freeze, Window } from "../model/windows/window-schema.ts";

/** What checks of pipelines may do, whatever the pipeline says. */
export interface CheckGrants {
  /** `https://host`, or `https://*.host` for every host below one; only the former may be private. */
  readonly origins: readonly string[];
  /** Files that are run, by the name that pipelines call them. */
  readonly commands: Readonly<Record<string, string>>;
}

/** Files that one key of `age` may open. */
export interface AgeGrant {
  /** Absolute path of the file of the key. */
  readonly identity: string;
  /** Absolute paths; one that ends in `/` is a folder with all that is in it. */
  readonly files: readonly string[];
}

/**
 * A command that may be run: a program without arguments, or a program with all of its arguments, in which {@link argumentWildcard} stands
 * for one that manifests choose.
 */
export type CommandGrant = string | readonly string[];

/** In a granted command: one argument that manifests choose, which is neither empty nor an option. */
export const argumentWildcard = "*";

/** What an operator lets manifests do, whatever they say. */
export interface Grants {
  /** Environment variables that may be read, where the Stack names them too; `stack` for all that it names. */
  readonly environment: readonly string[] | "stack";
  /** Absolute paths of files that secrets may be read from; one that ends in `/` is a folder with all that is in it. */
  readonly files: readonly string[];
  /** Commands that may be run for a secret. */
  readonly commands: readonly CommandGrant[];
  /** Absolute paths of files that `sops` may decrypt for a secret; one that ends in `/` is a folder with all that is in it. */
  readonly sops: readonly string[];
  /** Files that `age` may decrypt for a secret, with the key that opens them. */
  readonly age: readonly AgeGrant[];
  /** Manifests in TypeScript that may be run: all, or these absolute paths; one that ends in `/` is a folder with all that is in it. */
  readonly typescript?: boolean | readonly string[];
  /** Origins that may be talked to; undefined is the one that the caller connects to. */
  readonly origins: readonly string[] | undefined;
  /** The one place where inventories are kept, whatever a Stack says; left out, the Stack chooses. */
  readonly inventory?: "service" | "postgres";
  /** The most that a Stack's `maxDeletes` can be. */
  readonly maxDeletes: number;
  /** The most that a Stack's `maxDeletePercent` can be; undefined is no such bound. */
  readonly maxDeletePercent: number | undefined;
  /** Stages of pipelines that may be promoted to without a person. */
  readonly promotion: readonly string[];
  /** Whether stages may be rolled back while the operator's windows and freezes hold; left out, they may not. */
  readonly rollbackInFreeze?: boolean;
  /** What checks of pipelines may ask and run, by the names that pipelines use; left out, nothing. */
  readonly checks?: Partial<CheckGrants>;
  /** The operator's own windows: a Stack's can close more, and open nothing. */
  readonly windows: readonly Window[];
  /** The operator's own freezes. */
  readonly freezes: readonly Freeze[];
  /** Absolute path of the file that granted this; undefined where there is none. */
  readonly file: string | undefined;
}

/** What is granted where nobody grants anything. */
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

/** True where the grant is for this very command, a program and its arguments: no word is missing, and none is more. */
export function coversCommand(granted: CommandGrant, command: readonly string[]): boolean {
  const words = typeof granted === "string" ? [granted] : granted;
  return words.length > 0 && words.length === command.length && coversWords(words, command);
}

/** True where a list would be for this command if it were how commands begin, as lists once were. */
export function isCommandPrefix(granted: CommandGrant, command: readonly string[]): boolean {
  if (typeof granted === "string" || granted.length === 0) return false;
  return granted.length < command.length && coversWords(granted, command);
}

function coversWords(words: readonly string[], command: readonly string[]): boolean {
  return words.every((word, at) => {
    const given = command[at] ?? "";
    // The program is never theirs to choose.
    return word === argumentWildcard && at > 0 ? !/^(?:-|$)/u.test(given) : word === given;
  });
}

/** True where a pull request that changes the stack's folder could change the grants as well. */
export function areGrantsInFolder(folder: string, { file }: Grants): boolean {
  return file !== undefined && isModifiableFrom(folder, file);
}
