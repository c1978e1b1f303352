// Classifies changes by risk, for reviewers.
import type { Change } from "../model/index.ts";

/** Risk classes with their meaning, worst first. */
export const risks = {
  destroys: "deletes or replaces objects",
  blocked: "is blocked",
  overwrites: "overwrites changes made on the server",
  changes: "updates or adopts objects",
  adds: "creates objects",
  records: "writes nothing to the server",
} as const;

/** One risk class. */
export type Risk = keyof typeof risks;

/** Returns the risk class of a change. */
export function riskOf({ action, blockedBy, direction }: Change): Risk {
  if (blockedBy.length > 0 || action === "refuse") return "blocked";
  if (action === "delete" || action === "replace") return "destroys";
  if (action === "create") return "adds";
  if (action === "update" || action === "adopt") {
    return direction === "pending" ? "changes" : "overwrites";
  }
  return "records";
}
