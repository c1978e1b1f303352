// Input of every report format: a plan, drift, the result of an apply, manifests, or a failure.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { ApplyResult, Plan } from "../model/index.ts";
import type { Unmanaged } from "../verbs/unmanaged.ts";

/** Common content of reports. */
interface ReportContext {
  /** Set to show the fields of creates. */
  readonly kinds: readonly Kind[];
  /** Diagnostics of the manifests. */
  readonly manifestDiagnostics: readonly Diagnostic[];
  /** Position of each document, by address; also of the Stack. */
  readonly places: ReadonlyMap<string, Place>;
  /**
   * Addresses of declared objects by kind and natural key, to show references; keys are shown if
   * omitted.
   */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** A plan, or the plan behind a drift report. */
export interface PlanReport extends ReportContext {
  readonly type: "plan" | "drift";
  readonly plan: Plan;
  /** For drift: undeclared objects; undefined if not requested. */
  readonly unmanaged?: readonly Unmanaged[] | undefined;
}

/** The result of an apply. */
export interface AppliedReport extends ReportContext {
  readonly type: "apply";
  readonly applied: ApplyResult;
}

/** Manifests that were only read: valid if `stack` is set. */
export interface ManifestsReport {
  readonly type: "manifests";
  readonly manifestDiagnostics: readonly Diagnostic[];
  readonly stack:
    | { readonly name: string; readonly objects: number; readonly digest: string }
    | undefined;
  /** Of several stacks, the path of this one. */
  readonly path?: string | undefined;
}

/** A failed run. */
export interface FailureReport {
  readonly type: "failure";
  readonly code: string;
  readonly message: string;
  readonly remedy: string | undefined;
  /** Of several stacks, the path of this one. */
  readonly path?: string | undefined;
}

/** Any report of a command on a stack. */
export type Report = PlanReport | AppliedReport | ManifestsReport | FailureReport;

/** Returns the name of the stack, or else its path, if known. */
export function stackOf(report: Report): string | undefined {
  if (report.type === "failure") return report.path;
  if (report.type === "manifests") return report.stack?.name ?? report.path;
  return (report.type === "apply" ? report.applied.plan : report.plan).basis.stack;
}
