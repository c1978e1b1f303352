// The error that is named where a plan is not applied: the first one, and how many more there are.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { pluralize } from "../../core/text/escape-text.ts";

/** Returns the first error, and in its summary how many more there are; undefined without an error. */
export function firstError(
  diagnostics: readonly Diagnostic[],
): Pick<Diagnostic, "summary" | "remedy"> | undefined {
  const [first, ...more] = diagnostics.filter(({ severity }) => severity === "error");
  if (first === undefined || more.length === 0) return first;
  return { ...first, summary: `${first.summary}, and ${pluralize(more.length, "more error")}` };
}
