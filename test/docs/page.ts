// Runs a page of documentation: writes its files and runs its commands in order.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file that the page asks the reader to write. */
export interface FileStep {
  readonly step: "file";
  readonly path: string;
  readonly content: string;
}

/** A command that the page shows, and the output it shows below it. */
export interface CommandStep {
  readonly step: "command";
  readonly command: string;
  readonly expected: readonly string[];
  /** True if the page shows that the reader stops the command. */
  readonly isInterrupted: boolean;
  /** Line of the command in the page, from 1. */
  readonly line: number;
}

/** One step of the reader. */
export type Step = FileStep | CommandStep;

/**
 * Reads the steps of a page. A code block whose first line is a comment with a path (`# my-stack/stack.yaml`) is a
 * file, which includes that line if its format has comments. A JSON block after a paragraph that ends with a path
 * (`… \`versions.json\`:`) is that file. In a `console` block each line that begins with `$ ` is a
 * command, which `\` continues on the next line. The lines below it are its output; `^C` means that the reader stops
 * it.
 */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  const lines = page.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, indent = "", language] = /^(\s*)```(\w+)/u.exec(lines[at] ?? "") ?? [];
    if (language === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line === `${indent}\`\`\``);
    const block = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const named = language === "json" ? jsonFilesOf(block, lines.slice(0, at)) : filesOf(block);
    steps.push(...(language === "console" ? commandsOf(block, at + 2) : named));
    at = end;
  }
  return steps;
}

function commandsOf(block: readonly string[], firstLine: number): readonly CommandStep[] {
  const starts = block.flatMap((line, index) => (line.startsWith("$ ") ? [index] : []));
  return starts.map((start, index) => {
    const lines = block.slice(start, starts[index + 1]);
    const last = lines.findIndex((line) => !line.endsWith("\\"));
    return {
      step: "command",
      command: lines
        .slice(0, last + 1)
        .join("\n")
        .slice(2),
      expected: lines.slice(last + 1).filter((line) => line !== "" && line !== interrupt),
      isInterrupted: lines.includes(interrupt),
      line: firstLine + start,
    };
  });
}

/** The line of a page that shows that the reader stops the command. */
const interrupt = "^C";

/** Formats in which the comment with the path stays in the file. */
const commentedFormats = /\.(?:ya?ml|[jt]s)$/u;

function filesOf(block: readonly string[]): readonly FileStep[] {
  const [, path] = /^(?:#|\/\/) ([\w./-]+\/[\w.-]+|[\w-]+\.\w+)$/u.exec(block[0] ?? "") ?? [];
  if (path === undefined) return [];
  const lines = commentedFormats.test(path) ? block : block.slice(1);
  return [{ step: "file", path, content: `${lines.join("\n")}\n` }];
}

/** JSON has no comments, so that the text above the block names its file. */
function jsonFilesOf(block: readonly string[], above: readonly string[]): readonly FileStep[] {
  const sentence = above.findLast((line) => line.trim() !== "") ?? "";
  const [, path] = /`([\w./-]+\.json)`:$/u.exec(sentence) ?? [];
  return path === undefined ? [] : [{ step: "file", path, content: `${block.join("\n")}\n` }];
}

/** Writes a file of the page below a folder. */
export function writeFile({ path, content }: FileStep, folder: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Returns true if the page shows that a command prints something, but leaves out every word and number of it. */
export function showsOnlyOmission({ expected }: CommandStep): boolean {
  return expected.length > 0 && !expected.some((line) => /[\p{L}\p{N}]/u.test(line));
}

/** Returns the lines that a command should have printed. Exit codes are compared exactly. */
export function missingOutput(
  { command, expected }: CommandStep,
  output: string,
): readonly string[] {
  if (command !== "echo $?") return missingLines(expected, output);
  return output.trim() === expected.join("\n") ? [] : expected;
}

/**
 * Returns the lines of `expected` that `output` lacks, in order. `…` in a line stands for any text, and a line that is
 * only `…` for any number of lines; without any expected line, nothing may be printed. Digits stand for any number:
 * ids, ports and times differ from run to run. The line and column of a file are compared exactly.
 */
export function missingLines(expected: readonly string[], output: string): readonly string[] {
  // CSV has lines that end with CRLF.
  const printed = output.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const missing: string[] = [];
  let from = 0;
  let isOpen = false;
  for (const line of expected) {
    if (line.trim() === "…") {
      isOpen = true;
      continue;
    }
    const pattern = patternOf(line);
    const found = printed.findIndex(
      (one, index) => (isOpen ? index >= from : index === from) && pattern.test(one),
    );
    if (found === -1) missing.push(line);
    else from = found + 1;
    isOpen = false;
  }
  if (missing.length === 0 && !isOpen && from < printed.length) {
    return [`(nothing more, but printed: ${printed[from]})`];
  }
  return missing;
}

/** Returns standard error without the position of a slow run, which a terminal shows only until the next line. */
export function withoutProgress(err: string): string {
  return err
    .split("\n")
    .filter(
      (line) =>
        !/^(?:Reading|Checking|Applying|Verifying) (?:…|\d+\/\d+, )|^waiting |^Uploaded .* …$|^build \d+: |: building … \d+ s$/u.test(
          line,
        ),
    )
    .join("\n");
}

function patternOf(line: string): RegExp {
  const escaped = line.trimEnd().replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  const pattern = escaped
    .replaceAll("…", ".*")
    .replace(/\.\w+:\d+:\d+|\d+/gu, (found) => (found.startsWith(".") ? found : "\\d+"));
  return new RegExp(`^${pattern}$`, "u");
}
