// Runs `svc inventory unlock ID`: breaks the lock of a run that died.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { Failure, isFailure } from "../../core/errors.ts";
import { unlock } from "../../reconciler/verbs/inventory-admin.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import { isInteractive } from "../shared/streams.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportInvalidManifests } from "../shared/run/verb.ts";

export interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly yes?: true;
}

/** Runs `svc inventory unlock`. */
export function runInventoryUnlock(id: string, paths: string[], flags: Flags): Promise<void> {
  return runAction(flags, async (context) => {
    const { output } = context;
    const connection = () => serverAccess(flags);
    const options = { ...loadOptions(paths, flags), connection, id };
    const done = await breakLock((force) => unlock({ ...options, force }), {
      force: flags.yes === true,
      ask: isInteractive() ? (error) => askToBreak(error, context) : undefined,
    });
    if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
    output.result({
      text: () => `Broke lock ${id} of stack ${done.stack}.`,
      json: () => commandJson("inventory unlock", { unlocked: id, stack: done.stack }),
    });
    return exitCodes.done;
  });
}

/** Who decides about a lock whose holder may run. */
interface BreakOptions {
  /** True to break it without a question. */
  readonly force: boolean;
  /** Shows the refusal and asks; undefined without a terminal. */
  readonly ask: ((error: Failure) => Promise<boolean>) | undefined;
}

/** Breaks a lock. If its holder may run, asks first; throws the refusal if no one may or wants to confirm. */
export async function breakLock<T>(
  attempt: (force: boolean) => Promise<T>,
  { force, ask }: BreakOptions,
): Promise<T> {
  try {
    return await attempt(force);
  } catch (error) {
    if (!isFailure(error, "locked") || ask === undefined || !(await ask(error))) throw error;
    return attempt(true);
  }
}

/** Shows the refusal and asks. Fails with `aborted` if a signal stops the run at the prompt. */
export async function askToBreak(
  { message }: Failure,
  { output, signal, interrupt }: Pick<CommandContext, "output" | "signal" | "interrupt">,
): Promise<boolean> {
  output.warn(() => message);
  const isConfirmed = await confirmInRun("Break the lock?", { signal, interrupt });
  if (signal.aborted) throw new Failure("aborted", "stopped: the lock was kept");
  return isConfirmed;
}
