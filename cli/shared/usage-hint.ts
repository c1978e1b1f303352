// The suggestion that is written before the error of a command that is used wrongly.
let hint = "";

/** Sets the line to write before a usage error of this run. */
export function setUsageHint(line: string): void {
  hint = line;
}

/** Returns the line to write before a usage error; empty if there is none. */
export function usageHint(): string {
  return hint;
}
