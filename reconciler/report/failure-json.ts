// Converts a failure to JSON, with the head of every result.
import type { JsonObject } from "../../core/json.ts";
import { reportFormat } from "../model/report-format.ts";

/** Returns a failure with its head, and `facts` about the run that failed; see schemas/failure.json. */
export function failureJson(
  error: { readonly code: string; readonly message: string; readonly [member: string]: unknown },
  facts: JsonObject = {},
): JsonObject {
  return { format: reportFormat, report: "failure", error: { ...(error as JsonObject) }, ...facts };
}
