// Output of commands: one result on standard output, messages on standard error.
import { invariant } from "../../../core/errors.ts";
import { escapeLines, escapeRunnerCommands, jsonEscape } from "../../../core/text/escape-text.ts";
import type { JsonValue } from "../../../core/json.ts";
import { jsonText } from "../../../reconciler/report/json-text.ts";
import type { ReportFormat } from "../../../reconciler/report/format-names.ts";
import { renderReport } from "../../../reconciler/report/render.ts";
import type { TextStyle } from "../../../reconciler/report/style.ts";
import type { Report } from "../../../reconciler/report/report.ts";
import { jsonFile } from "./json-file.ts";
import { fencedText, isRunnerLog, isWorkflowLog } from "./workflow-fence.ts";
import { wantsColor, widthOf } from "../streams.ts";
import type { JqFilter } from "./jq.ts";
import type { OutputFlags } from "./output-options.ts";

/**
 * A result in its formats: text, JSON, and the report behind the others. Only the requested format is
 * computed.
 */
export interface Result {
  readonly text: (style: TextStyle) => string;
  readonly json: () => JsonValue;
  /** Set if the result has its own Markdown format. */
  readonly markdown?: () => string;
  /** Set if the result combines the reports of several stacks. */
  readonly render?: (form: ReportFormat) => string;
  /** True for an error, which `--jq` leaves to standard error. */
  readonly isError?: true;
  /** Set by every command that offers Markdown, JUnit, SARIF or GitHub. */
  readonly report?: Report;
}

/** Prints results and messages of a command. */
export interface Output {
  /** True if results are JSON. */
  readonly isJson: boolean;
  /** True if results are text. */
  readonly isText: boolean;
  readonly isQuiet: boolean;
  /** True if standard error may be colored. */
  readonly color: boolean;
  /**
   * Prints the result to standard output, and as JSON to the file of `--json-into`. Ignores a second
   * result.
   */
  result(result: Result): void;
  /**
   * Prints text that belongs to the result, before it; to standard error unless results are text.
   */
  readonly print: (text: (style: TextStyle) => string) => void;
  /** Prints a message to standard error, unless `--quiet` is set. */
  readonly info: (text: (style: TextStyle) => string) => void;
  /** Prints a message to standard error, also with `--quiet`. */
  readonly warn: (text: (style: TextStyle) => string) => void;
}

/**
 * Creates the output that the flags request; `jq` is the compiled expression of `--jq`. Fails with
 * `usage` if the file for JSON cannot be written.
 */
export function createOutput(flags: OutputFlags, jq?: JqFilter): Output {
  // Checked before any work is done, so that no result is lost.
  const file = flags.jsonInto === undefined ? undefined : jsonFile(flags.jsonInto);
  let answered = false;
  const form = flags.json === true || jq !== undefined ? "json" : flags.output;
  const [isJson, isText] = [form === "json", form === "text"];
  const isQuiet = flags.quiet === true;
  const on = (
    stream: NodeJS.WriteStream,
    text: (style: TextStyle) => string,
    { isProse = true, isFenced = true }: { isProse?: boolean; isFenced?: boolean } = {},
  ): void => {
    const shown = text({
      color: wantsColor(stream, flags.color),
      width: widthOf(stream),
      full: flags.full === true,
      verbose: flags.verbose === true,
    });
    if (shown === "") return;
    // Text contains no commands of svc; in the other forms, the reports write and escape them.
    const escaped = isProse ? escapeRunnerCommands(shown) : shown;
    const lines = escaped.endsWith("\n") ? escaped : `${escaped}\n`;
    const { fd } = stream === process.stdout ? process.stdout : process.stderr;
    stream.write(isFenced && isWorkflowLog(fd, process.env) ? fencedText(lines) : lines);
  };
  const warn: Output["warn"] = (text) => on(process.stderr, text);
  const info: Output["info"] = (text) => {
    if (!isQuiet) warn(text);
  };
  return {
    isJson,
    isText,
    isQuiet,
    color: wantsColor(process.stderr, flags.color),
    info,
    warn,
    print: (text) => (isText ? on(process.stdout, text) : info(text)),
    result: (result) => {
      // A file that fails to be written is only reported on standard error.
      if (answered) return;
      answered = true;
      // Before the filter, which can fail: a generated secret is shown once.
      file?.write(jsonText(result.json()));
      // Other results and forms are read by programs.
      const isFenced = isText && result.report !== undefined;
      if (jq === undefined) {
        const how = { isProse: isText, isFenced };
        on(process.stdout, (style) => resultText(result, form, style), how);
      } else if (result.isError !== true)
        on(process.stdout, () => shownText(filtered(jq, result.json())), {
          isProse: false,
          isFenced: false,
        });
    },
  };
}

/** Filters a result. Prints it whole if that fails, because the command has succeeded and may not be repeatable. */
function filtered(jq: JqFilter, value: JsonValue): string {
  try {
    return jq(value);
  } catch (error) {
    process.stdout.write(jsonText(value));
    throw error;
  }
}

/**
 * Returns the text that jq prints; on a terminal without characters that control it, and in the log of a CI runner without
 * commands. JSON keeps its value there.
 */
function shownText(text: string): string {
  if (process.stdout.isTTY) return escapeLines(text);
  return isRunnerLog(process.stdout.fd, process.env)
    ? escapeRunnerCommands(text, jsonEscape)
    : text;
}

/** Returns a result in a form. */
export function resultText(
  { text, json, markdown, render, report }: Result,
  form: OutputFlags["output"],
  style: TextStyle,
): string {
  if (form === "text") return text(style);
  if (form === "json") return jsonText(json());
  if (render !== undefined) return render(form);
  if (form === "markdown" && markdown !== undefined) return markdown();
  invariant(report !== undefined, `this result cannot be shown as ${form}`);
  return renderReport(form, report);
}
