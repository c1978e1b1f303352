// Combines the reasons why a plan is not applied, so that one run reports all of them.
import { Failure } from "../../core/errors.ts";

/** The reasons that the options of a run can lift, or that its policies have. */
export interface Refusals {
  /** Findings of policies. No option of the run lifts them, so that the refusal asks for no confirmation. */
  readonly findings: Failure | undefined;
  /** Deletes beyond the limit, which a confirmation lifts. */
  readonly excess: Failure | undefined;
  readonly conflicts: Failure | undefined;
}

/** Returns one failure for all reasons; undefined without any. */
export function combinedRefusal({ findings, excess, conflicts }: Refusals): Failure | undefined {
  const reasons = [findings, excess, conflicts].filter((one) => one !== undefined);
  const [first, ...others] = reasons;
  if (first === undefined || others.length === 0) return first;
  const addresses = conflicts?.details?.["addresses"];
  const details = {
    ...first.details,
    ...(addresses !== undefined && { conflicts: addresses }),
  };
  return new Failure(first.code, reasons.map(({ message }) => message).join("; "), {
    remedy: reasons.map(({ remedy = "" }) => remedy).join(" "),
    details,
  });
}
