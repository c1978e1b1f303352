// Where a stored JSON file is torn: for messages that say what stands there and what does not.

/** Where JSON breaks off or goes wrong, by line, column and byte, all from 1; undefined where the text is JSON. */
export function jsonErrorPosition(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const found = /at position (\d+)/u.exec(message)?.[1];
    const at = found === undefined ? text.length : Number(found);
    const before = text.slice(0, at);
    const line = before.split("\n").length;
    const column = at - before.lastIndexOf("\n");
    const where = `line ${line}, column ${column} (byte ${Buffer.byteLength(before) + 1})`;
    return at >= text.length
      ? `is torn: it ends at ${where}`
      : `is torn: it is no JSON from ${where} on`;
  }
}
