// Remembers the candidates of completion for arguments and options of commands: names of the server, or values that a
// module lists.
import type { Argument, Option } from "commander";
import type { Candidate } from "./candidate.ts";
import type { Lookup } from "./lookup.ts";

/** How the names of an argument are found, and the member of the request that it is. */
export interface NameSource {
  readonly member: string;
  readonly lookup: Lookup;
}

const sources = new WeakMap<Argument | Option, NameSource>();

/** Remembers the source of an argument or an option. */
export function setNameSource(of: Argument | Option, source: NameSource): void {
  sources.set(of, source);
}

/** Returns the source of an argument or an option. */
export function nameSourceOf(of: Argument | Option): NameSource | undefined {
  return sources.get(of);
}

/** Lists the values that may follow a beginning. Loaded when a shell completes. */
export type ListValues = (word: string) => Promise<readonly Candidate[]>;

const lists = new WeakMap<Argument | Option, ListValues>();

/** Remembers the values of an argument or an option. */
export function setValues<T extends Argument | Option>(of: T, list: ListValues): T {
  lists.set(of, list);
  return of;
}

/** Returns the function that lists the values of an argument or an option. */
export function listedValuesOf(of: Argument | Option): ListValues | undefined {
  return lists.get(of);
}
