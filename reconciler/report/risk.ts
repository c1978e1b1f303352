// What is at stake with each change, so that a reviewer reads the worst first.
import type { Change } from "../model/index.ts";

/** The classes of risk with what they mean, the worst first. */
export const risks = {
  destroys: "deletes or replaces objects",
  blocked: "cannot be carried out",
  overwrites: "writes over what was changed on the server",
  changes: "changes or takes over objects",
  adds: "creates objects",
  records: "writes nothing on the server",
} as const;

/** One of the classes. */
export type Risk = keyof typeof risks;

/** The class of a change. */
export function riskOf({ action, blockedBy, direction }: Change): Risk {
  if (blockedBy.length > 0 || action === "refuse") return "blocked";
  if (action === "delete" || action === "replace") return "destroys";
  if (action === "create") return "adds";
  if (action === "update" || action === "adopt") {
    return direction === "pending" ? "changes" : "overwrites";
  }
  return "records";
}
