// The answer to a query: its rows in the requested format, and the annotation of its members.
import { setImmediate as yieldTurn } from "node:timers/promises";
import { calendarUnits } from "../../core/text/calendar-units.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type {
  CompiledDimension,
  CompiledMeasure,
  CompiledModel,
  Granularity,
} from "../model/types.ts";
import { humanize } from "../model/declarations.ts";
import { type QueryCaller, visibleNames } from "./access.ts";
import { aggregationType, valueType } from "./measures.ts";
import { cubeOf, indexModel, memberKinds, type ModelIndex, resolveMember } from "./model-index.ts";
import type { PlanColumn } from "./query-to-sql.ts";
import type { NormalizedQuery } from "./query-schema.ts";

/** A value in the form that a database returns. */
type Cell = string | number | boolean | null;

/** Options for writing rows. */
export interface RowsOptions {
  readonly format: NormalizedQuery["responseFormat"];
  /** An additional member after the others. */
  readonly added?: AddedMember | undefined;
}

/** A member with one value in all rows, or with the value of another member. */
export type AddedMember =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly member: string };

type Row = readonly Cell[];

/** Rows that are formatted in one turn of the event loop: other requests wait a few milliseconds at most. */
const rowsPerQuery = 1000;

/** Returns the rows in the format of the query. */
export async function formatRows(
  rows: readonly Row[],
  columns: readonly PlanColumn[],
  { format, added }: RowsOptions,
): Promise<JsonValue> {
  const own = resultMembers(columns);
  const copied = own.find(({ name }) => added && "member" in added && name === added.member);
  const members = copied && added ? [...own, { ...copied, name: added.name }] : own;
  const constants = added && "value" in added ? [added] : [];
  const names = [...members, ...constants].map(({ name }) => name);
  const cells = [
    ...members.map(
      ({ index, type }) =>
        (row: Row) =>
          formatValue(row[index] ?? null, type),
    ),
    ...constants.map(
      ({ value }) =>
        () =>
          value,
    ),
  ];
  const valuesOf = (row: Row) => cells.map((cell) => cell(row));
  if (format === "compact") return { members: names, dataset: await mapInTurns(rows, valuesOf) };
  if (format === "columnar") {
    const values: Cell[][] = names.map(() => []);
    await mapInTurns(rows, (row) =>
      cells.forEach((cell, index) => void values[index]?.push(cell(row))),
    );
    return { members: names, columns: values };
  }
  return mapInTurns(rows, (row) => {
    const object: Record<string, Cell> = {};
    for (const [index, name] of names.entries()) object[name] = cells[index]?.(row) ?? null;
    return object;
  });
}

/** Maps rows, and yields to other work in between. */
async function mapInTurns<T>(rows: readonly Row[], write: (row: Row) => T): Promise<T[]> {
  const written: T[] = [];
  for (const row of rows) {
    if (written.length % rowsPerQuery === rowsPerQuery - 1) await yieldTurn();
    written.push(write(row));
  }
  return written;
}

/** Returns the name of a column in rows: `cube.member`, or `cube.time.granularity`. */
export function columnName({ member, granularity }: PlanColumn): string {
  return granularity === undefined ? member : `${member}.${granularity}`;
}

interface ResultMember {
  readonly name: string;
  readonly index: number;
  readonly type: string;
}

/**
 * Returns the members of a row. A time dimension also appears under its name without granularity, with its finest
 * granularity.
 */
function resultMembers(columns: readonly PlanColumn[]): readonly ResultMember[] {
  const own = columns.map((column, index) => ({
    name: columnName(column),
    index,
    type: column.type,
  }));
  const taken = new Set(own.map(({ name }) => name));
  const rank = ({ granularity = "" }: PlanColumn) =>
    calendarUnits.findIndex((unit) => unit === granularity);
  const times = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => column.kind === "timeDimension")
    .toSorted((a, b) => rank(a.column) - rank(b.column));
  const plain: ResultMember[] = [];
  for (const { column, index } of times) {
    if (taken.has(column.member)) continue;
    taken.add(column.member);
    plain.push({ name: column.member, index, type: column.type });
  }
  return [...own, ...plain];
}

/** Returns a value for the response. Numbers are text, so that no digit is lost. Times have no zone. */
function formatValue(value: Cell, type: string): Cell {
  if (value === null) return null;
  if (type === "number") return plainNumber(String(value));
  if (type === "boolean") return typeof value === "boolean" ? value : (booleans[value] ?? value);
  return type === "time" && typeof value === "string" ? formatTime(value) : value;
}

/** The values of databases whose booleans are numbers. */
const booleans: Readonly<Record<string, boolean>> = { 0: false, 1: true };

/** Removes the zeros with which databases fill the scale of a column: `30.00` -> `30`. Doubles of all databases look alike. */
function plainNumber(text: string): string {
  if (/^-?\d(?:\.\d{1,16})?e[+-]\d{2,3}$/.test(text)) return String(Number(text));
  return /^-?\d+\.\d*0$/.test(text) ? text.replace(/\.?0+$/, "") : text;
}

function formatTime(text: string): string {
  const match = /^(\d{4,}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?)?/.exec(text);
  if (!match) return text;
  const [, day = "", time = "00:00:00", fraction = ""] = match;
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}`;
}

/** Describes the members of a query, with the names of others that the caller may query. */
export function annotate(
  model: CompiledModel,
  query: NormalizedQuery,
  { columns, caller }: { readonly columns: readonly PlanColumn[]; readonly caller: QueryCaller },
): JsonObject {
  const index = indexModel(model);
  const of = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, annotation(index, name, caller)]));
  const times = columns.flatMap(({ kind, member, granularity = "" }) => {
    if (kind !== "timeDimension") return [];
    const item = annotation(index, member, caller);
    const full = { ...item, granularity: granularityOf(index, member, granularity) };
    const plain = query.dimensions.includes(member) ? [] : [[member, item] as const];
    return [[`${member}.${granularity}`, full] as const, ...plain];
  });
  return {
    measures: of(query.measures),
    dimensions: of(query.dimensions),
    segments: of(query.segments),
    timeDimensions: Object.fromEntries(times),
  };
}

function annotation(index: ModelIndex, name: string, caller: QueryCaller): JsonObject {
  const member = resolveMember(index, name, memberKinds);
  const { subject, cube, member: own } = member;
  const owner = cubeOf(index, cube);
  const measure = owner.measures.get(own);
  const dimension = owner.dimensions.get(own);
  const source = dimension ?? measure;
  const inView = index.views.get(subject.name)?.members.get(member.ownName);
  const shown = inView ?? source ?? owner.segments.get(own);
  const format = inView?.format ?? source?.format;
  return {
    title: `${subject.title} ${shown?.title ?? own}`,
    shortTitle: shown?.title ?? own,
    ...(shown?.description !== undefined && { description: shown.description }),
    ...(source && { type: measure ? valueType(index, member) : source.type }),
    ...(format !== undefined && { format: format as JsonValue }),
    ...(source?.currency !== undefined && { currency: source.currency }),
    ...(shown?.meta !== undefined && { meta: shown.meta as JsonValue }),
    ...(dimension && describeLinks(dimension)),
    ...(measure && aggregation(measure)),
    ...(measure && describeDrilling(index, measure.drillMembers, { subject, caller })),
  };
}

/** Describes the links of a dimension. */
export function describeLinks({ links }: CompiledDimension): JsonObject {
  return links === undefined ? {} : { links: links.map((link): JsonObject => ({ ...link })) };
}

/** Returns how a measure aggregates rows. Windows and stages share rows among groups, so that they are like none. */
function aggregation({ type, rollingWindow, stage }: CompiledMeasure): JsonObject {
  return rollingWindow === undefined && stage === undefined
    ? { aggType: aggregationType(type) }
    : {};
}

/** Describes the drill members of a measure that the caller may query, by kind. */
export function describeDrilling(
  index: ModelIndex,
  names: readonly string[],
  on: Parameters<typeof visibleNames>[2],
): JsonObject {
  const drillMembers = visibleNames(index, names, on);
  const isMeasure = (name: string) => resolveMember(index, name, memberKinds).kind === "measure";
  return {
    drillMembers,
    drillMembersGrouped: {
      measures: drillMembers.filter(isMeasure),
      dimensions: drillMembers.filter((name) => !isMeasure(name)),
    },
  };
}

function granularityOf(index: ModelIndex, name: string, granularity: string): JsonObject {
  const { cube, member } = resolveMember(index, name, ["dimension"]);
  const own = cubeOf(index, cube)
    .dimensions.get(member)
    ?.granularities.find((one) => one.name === granularity);
  return own === undefined
    ? { name: granularity, title: granularity, interval: `1 ${granularity}` }
    : describeGranularity(own);
}

/** Describes a custom granularity. */
export function describeGranularity(granularity: Granularity): JsonObject {
  const { name, title = humanize(name), interval, offset, origin } = granularity;
  return {
    name,
    title,
    ...(interval !== undefined && { interval }),
    ...(offset !== undefined && { offset }),
    ...(origin !== undefined && { origin }),
  };
}
