// Names the ways to keep the objects whose documents were removed, for the plan in every format.
import type { Plan } from "./index.ts";

/** Returns how to keep what a plan deletes because its document is gone; undefined if it deletes no such object. */
export function keepAdvice({ changes }: Pick<Plan, "changes">): string | undefined {
  const isPruned = changes.some(
    ({ action, desired }) => action === "delete" && desired === undefined,
  );
  if (!isPruned) return undefined;
  return (
    "To keep an object instead of deleting it, name its address in a Removed document, or hand it over " +
    "to another stack: `svc inventory move ADDRESS --to STACK`."
  );
}
