// Names in the options of policies.
import type { Diagnostic } from "../../core/diagnostics.ts";

/** Severity of a finding. */
export type Severity = Diagnostic["severity"];

/** All severities, worst first. */
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** The name that selects all built-in rules. */
export const recommended = "recommended";
