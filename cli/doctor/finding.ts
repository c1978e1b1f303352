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

/** Returns an error of a check as its finding. Throws what is no failure. */
export function findingOf(check: Finding["check"], error: unknown): Finding {
  if (!isFailure(error)) throw error;
  const { message, remedy = "Run the command that failed with --json for the details." } = error;
  return { check, status: "error", message, remedy };
}
