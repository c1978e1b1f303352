// Standard input, output and error as they really are: pipes that close early, terminals, input without an end.

/** A reader that went away (`svc spec | head`) ends neither the run nor says anything; all else on a stream is a bug. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

/** Standard input to its end as text, or its first `most` characters and a few more where it is longer. */
export async function readStandardInput(most: number): Promise<string> {
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > most) break;
  }
  return text;
}

/** Whether to colour what goes to a stream: `--color` or `--no-color`, then NO_COLOR, then FORCE_COLOR, then what the stream is. */
export function wantsColor(
  stream: Pick<NodeJS.WriteStream, "isTTY">,
  flag: "always" | "never" | "auto" | false = "auto",
): boolean {
  const { NO_COLOR: none = "", FORCE_COLOR: force = "", TERM: terminal } = process.env;
  if (flag === "always") return true;
  if (flag !== "auto" || none !== "") return false;
  if (force !== "") return !["0", "false"].includes(force);
  return stream.isTTY && terminal !== "dumb";
}

/** Columns of a stream; what is no terminal is as wide as a line of text is comfortable to read. */
export function widthOf(stream: NodeJS.WriteStream): number {
  return (stream.isTTY && stream.columns) || 100;
}

/** True when a person sits there who can be asked. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}
