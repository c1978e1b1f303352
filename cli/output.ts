// Where results and messages go: one result on standard output, everything said to a person on standard error.
import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { Failure } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { wantsColor, widthOf } from "./streams.ts";

/** What the options of {@link outputOptions} give. */
export interface OutputFlags {
  readonly output: "text" | "json";
  readonly json?: true;
  readonly jsonInto?: string;
  readonly color: boolean;
  readonly quiet?: true;
}

/** How text for a stream is to look. */
export interface Look {
  readonly color: boolean;
  readonly width: number;
}

/** The two sides of a result: text for people, JSON for programs. Only what is asked for is made. */
export interface Result {
  readonly text: (look: Look) => string;
  readonly json: () => JsonValue;
}

/** What a command says and shows. */
export interface Output {
  /** Results are JSON. */
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  /** Standard error may be coloured. */
  readonly color: boolean;
  /** The one result: on standard output, and as JSON in a file where that was asked for. */
  result(result: Result): void;
  /** Text that belongs to the result and stands before it; on standard error where results are JSON. */
  readonly show: (text: (look: Look) => string) => void;
  /** Said to a person on standard error, unless they want it quiet. */
  readonly tell: (text: (look: Look) => string) => void;
  /** The same, quiet or not. */
  readonly warn: (text: (look: Look) => string) => void;
}

/** Adds the options that say how to answer. */
export function outputOptions(command: Command): Command {
  return command
    .optionsGroup("Output:")
    .addOption(
      new Option("--output <form>", "form of the result on standard output")
        .choices(["text", "json"])
        .default("text"),
    )
    .option("--json", "the same as --output json")
    .option("--json-into <file>", "write the result as JSON into a file as well")
    .option("--no-color", "no colours (else NO_COLOR, FORCE_COLOR, or what the terminal can)")
    .option("--quiet", "say nothing but the result and what went wrong");
}

/** The output that the flags ask for. Fails with `usage` where the file for JSON cannot be written. */
export function createOutput(flags: OutputFlags): Output {
  // Before anything is done, for a result that finds no place would be lost.
  if (flags.jsonInto !== undefined) writeJson(flags.jsonInto, "");
  const isJson = flags.json === true || flags.output === "json";
  const isQuiet = flags.quiet === true;
  const on = (stream: NodeJS.WriteStream, text: (look: Look) => string): void => {
    const said = text({ color: wantsColor(stream, flags.color), width: widthOf(stream) });
    if (said !== "") stream.write(said.endsWith("\n") ? said : `${said}\n`);
  };
  const warn: Output["warn"] = (text) => on(process.stderr, text);
  const tell: Output["tell"] = (text) => {
    if (!isQuiet) warn(text);
  };
  return {
    isJson,
    isQuiet,
    color: wantsColor(process.stderr, flags.color),
    tell,
    warn,
    show: (text) => (isJson ? tell(text) : on(process.stdout, text)),
    result: ({ text, json }) => {
      if (flags.jsonInto !== undefined) writeJson(flags.jsonInto, jsonText(json()));
      on(process.stdout, isJson ? () => jsonText(json()) : text);
    },
  };
}

/** JSON for a file, a pipe or a terminal: nothing in it can steer a terminal. */
export function jsonText(value: JsonValue): string {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/gu, escaped)}\n`;
}

function writeJson(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `${file} cannot be written: ${code ?? "unknown"}`, { cause: error });
  }
}
