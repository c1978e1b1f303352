// Starts the programs that keep servers of the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Starts a program that ends its server once the test process has ended, whatever ended that. Returns the function that ends
 * both.
 */
export function startKeeper(program: URL, args: readonly string[]): () => Promise<void> {
  const script = fileURLToPath(program);
  // A separate process group, so that a signal to the test process does not end it before its work is done.
  const keeper = spawn(process.execPath, [script, ...args], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
  });
  keeper.unref();
  const ended = once(keeper, "exit");
  return async () => {
    keeper.ref();
    keeper.stdin?.end();
    await ended;
  };
}
