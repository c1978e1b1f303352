// What there is to report: a plan, drift, an apply, manifests, or why there is nothing else. Every form is made from this.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { Kind } from "../../core/kind.ts";
import type { ApplyResult, Plan } from "../model/index.ts";
import type { Unmanaged } from "../verbs/unmanaged.ts";

/** What every report may hold beside its subject. */
interface ReportContext {
  /** Lets creates show the fields of their wish. */
  readonly kinds: readonly Kind[];
  /** Found in the manifests, before there was a plan. */
  readonly manifestDiagnostics: readonly Diagnostic[];
  /** Where each declared object is declared, by address. */
  readonly places: ReadonlyMap<string, Place>;
  /** Addresses of declared objects by kind and natural key, by which text tells references; keys where left out. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** Of a plan, or of the drift that it shows. */
export interface PlanReport extends ReportContext {
  readonly type: "plan" | "drift";
  readonly plan: Plan;
  /** Of drift: what exists that nobody declared; left out where that was not asked. */
  readonly unmanaged?: readonly Unmanaged[] | undefined;
}

/** Of an apply. */
export interface AppliedReport extends ReportContext {
  readonly type: "apply";
  readonly applied: ApplyResult;
}

/** Of manifests that were only read: valid where there is a stack. */
export interface ManifestsReport {
  readonly type: "manifests";
  readonly manifestDiagnostics: readonly Diagnostic[];
  readonly stack:
    | { readonly name: string; readonly objects: number; readonly digest: string }
    | undefined;
}

/** Of a run that came to nothing else. */
export interface FailureReport {
  readonly type: "failure";
  readonly code: string;
  readonly message: string;
  readonly remedy: string | undefined;
}

/** Anything that a verb on a stack may have to say at its end. */
export type Report = PlanReport | AppliedReport | ManifestsReport | FailureReport;

/** The name of the stack, where one is known. */
export function stackOf(report: Report): string | undefined {
  if (report.type === "failure") return undefined;
  if (report.type === "manifests") return report.stack?.name;
  return (report.type === "apply" ? report.applied.plan : report.plan).basis.stack;
}
