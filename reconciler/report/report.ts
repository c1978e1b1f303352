// What there is to report: a plan, drift, an apply, manifests, or why there is nothing else. Every form is made from this.
import type { Diagnostic, Place } from "../../core/diagnostics.ts";
import type { Kind } from "../../core/kind.ts";
import type { Applied, Plan } from "../model.ts";
import type { Unmanaged } from "../unmanaged.ts";

/** What every report may hold beside its subject. */
interface Around {
  /** Lets creates show the fields of their wish. */
  readonly kinds: readonly Kind[];
  /** Found in the manifests, before there was a plan. */
  readonly found: readonly Diagnostic[];
  /** Where each declared object is declared, by address. */
  readonly places: ReadonlyMap<string, Place>;
  /** Addresses of declared objects by kind and natural key, by which text tells references; keys where left out. */
  readonly names?: ReadonlyMap<string, string> | undefined;
}

/** Of a plan, or of the drift that it shows. */
export interface PlanReport extends Around {
  readonly of: "plan" | "drift";
  readonly plan: Plan;
  /** Of drift: what exists that nobody declared; left out where that was not asked. */
  readonly unmanaged?: readonly Unmanaged[] | undefined;
}

/** Of an apply. */
export interface AppliedReport extends Around {
  readonly of: "apply";
  readonly applied: Applied;
}

/** Of manifests that were only read: valid where there is a stack. */
export interface ManifestsReport {
  readonly of: "manifests";
  readonly found: readonly Diagnostic[];
  readonly stack:
    | { readonly name: string; readonly objects: number; readonly digest: string }
    | undefined;
}

/** Of a run that came to nothing else. */
export interface FailureReport {
  readonly of: "failure";
  readonly code: string;
  readonly message: string;
  readonly remedy: string | undefined;
}

/** Anything that a verb on a stack may have to say at its end. */
export type Report = PlanReport | AppliedReport | ManifestsReport | FailureReport;

/** The name of the stack, where one is known. */
export function stackOf(report: Report): string | undefined {
  if (report.of === "failure") return undefined;
  if (report.of === "manifests") return report.stack?.name;
  return (report.of === "apply" ? report.applied.plan : report.plan).basis.stack;
}
