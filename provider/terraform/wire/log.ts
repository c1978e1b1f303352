// Logging for Terraform: standard output carries the handshake and nothing else, so logs are JSON lines on standard error.

/** How much a line matters. */
export type Level = "debug" | "info" | "warn" | "error";

/** Writes one line; `facts` hold no secrets. */
export function log(
  level: Level,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const line = {
    "@level": level,
    "@message": message,
    "@module": "provider.svc",
    "@timestamp": new Date().toISOString(),
    ...facts,
  };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
