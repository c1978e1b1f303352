// The process that starts Git for a large one; `starter.ts` is its other side. It ends with that process, and so do the
// processes that it started.
import { type GitCall, type GitEnd, type GitProcess, notStarted, startGit } from "./process.ts";
import type { StarterAnswer, StarterMessage } from "./starter.ts";

const running = new Map<number, GitProcess>();

process.on("message", (message: StarterMessage) => {
  if ("stop" in message) running.get(message.stop)?.stop();
  else void execute(message);
});

// Ctrl-C and a service manager signal it too. It ends after the process that it starts Git for, which finishes its work.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

process.on("disconnect", () => {
  for (const { stop } of running.values()) stop();
});

async function execute({ id, call }: Extract<StarterMessage, { id: number }>): Promise<void> {
  const answer: StarterAnswer = { id, end: await endOf(id, call) };
  // A closed channel has no receiver for the answer.
  if (process.connected) process.send?.(answer, undefined, undefined, () => undefined);
}

async function endOf(id: number, call: GitCall): Promise<GitEnd> {
  try {
    const started = startGit(call);
    running.set(id, started);
    return await started.end;
  } catch {
    return notStarted;
  } finally {
    running.delete(id);
  }
}
