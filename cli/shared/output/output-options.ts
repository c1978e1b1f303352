// Options for the format of results.
import { type Command, Option } from "commander";
import type { ReportFormat } from "../../../reconciler/report/format-names.ts";

/** Values of {@link outputOptions}. */
export interface OutputFlags {
  readonly output: "text" | "json" | ReportFormat;
  readonly json?: true;
  /** Expression that converts the JSON. */
  readonly jq?: string;
  readonly jsonInto?: string;
  /** `false` for `--no-color`. */
  readonly color?: ColorMode | false;
  /** Only for commands that print long lists. */
  readonly full?: true;
  /** Only for commands that show plans. */
  readonly verbose?: true;
  readonly quiet?: true;
}

/** When to use colors; `auto` depends on the environment and the terminal. */
export type ColorMode = "always" | "never" | "auto";

/** Adds the output options, with the formats of `more`. */
export function outputOptions(command: Command, more: readonly ReportFormat[] = []): Command {
  return command
    .optionsGroup("Output:")
    .addOption(
      new Option("--output <form>", "format of the result on standard output")
        .choices(["text", "json", ...more])
        .conflicts("json")
        .default("text"),
    )
    .option("--json", "same as --output json")
    .option("--jq <expression>", "filter the JSON with jq; prints text without quotes")
    .option("--json-into <file>", "also write the result as JSON to this file")
    .addOption(
      new Option(
        "--color <when>",
        "when to use colors; auto, the default, obeys NO_COLOR and FORCE_COLOR, else looks for a terminal",
      ).choices(["always", "never", "auto"]),
    )
    .option("--no-color", "same as --color never")
    .option("--quiet", "print only the result and errors");
}
