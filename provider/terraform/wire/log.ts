// Writes log lines for Terraform: JSON on standard error. Standard output carries only the handshake.

/** The severity of a line. */
export type Level = "trace" | "debug" | "info" | "warn" | "error";

/** True if the user enabled provider logs with `TF_LOG` or `TF_LOG_PROVIDER`. Terraform filters them by level. */
export function isLogging(env: Readonly<Record<string, string | undefined>>): boolean {
  const level = env["TF_LOG_PROVIDER"] ?? env["TF_LOG"] ?? "";
  return level !== "" && level.toUpperCase() !== "OFF";
}

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
