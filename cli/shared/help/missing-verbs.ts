// Remembers the alternatives to verbs that a command does not have: `svc embed tenants create`.
import type { Command } from "commander";

const remedies = new WeakMap<Command, Map<string, string>>();

/** Remembers the alternative to a verb. */
export function setMissingVerb(command: Command, verb: string, remedy: string): void {
  remedies.set(command, (remedies.get(command) ?? new Map<string, string>()).set(verb, remedy));
}

/** Returns the alternative to a verb that a command does not have. */
export function missingVerbRemedy(command: Command, verb: string): string | undefined {
  return remedies.get(command)?.get(verb);
}
