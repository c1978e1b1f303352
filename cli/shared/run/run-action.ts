// Runs the action of a command: creates its output, handles Ctrl-C, and sets the exit code.
import { Failure, isFailure } from "../../../core/errors.ts";
import { clearLine } from "../../../reconciler/report/progress.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { failureReport, reportFailure, thrownJson } from "./failure.ts";
import { type Interrupt, listenForInterrupt } from "../interrupt.ts";
import { type Output, createOutput } from "../output/output.ts";
import type { JqFilter } from "../output/jq.ts";
import type { OutputFlags } from "../output/output-options.ts";

/** Context of a running command. */
export interface CommandContext {
  readonly output: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly interrupt: Interrupt;
  /** Targets of `--target` that the stack does not have, and that other stacks of the command may have. */
  readonly missingTargets?: readonly string[];
}

/**
 * Runs an action, which returns its exit code. Errors are printed, and are the result if the output is
 * JSON.
 */
export async function runAction(
  flags: OutputFlags,
  work: (context: CommandContext) => Promise<number>,
): Promise<void> {
  const output = createOutput(flags, await jqOf(flags));
  const interrupt = listenForInterrupt((message) => {
    // The status line of the progress, which is drawn again below the message.
    if (process.stderr.isTTY) process.stderr.write(clearLine);
    output.warn(() => message);
  });
  try {
    process.exitCode = await work({ output, signal: interrupt.signal, interrupt });
  } catch (error) {
    process.exitCode = reportError(error, { output, interrupt });
  } finally {
    interrupt.dispose();
  }
}

/** Compiles `--jq` before any work is done. */
async function jqOf({ jq, output }: OutputFlags): Promise<JqFilter | undefined> {
  if (jq === undefined) return undefined;
  if (output !== "json" && output !== "text") {
    throw new Failure("usage", `--jq prints JSON, and --output ${output} does not`);
  }
  return (await import("../output/jq.ts")).compileJq(jq);
}

/** Prints an error, which is the result if the output is not text, and returns its exit code. */
export function reportError(
  error: unknown,
  { output, interrupt }: Pick<CommandContext, "output" | "interrupt">,
): number {
  reportFailure(error);
  const json = () => thrownJson(error);
  output.result({ text: () => "", json, isError: true, report: failureReport(error) });
  const stopped = isFailure(error, "aborted") ? interrupt.exitCode() : undefined;
  return stopped ?? exitCodeOf(error);
}
