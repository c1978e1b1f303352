// Where the values of dimensions lead: the queries for the addresses of their links, and the addresses in answers. Pure.
import { isObject, type JsonObject } from "../../core/json.ts";
import { pageAddress } from "../formats/web-address.ts";
import { listOf } from "../layout/widgets.ts";
import type { ResultTable } from "../model/model.ts";

/** Returns the member that has the address of a link of a dimension. */
export function addressMember(dimension: string, link: string): string {
  return `${dimension}___link_${link}_url`;
}

/** Returns the members of a query that decide which rows it reads, with other dimensions. */
export function sameRows(query: JsonObject, dimensions: readonly string[]): JsonObject {
  const ranges = listOf(query["timeDimensions"]).flatMap((one) => {
    if (!isObject(one) || one["dateRange"] === undefined) return [];
    return [{ dimension: one["dimension"], dateRange: one["dateRange"] }];
  });
  const { segments, timezone } = query;
  return {
    dimensions,
    filters: listOf(query["filters"]),
    timeDimensions: ranges,
    ...(segments !== undefined && { segments }),
    ...(timezone !== undefined && { timezone }),
  };
}

/** Returns the query for the pages of the web that the values of a result lead to; undefined if there are none. */
export function addressQuery(query: JsonObject, result: ResultTable): JsonObject | undefined {
  const dimensions = dimensionsOf(result);
  const members = dimensions.flatMap(({ name }) => linkMembers(result, name));
  if (members.length === 0) return undefined;
  return sameRows(query, [...dimensions.map(({ name }) => name), ...members]);
}

/**
 * Returns a result with the page that each value leads to: that of its first link with one address for the dimensions of
 * the row. `answer` is the answer to {@link addressQuery}; an answer that is cut could have other addresses.
 */
export function withAddresses(result: ResultTable, answer: ResultTable): ResultTable {
  if (answer.isCut) return result;
  const dimensions = dimensionsOf(result).map(({ name }) => name);
  const groups = Map.groupBy(answer.rows, keyOf(answer, dimensions));
  const key = keyOf(result, dimensions);
  const addresses = dimensions.flatMap((name) => {
    const places = linkMembers(result, name).map((member) => placeOf(answer, member));
    if (places.length === 0) return [];
    const pages = result.rows.map((row) => {
      const same = groups.get(key(row)) ?? [];
      return places.flatMap((place) => onlyPage(same.map((one) => one[place]))).at(0) ?? null;
    });
    return [[name, pages] as const];
  });
  return { ...result, addresses: Object.fromEntries(addresses) };
}

function dimensionsOf({ columns }: ResultTable) {
  return columns.filter(({ kind }) => kind === "dimension");
}

function linkMembers({ columns }: ResultTable, name: string): readonly string[] {
  const { links = [] } = columns.find((column) => column.name === name) ?? {};
  return links
    .filter(({ isDashboard }) => !isDashboard)
    .map((link) => addressMember(name, link.name));
}

function placeOf({ columns }: ResultTable, name: string): number {
  return columns.findIndex((column) => column.name === name);
}

function keyOf(table: ResultTable, names: readonly string[]) {
  const places = names.map((name) => placeOf(table, name));
  return (row: ResultTable["rows"][number]): string =>
    JSON.stringify(places.map((place) => row[place]));
}

function onlyPage(values: readonly unknown[]): readonly string[] {
  const [address, ...others] = new Set(values);
  const page =
    typeof address === "string" && others.length === 0 ? pageAddress(address) : undefined;
  return page === undefined ? [] : [page];
}
