// Runs the command line tool within the process of the test, which saves the start of another one. Not for concurrent runs.
import { vi } from "vitest";
import { runProgram } from "../../cli/program.ts";
import type { CommandResult } from "./run-cli.ts";

/** Runs to the end. The process keeps its own folder and environment, so this suits help and wrong usage. */
export async function runInProcess(args: readonly string[]): Promise<CommandResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const collect = (into: string[]) => (text: unknown) => into.push(String(text)) > 0;
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(collect(out)),
    vi.spyOn(process.stderr, "write").mockImplementation(collect(err)),
  ];
  const before = process.exitCode;
  try {
    const code = await runProgram(args, "0.0.0");
    return { code, out: out.join(""), err: err.join("") };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
