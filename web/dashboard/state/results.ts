// Reads the answer to a query as the table that charts draw. Pure.
import {
  declaredFormat,
  declaredLinks,
  type ResultColumn,
  type ResultTable,
} from "../../../charts/index.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { listOf, objectOf, textOf } from "./widgets.ts";

/** Most rows of a chart or a table. One more is asked for, so that a cut is noticed. */
export const rowsMost = 5000;

/** A result with the time of its data. */
export interface LoadedResult {
  readonly table: ResultTable;
  /** When the data was read, in UTC. */
  readonly readAt: string;
  /** Whether a copy is shown while the service reads the data again. */
  readonly isStale: boolean;
  /** The normalized query, which drilling starts from. */
  readonly query: JsonObject;
  readonly annotation: JsonObject;
}

/** Returns a query that reads one row more than is shown. */
export function boundedQuery(query: JsonObject): JsonObject {
  const { limit } = query;
  const most = typeof limit === "number" ? Math.min(limit, rowsMost + 1) : rowsMost + 1;
  return { ...query, limit: most };
}

const kinds = [
  ["measures", "measure"],
  ["dimensions", "dimension"],
  ["timeDimensions", "timeDimension"],
] as const;

/** Reads an answer in the compact form. */
export function readResult(answer: JsonObject): LoadedResult {
  const annotation = objectOf(answer["annotation"]);
  const data = objectOf(answer["data"]);
  const members = listOf(data["members"]).map((one) => textOf(one));
  const rows = listOf(data["dataset"]).map((row) => listOf(row));
  // `orders.at` repeats the value of `orders.at.month`.
  const kept = members.flatMap((name, index) =>
    members.some((other) => other.startsWith(`${name}.`)) ? [] : [{ name, index }],
  );
  const columns = kept.map(({ name }) => columnOf(name, annotation));
  return {
    table: {
      columns,
      rows: rows.slice(0, rowsMost).map((row) => kept.map(({ index }) => scalarOf(row[index]))),
      isCut: rows.length > rowsMost,
    },
    readAt: textOf(answer["lastRefreshTime"]),
    isStale: answer["slowQuery"] === true,
    query: objectOf(answer["query"]),
    annotation,
  };
}

function columnOf(name: string, annotation: JsonObject): ResultColumn {
  const found = kinds.flatMap(([group, kind]) => {
    const described = objectOf(annotation[group])[name];
    return isObject(described) ? [{ kind, described }] : [];
  });
  const { kind, described } = found[0] ?? { kind: "dimension" as const, described: {} };
  const { shortTitle, title, type, format, currency, granularity, aggType, links } = described;
  const grain = isObject(granularity) ? granularity["name"] : granularity;
  return {
    name,
    title: textOf(shortTitle) || textOf(title) || name,
    kind,
    type: kind === "timeDimension" ? "time" : textOf(type) || "string",
    ...(typeof grain === "string" && { granularity: grain }),
    ...declaredFormat(format),
    ...declaredLinks(links),
    ...(typeof currency === "string" && { currency }),
    ...(typeof aggType === "string" && { aggType }),
  };
}

function scalarOf(value: JsonValue | undefined): string | number | boolean | null {
  return value === undefined || typeof value === "object" ? null : value;
}
