// A finding of `svc doctor`.
import { isFailure } from "../../core/errors.ts";

/** The result of one check. */
export interface Finding {
  readonly check:
    | "node"
    | "installation"
    | "plugins"
    | "contexts"
    | "server"
    | "clock"
    | "credential"
    | "mail";
  readonly status: "ok" | "warning" | "error";
  readonly message: string;
  /** The remedy; set unless the status is `ok`. */
  readonly remedy?: string;
}

/** The remedies of errors that have none. */
const remedies = {
  contexts: "Fix the file, or name another one in SVC_CONFIG_FILE.",
  server: "Check the address, and that the server runs and can be reached from here.",
  credential: "Run `svc login`, or set another key in SVC_API_KEY.",
} as const;

/** Returns a failure of a check as its finding. Throws any other error again. */
export function findingOf(check: keyof typeof remedies, error: unknown): Finding {
  if (!isFailure(error)) throw error;
  const { message, remedy = remedies[check] } = error;
  return { check, status: "error", message, remedy };
}
