// Prompts at a terminal, and the command line that confirms without one. Node's readline is enough for a yes or no, and leaves
// Ctrl-C and the end of input to the run; prompt libraries handle both themselves, and draw menus that no command has.
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { shellQuote } from "../../../core/text/shell-quote.ts";
import type { DeleteConfirmation } from "../exit-codes.ts";
import type { Interrupt } from "../interrupt.ts";

/** Returns true if the answer is yes. No answer, end of input and Ctrl-C mean no. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const given = lines.question(`${question} [y/N] `, { signal }).catch(() => "");
  try {
    const answer = await Promise.race([given, once(lines, "close").then(() => "")]);
    return /^y(?:es)?$/iu.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** As {@link confirm}, for a running command: Ctrl-C at the prompt is not announced as stopping calls in flight. */
export async function confirmInRun(
  question: string,
  { signal, interrupt }: { readonly signal: AbortSignal; readonly interrupt: Interrupt },
): Promise<boolean> {
  interrupt.setPrompting(true);
  const isConfirmed = await confirm(question, signal);
  interrupt.setPrompting(false);
  return isConfirmed;
}

/**
 * Returns the current command line with `--yes` and the other confirmations at the end of its options:
 * `--allow-deletes` if deletes exceed the limit, and `--on-conflict overwrite` if there are conflicts. Only for a plan
 * that shows what is overwritten.
 */
export function confirmationCommand(
  args: readonly string[],
  confirmed?: Omit<DeleteConfirmation, "limit">,
): string {
  const separator = args.indexOf("--");
  const end = separator === -1 ? args.length : separator;
  const more = confirmed === undefined ? [] : ["--allow-deletes", String(confirmed.deletes)];
  const overwriting = confirmed?.conflicts === undefined ? [] : ["--on-conflict", "overwrite"];
  const replaced = ["--allow-deletes", ...(overwriting.length > 0 ? ["--on-conflict"] : [])];
  const options = args.slice(0, end);
  const kept = options.filter((one, index) => {
    const isValue = replaced.includes(options[index - 1] ?? "");
    const isOption = replaced.some((name) => one === name || one.startsWith(`${name}=`));
    return !isValue && !isOption && !["--yes", "-y"].includes(one);
  });
  return ["svc", ...kept, "--yes", ...more, ...overwriting, ...args.slice(end)]
    .map(shellQuote)
    .join(" ");
}
