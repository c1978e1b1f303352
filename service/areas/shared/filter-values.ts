// Checks the values of filters of dashboards, which the schema leaves open.
import { isFilterValue } from "../../../charts/config/controls.ts";
import { Failure } from "../../../core/errors.ts";

/** Throws `invalid` for a value that no filter takes: it would be read as no value. */
export function checkFilterValues(
  filters: readonly { readonly value?: unknown }[] | null | undefined,
): void {
  const at = (filters ?? []).findIndex(({ value }) => !isFilterValue(value));
  if (at < 0) return;
  throw new Failure("invalid", `filters[${at}].value is no value of a filter`, {
    remedy:
      "Give a text, a number, a boolean, a list of these, or the ends `from` and `to` of a range.",
  });
}
