// The form of errors on standard error.

/**
 * Returns an error as standard error shows it: `error: MESSAGE [CODE]`, with the remedy below. The code ends the first
 * line.
 */
export function errorText(code: string, message: string, remedy?: string): string {
  const [first = "", ...rest] = message.split("\n");
  return [`error: ${first} [${code}]`, ...rest, ...(remedy ? [`  ${remedy}`] : [])].join("\n");
}
