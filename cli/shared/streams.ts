// Standard streams: closed pipes, terminals, and unbounded input.

/** Ignores readers that close the pipe (`svc spec | head`); any other stream error is a bug. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** Reads standard input as text. Stops shortly after `most` characters. */
export async function readStandardInput(most: number): Promise<string> {
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > most) break;
  }
  return text;
}

/**
 * Returns true if output to a stream is colored: `--color` or `--no-color`, then NO_COLOR, then
 * FORCE_COLOR, then the stream.
 */
export function wantsColor(
  stream: Pick<NodeJS.WriteStream, "isTTY">,
  flag: "always" | "never" | "auto" | false = "auto",
): boolean {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = process.env;
  if (flag === "always") return true;
  if (flag !== "auto" || NO_COLOR !== "") return false;
  if (FORCE_COLOR !== "") return !["0", "false"].includes(FORCE_COLOR);
  return stream.isTTY && TERM !== "dumb";
}

/** Returns the width of a stream; 100 columns without a terminal. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return (stream.isTTY && stream.columns) || 100;
}

/** Returns the width of the terminal that standard output is; undefined for a file or a pipe. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? widthOf(process.stdout) : undefined;
}

/** Returns true if a user can be prompted. */
export function isInteractive(): boolean {
  return [process.stdin, process.stderr].every(({ isTTY }) => isTTY);
}
