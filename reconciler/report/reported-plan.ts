// Reads a plan back from its report, to show it as text.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { splitPointer } from "../../core/pointer.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Change, Plan } from "../model/index.ts";
import { planFormat } from "../model/change.ts";
import { planReportSchema } from "./schema.ts";

const validate = declaredValidator(planReportSchema);

/** What the text of a plan needs of its report. */
type PlanReport = Pick<Plan, "changes" | "diagnostics" | "cost"> & {
  readonly stack: string;
  readonly origin: string;
  readonly summary: Pick<Plan, "unchanged">;
};

/** Returns the plan of a report as `svc plan --json` prints it. It can be shown, not applied. Fails with `unexpected_answer`. */
export function planFromReport(report: JsonObject): Plan {
  const [problem] = validate(report);
  if (problem !== undefined) {
    throw new Failure(
      "unexpected_answer",
      `the plan has another form: ${problem.path} ${problem.message}`,
      {
        remedy: "Use the same version of svc as the controller.",
      },
    );
  }
  const { stack, origin, summary, changes, diagnostics, cost } = report as object as PlanReport;
  return {
    format: planFormat,
    basis: { stack, origin, desired: "", inventory: "" },
    changes: changes.map(shownChange),
    unchanged: summary.unchanged,
    diagnostics,
    cost,
  };
}

function shownChange(change: Change): Change {
  const fields = change.fields.map((field) => ({
    ...field,
    field: splitPointer(field.path)[0] ?? "",
  }));
  return { ...change, fields, dependsOn: [], precondition: { absent: true } };
}
