// The links of a value: the query for their addresses, and what can be opened. Pure.
import { addressMember, type LinkedValues, sameRows, webAddress } from "../../../charts/index.ts";
import type { JsonObject } from "../../../core/json.ts";
import { equalTo } from "./drilling.ts";
import type { LoadedResult } from "./results.ts";
import { listOf, textOf } from "./widgets.ts";

/** A link that a viewer can open. */
export type Link =
  | { readonly label: string; readonly href: string; readonly isSameTab: boolean }
  | {
      readonly label: string;
      /** The slug or the public ID of a dashboard. */
      readonly dashboard: string;
      /** Parameters for its address. */
      readonly parameters: string;
    };

/** Returns the query for the addresses of the links of a value in a result. */
export function linkQuery(
  { query }: Pick<LoadedResult, "query">,
  { column: { name, links = [] }, values }: LinkedValues,
): JsonObject {
  const rows = sameRows(query, [name, ...links.map((link) => addressMember(name, link.name))]);
  const filters = values.map((one) => equalTo(one.name, one.value));
  return { ...rows, filters: [...listOf(rows["filters"]), ...filters], limit: 100 };
}

/** Returns the links that have one address, and one that is safe to open. */
export function linksIn(
  { table: { columns, rows } }: Pick<LoadedResult, "table">,
  { column: { name, links = [] } }: LinkedValues,
): readonly Link[] {
  return links.flatMap(({ name: own, label, isDashboard, isSameTab }): readonly Link[] => {
    const index = columns.findIndex((column) => column.name === addressMember(name, own));
    const [address, ...others] = new Set(rows.map((row) => row[index] ?? null));
    if (typeof address !== "string" || others.length > 0) return [];
    if (isDashboard) return dashboardLink(label, address);
    const href = webAddress(address);
    return href === undefined ? [] : [{ label, href, isSameTab }];
  });
}

/** Reads the address of a dashboard: parameters that are members become values of its filters. */
function dashboardLink(label: string, address: string): readonly Link[] {
  const { pathname, searchParams } = new URL(address, "https://dashboards.invalid");
  const parameters = new URLSearchParams();
  for (const [key, value] of searchParams) {
    if (/^\w+\.\w+$/u.test(key)) parameters.set(`f_${key}`, JSON.stringify({ value }));
  }
  return [{ label, dashboard: textOf(pathname.split("/")[2]), parameters: parameters.toString() }];
}
