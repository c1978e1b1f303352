// Where results and messages go: one result on standard output, everything said to a person on standard error.
import { type Command, Option } from "commander";
import { invariant } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { jsonText } from "../../reconciler/report/json-text.ts";
import { type ReportFormat, renderReport } from "../../reconciler/report/render.ts";
import type { TextStyle } from "../../reconciler/report/style.ts";
import type { Report } from "../../reconciler/report/report.ts";
import { jsonFile } from "./json-file.ts";
import { wantsColor, widthOf } from "./streams.ts";

/** What the options of {@link outputOptions} give. */
export interface OutputFlags {
  readonly output: "text" | "json" | ReportFormat;
  readonly json?: true;
  readonly jsonInto?: string;
  /** `false` for `--no-color`. */
  readonly color?: ColorMode | false;
  /** Of commands that show long lists. */
  readonly full?: true;
  readonly quiet?: true;
}

/** When to use colours; `auto` asks the environment and the terminal. */
export type ColorMode = "always" | "never" | "auto";

/** The sides of a result: text for people, JSON for programs, and what the other forms are made from. Only what is asked for is made. */
export interface Result {
  readonly text: (look: TextStyle) => string;
  readonly json: () => JsonValue;
  /** Given where a result has a Markdown of its own instead of a report. */
  readonly markdown?: () => string;
  /** Given by every command that offers the other forms. */
  readonly report?: Report;
}

/** What a command says and shows. */
export interface Output {
  /** Results are JSON. */
  readonly isJson: boolean;
  /** Results are text for people. */
  readonly isText: boolean;
  readonly isQuiet: boolean;
  /** Standard error may be coloured. */
  readonly color: boolean;
  /** The one result: on standard output, and as JSON in a file where that was asked for. A second one is not shown. */
  result(result: Result): void;
  /** Text that belongs to the result and stands before it; on standard error where results are for programs. */
  readonly print: (text: (look: TextStyle) => string) => void;
  /** Said to a person on standard error, unless they want it quiet. */
  readonly info: (text: (look: TextStyle) => string) => void;
  /** The same, quiet or not. */
  readonly warn: (text: (look: TextStyle) => string) => void;
}

/** Adds the options that say how to answer, in other forms too where they are named. */
export function outputOptions(command: Command, more: readonly ReportFormat[] = []): Command {
  return command
    .optionsGroup("Output:")
    .addOption(
      new Option("--output <form>", "form of the result on standard output")
        .choices(["text", "json", ...more])
        .default("text"),
    )
    .option("--json", "the same as --output json")
    .option("--json-into <file>", "write the result as JSON into a file as well")
    .addOption(
      new Option(
        "--color <when>",
        "always, never or auto: NO_COLOR, FORCE_COLOR, or what the terminal can (default: auto)",
      ).choices(["always", "never", "auto"]),
    )
    .option("--no-color", "the same as --color never")
    .option("--quiet", "say nothing but the result and what went wrong");
}

/** The output that the flags ask for. Fails with `usage` where the file for JSON cannot be written, or is something else. */
export function createOutput(flags: OutputFlags): Output {
  // Before anything is done, for a result that finds no place would be lost.
  const file = flags.jsonInto === undefined ? undefined : jsonFile(flags.jsonInto);
  let answered = false;
  const form = flags.json === true ? "json" : flags.output;
  const [isJson, isText] = [form === "json", form === "text"];
  const isQuiet = flags.quiet === true;
  const on = (stream: NodeJS.WriteStream, text: (look: TextStyle) => string): void => {
    const said = text({
      color: wantsColor(stream, flags.color),
      width: widthOf(stream),
      full: flags.full === true,
    });
    if (said !== "") stream.write(said.endsWith("\n") ? said : `${said}\n`);
  };
  const warn: Output["warn"] = (text) => on(process.stderr, text);
  const tell: Output["info"] = (text) => {
    if (!isQuiet) warn(text);
  };
  return {
    isJson,
    isText,
    isQuiet,
    color: wantsColor(process.stderr, flags.color),
    info: tell,
    warn,
    print: (text) => (isText ? on(process.stdout, text) : tell(text)),
    result: (result) => {
      // Of a file that cannot be written after all, only standard error tells.
      if (answered) return;
      answered = true;
      on(process.stdout, (look) => resultText(result, form, look));
      file?.write(jsonText(result.json()));
    },
  };
}

function resultText(
  { text, json, markdown, report }: Result,
  form: OutputFlags["output"],
  look: TextStyle,
): string {
  if (form === "text") return text(look);
  if (form === "json") return jsonText(json());
  if (form === "markdown" && markdown !== undefined) return markdown();
  invariant(report !== undefined, `a result has no report to be shown as ${form}`);
  return renderReport(form, report);
}
