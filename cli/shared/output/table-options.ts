// Options of commands that print a table.
import { type Command, InvalidArgumentError, Option } from "commander";
import { setValues } from "../lookup/name-source.ts";

/** Values of {@link columnOptions}. */
export interface ColumnFlags {
  readonly wide?: true;
  readonly columns?: readonly string[];
  readonly sort?: string;
}

/** Values of {@link tableOptions}. */
export interface TableFlags extends ColumnFlags {
  readonly output?: "table" | "json" | "csv";
  readonly json?: true;
  readonly jq?: string;
}

/** Adds the options that select the form of a table. */
export function tableOptions(command: Command, hasCsv = false): Command {
  command
    .optionsGroup("Output:")
    .addOption(
      new Option("--output <form>", "format of the rows (default: table)").choices([
        "table",
        "json",
        ...(hasCsv ? ["csv"] : []),
      ]),
    );
  return jsonOptions(columnOptions(command));
}

/**
 * Adds the options that select the columns and the order of the rows. `titles` lists the columns for completion, where they
 * are known.
 */
export function columnOptions(
  command: Command,
  titles: () => Promise<readonly string[]> = async () => [],
): Command {
  const columns = new Option(
    "--columns <names>",
    "columns to print, separated by commas; also members of the JSON output",
  ).argParser(namesOf);
  const sort = new Option("--sort <column>", "sort the rows by a column; -COLUMN for descending");
  setValues(columns, async (word) =>
    (await import("../lookup/column-candidates.ts")).columnCandidates(await titles(), word),
  );
  setValues(sort, async (word) =>
    (await import("../lookup/column-candidates.ts")).sortCandidates(await titles(), word),
  );
  return command
    .option("--wide", "do not shorten columns to the width of the terminal")
    .addOption(columns)
    .addOption(sort);
}

/** Adds the options of results that are JSON. */
export function jsonOptions(
  command: Command,
  jsonHelp = "same as --output json; errors are JSON too",
): Command {
  return command
    .option("--json", jsonHelp)
    .option("--jq <expression>", "filter the JSON with jq; prints text without quotes");
}

function namesOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return names;
  throw new InvalidArgumentError("Separate names by commas.");
}
