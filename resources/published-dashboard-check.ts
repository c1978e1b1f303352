// Checks that the workbook of a new object has a published dashboard, before the first write.
import { getDeployments } from "../api/deployments.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { CheckResult, ValueCheck } from "../core/kind/server-checks.ts";
import { shellQuote } from "../core/text/shell-quote.ts";
import { textOf } from "./field-text.ts";
import { workbookNamed, workbookWithId } from "./workbook.codec.ts";

const none: CheckResult = { errors: [], errorCount: 0 };

/** Reports a new object whose workbook has no published dashboard, unless the plan publishes it. */
export const publishedDashboardCheck: ValueCheck<Reader> = {
  what: "the published dashboard",
  needs: [getDeployments, listWorkbooks],
  run: async (reader, { spec, changed, planned }) => {
    if (changed !== undefined) return none;
    const deployment = textOf(spec["deployment"]);
    const slug = textOf(spec["workbook"]);
    const declared = planned("Workbook", { deployment, slug });
    if (declared?.spec["dashboard"] !== undefined) return none;
    const id = declared?.id;
    if (declared !== undefined && id === undefined) {
      const { address } = declared;
      return notPublished(
        `${address} is created without a dashboard`,
        `Declare the \`dashboard\` of ${address}, or apply that first (--target ${shellQuote(address)}) and publish a dashboard.`,
      );
    }
    // The plan may change the slug of a live workbook.
    const one = await (id === undefined
      ? workbookNamed(reader, { deployment, workbook: slug })
      : workbookWithId(reader, deployment, id));
    if (one === undefined || one.publishedDashboard !== undefined) return none;
    return notPublished(
      `the workbook ${slug} has no published dashboard`,
      `Declare its \`dashboard\`, or publish it: svc workbooks publish ${shellQuote(deployment)} ${one.id}`,
    );
  },
};

function notPublished(message: string, remedy: string): CheckResult {
  return { errors: [{ path: "/workbook", message, remedy }], errorCount: 1 };
}
