// The longest wait for work on the server.
import { InvalidArgumentError } from "commander";

/** Seconds to wait for a build unless `--timeout` says otherwise. */
export const defaultBuildTimeout = 900;

/** Reads the value of `--timeout`, in seconds. */
export function waitTimeout(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("Use a number of seconds from 1 to 86400.");
}
