// Commands that run one of their verbs if the command line names none: `svc promote PIPELINE` is `svc promote run PIPELINE`.
import type { Command } from "commander";

const defaults = new WeakMap<Command, Command>();

/** Adds the verb that runs without its name. */
export function addDefaultCommand(parent: Command, command: Command): void {
  parent.addCommand(command, { isDefault: true });
  defaults.set(parent, command);
}

/** Returns the verb that a command runs without its name; undefined if each verb needs its name. */
export function defaultCommandOf(command: Command): Command | undefined {
  return defaults.get(command);
}
