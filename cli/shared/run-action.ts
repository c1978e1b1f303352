// What every command has around its work: its output, Ctrl-C, and an exit code whatever happens.
import { isFailure } from "../../core/errors.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { failureJson, failureReport, reportFailure } from "./failure.ts";
import { type Interrupt, listenForInterrupt } from "./interrupt.ts";
import { createOutput, type Output, type OutputFlags } from "./output.ts";

/** What a command works with. */
export interface CommandContext {
  readonly output: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly interrupt: Interrupt;
}

/** Runs a command's work, which answers its exit code. What it throws is told, and as JSON where that is the output. */
export async function runAction(
  flags: OutputFlags,
  work: (context: CommandContext) => Promise<number>,
): Promise<void> {
  const output = createOutput(flags);
  const interrupt = listenForInterrupt((message) => output.warn(() => message));
  try {
    process.exitCode = await work({ output, signal: interrupt.signal, interrupt });
  } catch (error) {
    reportFailure(error);
    const json = () => failureJson(error);
    output.result({ text: () => "", json, report: failureReport(error) });
    const stopped = isFailure(error, "aborted") ? interrupt.exitCode() : undefined;
    process.exitCode = stopped ?? exitCodeOf(error);
  } finally {
    interrupt.dispose();
  }
}
