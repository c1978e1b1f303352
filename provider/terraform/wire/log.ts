// Writes log lines for Terraform: JSON on standard error. Standard output carries only the handshake.

/** The severity of a line. */
export type Level = "debug" | "info" | "warn" | "error";

/** Writes one line. `facts` must not contain secrets. */
export function log(
  level: Level,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const entry = {
    "@level": level,
    "@message": message,
    "@module": "provider.svc",
    "@timestamp": new Date().toISOString(),
    ...facts,
  };
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}
