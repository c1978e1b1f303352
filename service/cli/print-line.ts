// Prints the results of the commands of the service.

/**
 * Writes a line to the standard output of the command that runs now; a process can run several commands, each with its
 * own output.
 */
export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}
