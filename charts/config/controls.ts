// The controls of a dashboard: filters, time grains and member switchers, and the queries that they change. The page, notifications and exports share them. Pure.
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";

/** A filter of a dashboard. */
export interface ControlFilter extends JsonObject {
  readonly member: string;
  readonly operator?: string;
  readonly value?: JsonValue | undefined;
  readonly caseSensitive?: boolean;
  readonly startInclusive?: boolean;
  readonly endInclusive?: boolean;
}

/** A granularity of a time dimension; without a member, of every one. */
interface TimeGrain extends JsonObject {
  readonly member?: string;
  readonly grain: string;
}

interface MemberSwitcher extends JsonObject {
  readonly from: string;
  readonly to: string;
}

/** Settings that change the queries of a dashboard. */
export interface Controls extends JsonObject {
  readonly filters: readonly ControlFilter[];
  readonly timeGrains: readonly TimeGrain[];
  readonly memberSwitchers: readonly MemberSwitcher[];
}

/** Returns a query with the controls on members of the cubes and views that it reads. */
export function withControls(query: JsonObject, controls: Controls): JsonObject {
  const grained = controls.timeGrains.reduce(withGrain, withSwitchedMembers(query, controls));
  const owners = ownersOf(grained);
  const filters = controls.filters
    .filter(({ member }) => owners.has(ownerOf(member)))
    .map(queryFilter);
  if (filters.length === 0) return grained;
  const own = Array.isArray(grained["filters"]) ? (grained["filters"] as JsonValue[]) : [];
  return { ...grained, filters: [...own, ...filters] };
}

/**
 * Returns the filters that apply to none of the queries. Their author expects filtered results, so unfiltered ones must
 * not be shown.
 */
export function unusedFilters<Filter extends Pick<ControlFilter, "member">>(
  queries: readonly JsonObject[],
  controls: { readonly filters: readonly Filter[] } & Pick<Controls, "memberSwitchers">,
): readonly Filter[] {
  const owners = queries.map((query) => ownersOf(withSwitchedMembers(query, controls)));
  return controls.filters.filter(({ member }) => !owners.some((one) => one.has(ownerOf(member))));
}

function withSwitchedMembers(
  query: JsonObject,
  { memberSwitchers }: Pick<Controls, "memberSwitchers">,
): JsonObject {
  return memberSwitchers.reduce<JsonObject>((on, { from, to }) => withMember(on, from, to), query);
}

/** Returns the controls in words: `Status is paid`. */
export function describeControls(
  controls: Controls,
  titleOf: (member: string) => string,
): readonly string[] {
  return [
    ...controls.filters.map((filter) => describeFilter(filter, titleOf(filter.member))),
    ...controls.timeGrains.map(
      ({ member, grain }) => `${member === undefined ? "Time" : titleOf(member)} by ${grain}`,
    ),
    ...controls.memberSwitchers.map(
      ({ from, to }) => `${titleOf(to)} in place of ${titleOf(from)}`,
    ),
  ];
}

/** Operators of queries in words. Other operators, such as `contains`, are already words. */
const operatorWords: Readonly<Record<string, string>> = {
  equals: "is",
  in: "is",
  notEquals: "is not",
  notIn: "is not",
  notContains: "does not contain",
  startsWith: "starts with",
  notStartsWith: "does not start with",
  endsWith: "ends with",
  notEndsWith: "does not end with",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  set: "has a value",
  notSet: "has no value",
  between: "is between",
  notBetween: "is not between",
  inDateRange: "is in",
  notInDateRange: "is not in",
  onTheDate: "is on",
  beforeDate: "is before",
  beforeOrOnDate: "is on or before",
  afterDate: "is after",
  afterOrOnDate: "is on or after",
};

function describeFilter(filter: ControlFilter, title: string): string {
  const { operator = "equals", value } = filter;
  const name = operators[operator] ?? operator;
  if (isOpenRange(name, value)) {
    const ends = rangeEnds({ ...filter, operator: name });
    return ends.map((end) => describeFilter(end, title)).join("");
  }
  const words = operatorWords[name] ?? name;
  const values = valuesOf(value).map((one) => (one === null ? "none" : String(one)));
  const isRange = ["is between", "is not between"].includes(words);
  return `${title} ${words} ${values.join(isRange ? " and " : " or ")}`.trim();
}

/** Returns the name of the cube or view of a member. */
function ownerOf(member: string): string {
  return member.split(".")[0] ?? "";
}

/** Returns the cubes and views whose members a query names. */
function ownersOf(query: JsonObject): ReadonlySet<string> {
  const owners = new Set<string>();
  const add = (name: JsonValue | undefined) =>
    typeof name === "string" && owners.add(ownerOf(name));
  for (const list of ["measures", "dimensions", "segments"]) {
    const names = query[list];
    if (Array.isArray(names)) for (const name of names as JsonValue[]) add(name);
  }
  const times = query["timeDimensions"];
  if (Array.isArray(times)) {
    for (const time of times as JsonValue[]) if (isObject(time)) add(time["dimension"]);
  }
  return owners;
}

/** Replaces a member everywhere in a query. */
function withMember(query: JsonObject, from: string, to: string): JsonObject {
  const replace = (value: JsonValue): JsonValue => {
    if (typeof value === "string") {
      if (value === from) return to;
      return value.startsWith(`${from}.`) ? `${to}${value.slice(from.length)}` : value;
    }
    if (Array.isArray(value)) return value.map((one: JsonValue) => replace(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) =>
        // The values of a filter are data.
        one === undefined
          ? []
          : [[name === from ? to : name, name === "values" ? one : replace(one)]],
      ),
    );
  };
  return replace(query) as JsonObject;
}

/** Replaces the granularity of the time dimensions that have one. */
function withGrain(query: JsonObject, { member, grain }: TimeGrain): JsonObject {
  const isMeant = (name: JsonValue | undefined) => member === undefined || name === member;
  const { timeDimensions: times, dimensions } = query;
  return {
    ...query,
    ...(Array.isArray(times) && {
      timeDimensions: (times as JsonValue[]).map((time) =>
        isObject(time) && time["granularity"] !== undefined && isMeant(time["dimension"])
          ? { ...time, granularity: grain }
          : time,
      ),
    }),
    ...(Array.isArray(dimensions) && {
      dimensions: (dimensions as JsonValue[]).map((name) => {
        const [cube, own, granularity] = typeof name === "string" ? name.split(".") : [];
        const base = `${cube}.${own}`;
        return granularity !== undefined && isMeant(base) ? `${base}.${grain}` : name;
      }),
    }),
  };
}

/** Operators of controls that have another name in queries. */
const operators: Readonly<Record<string, string>> = {
  is: "equals",
  isNot: "notEquals",
  isSet: "set",
  isNotSet: "notSet",
  custom: "inDateRange",
};

/** The operators of filters of controls. */
export const filterOperators: ReadonlySet<string> = new Set([
  ...Object.keys(operatorWords),
  ...Object.keys(operators),
  "contains",
]);

/** Returns a control filter as filters of a query. A range with only one end becomes a comparison. */
function queryFilter({ member, operator = "equals", value, ...range }: ControlFilter): JsonObject {
  const name = operators[operator] ?? operator;
  if (name === "set" || name === "notSet") return { member, operator: name };
  if (isOpenRange(name, value) || name === "between" || name === "notBetween") {
    const ends = rangeEnds({ member, operator: name, value, ...range }).map((end) =>
      queryFilter(end),
    );
    return name.startsWith("not") ? { or: ends } : { and: ends };
  }
  return { member, operator: name, values: valuesOf(value) };
}

/** Returns whether a filter is a range without one of its ends. */
function isOpenRange(operator: string, value: unknown): boolean {
  return /(?:between|dateRange)$/iu.test(operator) && valuesOf(value).includes(null);
}

const dayPattern = /^\d{4}-\d{2}-\d{2}/;

/** Returns the comparisons with the ends that a range has, or for one that excludes them, with what is outside. */
function rangeEnds({
  member,
  operator,
  value,
  startInclusive = true,
  endInclusive = true,
}: ControlFilter): readonly ControlFilter[] {
  const [from = null, to = null] = valuesOf(value);
  const isDate = [from, to].some((end) => typeof end === "string" && dayPattern.test(end));
  const names = isDate
    ? [
        startInclusive ? "afterOrOnDate" : "afterDate",
        endInclusive ? "beforeOrOnDate" : "beforeDate",
      ]
    : [startInclusive ? "gte" : "gt", endInclusive ? "lte" : "lt"];
  const opposite: Readonly<Record<string, string>> = {
    gte: "lt",
    gt: "lte",
    lte: "gt",
    lt: "gte",
    afterOrOnDate: "beforeDate",
    afterDate: "beforeOrOnDate",
    beforeOrOnDate: "afterDate",
    beforeDate: "afterOrOnDate",
  };
  const isNegative = operator?.startsWith("not") === true;
  return [from, to].flatMap((end, index): ControlFilter[] => {
    const name = names[index] ?? "";
    const used = isNegative ? (opposite[name] ?? name) : name;
    return end === null ? [] : [{ member, operator: used, value: end }];
  });
}

/** Returns whether a value is of a shape that filters take: one value, a list, or a range. */
export function isFilterValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isScalar);
  if (!isObject(value)) return value === undefined || isScalar(value);
  const names = Object.keys(value);
  if (names.length === 1 && names[0] === "values") {
    return Array.isArray(value["values"]) && value["values"].every(isScalar);
  }
  const ends = [
    ["from", "to"],
    ["start", "end"],
  ].find((pair) => names.every((name) => pair.includes(name)));
  return names.length > 0 && ends !== undefined && Object.values(value).every(isScalar);
}

function isScalar(value: unknown): boolean {
  return value === null || scalarOf(value) !== null;
}

/** Returns the values of a filter: the items of a list, the ends of a range, or the single value. */
function valuesOf(value: unknown): readonly (string | number | boolean | null)[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (isObject(value)) {
    const { from, to, start, end, values } = value;
    if (values !== undefined) return valuesOf(values);
    return [scalarOf(from ?? start), scalarOf(to ?? end)];
  }
  return [scalarOf(value)];
}

function scalarOf(value: unknown): string | number | boolean | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}
