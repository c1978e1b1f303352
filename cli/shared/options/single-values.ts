// Refuses an option that is given twice although it has one value, of which commander would silently use the last.
import { EventEmitter } from "node:events";
import type { Command } from "commander";

/** Makes a command fail for an option with one value that is given more than once. Options that collect values may repeat. */
export function refuseRepeatedOptions(command: Command): void {
  // A command is an emitter, which the types of commander leave out.
  const events = EventEmitter.prototype;
  for (const option of command.options) {
    if (!option.required && !option.optional) continue;
    const name = option.attributeName();
    events.prependListener.call(command, `option:${option.name()}`, () => {
      const before: unknown = command.getOptionValue(name);
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (!isGiven || (typeof before === "object" && before !== null)) return;
      command.error(`error: option '${option.flags}' is given more than once`, {
        code: "commander.repeatedOption",
      });
    });
  }
}
