// What `svc doctor` found.
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
  /** What to do; set unless the status is `ok`. */
  readonly remedy?: string;
}

/** What to do about an error without a remedy of its own. */
const remedies = {
  contexts: "Fix the file, or name another one in SVC_CONFIG_FILE.",
  server: "Check the address, and that the server runs and can be reached from here.",
  credential: "Run `svc login`, or set another key in SVC_API_KEY.",
} as const;

/** Returns an error of a check as its finding. Throws what is no failure. */
export function findingOf(check: keyof typeof remedies, error: unknown): Finding {
  if (!isFailure(error)) throw error;
  const { message, remedy = remedies[check] } = error;
  return { check, status: "error", message, remedy };
}
