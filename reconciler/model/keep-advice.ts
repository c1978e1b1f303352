// Names the ways to keep the objects whose documents were removed, for the plan in every format.
import type { Plan } from "./index.ts";

/**
 * Returns how to keep objects that a plan deletes because their documents were removed; undefined if it deletes none.
 */
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
