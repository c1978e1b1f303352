// The values that a FILTER offers: those of its member that the other filters leave.
import { memberOf } from "../../../charts/config/control-values.ts";
import { withControls } from "../../../charts/config/controls.ts";
import type { JsonObject } from "../../../core/json.ts";
import { readResult } from "./results.ts";
import type { Store } from "./store.ts";
import type { Widget } from "./widgets.ts";

const listedMost = 500;

/** Returns the first values, with a text in them if one is given. */
export async function listValues(
  { queue, controls }: Store,
  {
    widget,
    search,
    signal,
  }: { readonly widget: Widget; readonly search: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const member = memberOf(widget);
  const others = controls.value.filters.filter((one) => one.member !== member);
  const own: JsonObject = {
    dimensions: [member],
    limit: listedMost,
    order: { [member]: "asc" },
    ...(search !== "" && { filters: [{ member, operator: "contains", values: [search] }] }),
  };
  const query = withControls(own, { filters: others, timeGrains: [], memberSwitchers: [] });
  const answer = await queue.load({ query, priority: -1, isFresh: false }, signal);
  const { table } = readResult(answer);
  return table.rows.flatMap(([value]) =>
    value === null || value === undefined ? [] : [String(value)],
  );
}
