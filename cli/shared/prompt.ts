// Prompts at a terminal, and the command line that confirms without one.
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { shellQuote } from "../../core/shell-quote.ts";
import type { Interrupt } from "./interrupt.ts";

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
 * Returns the current command line with `--yes` and, if deletes exceed the limit, `--allow-deletes` at the end of its
 * options.
 */
export function confirmationCommand(args: readonly string[], deletes: number | undefined): string {
  const separator = args.indexOf("--");
  const end = separator === -1 ? args.length : separator;
  const options = args.slice(0, end);
  const kept = options.filter((one, index) => {
    const value = options[index - 1] === "--allow-deletes" || one.startsWith("--allow-deletes=");
    return !value && !["--allow-deletes", "--yes", "-y"].includes(one);
  });
  const more = deletes === undefined ? [] : ["--allow-deletes", String(deletes)];
  return ["svc", ...kept, "--yes", ...more, ...args.slice(end)].map(shellQuote).join(" ");
}
