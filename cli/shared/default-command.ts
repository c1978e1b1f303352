// Commands that run one of their verbs if the command line names none: `svc promote PIPELINE` is `svc promote run PIPELINE`.
import type { Command } from "commander";

const withDefault = new WeakSet<Command>();

/** Adds the verb that runs without its name. */
export function addDefaultCommand(parent: Command, command: Command): void {
  parent.addCommand(command, { isDefault: true });
  withDefault.add(parent);
}

/** Returns whether a command runs one of its verbs without its name. */
export function hasDefaultCommand(command: Command): boolean {
  return withDefault.has(command);
}
