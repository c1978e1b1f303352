// The verb that a command line probably means, where a default command takes its word as an argument.

let hint: string | undefined;

/** Sets the remedy that names the verb, for a wrong usage of the default command. */
export function setVerbHint(remedy: string | undefined): void {
  hint = remedy;
}

/** Returns the remedy of {@link setVerbHint}. */
export function verbHint(): string | undefined {
  return hint;
}
