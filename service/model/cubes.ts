// Compiles cubes: their table, members, joins and hierarchies.
import type { Cube, Declarations } from "./declarations.ts";
import { declaredSource, describe, suggestion } from "./declarations.ts";
import { compileStage } from "./multi-stage.ts";
import { checkRefreshKey, compilePreAggregations } from "./pre-aggregations.ts";
import { compilePolicies } from "./policies.ts";
import { type Place, type Problems, within } from "./problems.ts";
import type { Declared } from "./read-file.ts";
import {
  memberKindOf,
  memberNames,
  resolveMemberPath,
  resolveSql,
  type SqlContext,
} from "./resolve.ts";
import type {
  DimensionDeclaration,
  HierarchyDeclaration,
  JoinDeclaration,
  MeasureDeclaration,
  RefreshKeyDeclaration,
} from "./schema.ts";
import type {
  CompiledCube,
  CompiledDimension,
  CompiledHierarchy,
  CompiledJoin,
  CompiledMeasure,
  Granularity,
  Mask,
  RefreshKey,
} from "./types.ts";

/** Compiles one cube and adds its errors to `problems`. */
export function compileCube(
  cube: Cube,
  declarations: Declarations,
  problems: Problems,
): CompiledCube {
  const { value, at } = cube;
  const context: SqlContext = { cube, declarations, problems };
  checkRefreshKey(value.refresh_key, within(at, "refresh_key"), problems);
  return {
    ...describe(value),
    ...tableOf(cube, context),
    dataSource: value.data_source ?? "default",
    ...(value.refresh_key && { refreshKey: compileRefreshKey(value.refresh_key, context) }),
    dimensions: [...cube.dimensions.values()].map((one) => compileDimension(one, context)),
    measures: [...cube.measures.values()].map((one) => compileMeasure(one, context)),
    segments: [...cube.segments.values()].map((one) => ({
      ...describe(one.value),
      sql: resolveSql(one.value.sql, within(one.at, "sql"), context),
    })),
    hierarchies: [...cube.hierarchies.values()].map((one) => compileHierarchy(one, context)),
    joins: compileJoins(context),
    preAggregations: compilePreAggregations(cube, context),
    ...(cube.policies && { policies: compilePolicies(cube.policies, cubeSubject(context)) }),
    source: declaredSource(cube),
  };
}

function compileRefreshKey(key: RefreshKeyDeclaration, context: SqlContext): RefreshKey {
  const { immutable, every, timezone, sql } = key;
  const at = within(within(context.cube.at, "refresh_key"), "sql");
  return {
    ...(immutable !== undefined && { immutable }),
    ...(every !== undefined && { every }),
    ...(timezone !== undefined && { timezone }),
    ...(sql !== undefined && { sql: resolveSql(sql, at, context) }),
  };
}

/** Returns what policies of a cube can name: its own members. */
function cubeSubject({ cube, declarations, problems }: SqlContext) {
  return {
    name: cube.value.name,
    has: (name: string) => memberKindOf(cube, name) !== undefined,
    names: () => memberNames(cube),
    /** A row filter may name a member of a joined cube. */
    resolve: (text: string, at: Place) => {
      const found = resolveMemberPath(text, at, { cube, declarations, problems });
      return found && `${found.path.at(-1) ?? ""}.${found.member}`;
    },
    problems,
  };
}

function tableOf(cube: Cube, context: SqlContext): Pick<CompiledCube, "table" | "isQuery"> {
  const { sql, sql_table, name } = cube.value;
  if (sql !== undefined && sql_table !== undefined) {
    context.problems.add(
      within(cube.at, "sql_table"),
      `${name} has both sql and sql_table; keep one`,
    );
  } else if (sql === undefined && sql_table === undefined) {
    context.problems.add(within(cube.at, "name"), `${name} has neither sql nor sql_table; add one`);
  }
  if (sql_table !== undefined) return { table: [sql_table], isQuery: false };
  return {
    table: sql === undefined ? [] : resolveSql(sql, within(cube.at, "sql"), context),
    isQuery: true,
  };
}

function compileDimension(
  { value, at }: Declared<DimensionDeclaration>,
  context: SqlContext,
): CompiledDimension {
  checkDimension(value, at, context);
  const sqlAt = (text: string, ...keys: (string | number)[]) =>
    resolveSql(text, within(at, ...keys), context);
  const sql = value.sql === undefined ? undefined : sqlAt(value.sql, "sql");
  if (
    value.sub_query === true &&
    !sql?.some(
      (part) => typeof part !== "string" && part.kind === "member" && part.memberKind === "measure",
    )
  ) {
    context.problems.add(
      within(at, "sub_query"),
      `${value.name} has sub_query, but its sql references no measure`,
    );
  }
  value.add_group_by?.forEach((text, index) =>
    resolveMemberPath(text, within(at, "add_group_by", index), context),
  );
  const label = (text: string | { readonly sql: string }, ...keys: (string | number)[]) =>
    typeof text === "string" ? text : sqlAt(text.sql, ...keys, "sql");
  return {
    ...describe({ ...value, public: value.public ?? value.shown ?? value.primary_key !== true }),
    type: value.type,
    ...(sql && { sql }),
    ...(value.case && {
      case: {
        branches: value.case.when.map((branch, index) => ({
          when: sqlAt(branch.sql, "case", "when", index, "sql"),
          label: label(branch.label, "case", "when", index, "label"),
        })),
        ...(value.case.else && {
          otherwise: label(value.case.else.label, "case", "else", "label"),
        }),
      },
    }),
    ...(value.latitude &&
      value.longitude && {
        geo: {
          latitude: sqlAt(value.latitude.sql, "latitude", "sql"),
          longitude: sqlAt(value.longitude.sql, "longitude", "sql"),
        },
      }),
    ...(value.values && { values: value.values }),
    primaryKey: value.primary_key ?? false,
    subQuery: value.sub_query ?? false,
    propagateFiltersToSubQuery: value.propagate_filters_to_sub_query ?? false,
    granularities: compileGranularities(value, at, context),
    ...(value.format !== undefined && { format: value.format }),
    ...(value.order && { order: value.order }),
    ...compileCurrency({ value, at }, context),
    ...compileMask(value.mask, at, context),
  };
}

function compileMask(
  mask: DimensionDeclaration["mask"],
  at: Place,
  context: SqlContext,
): { readonly mask?: Mask } {
  if (mask === undefined) return {};
  if (typeof mask !== "object" || mask === null) return { mask: { literal: mask } };
  return { mask: { sql: resolveSql(mask.sql, within(at, "mask", "sql"), context) } };
}

const notNumeric = new Set(["string", "boolean", "time", "geo", "switch"]);

/** Only a number has a currency. */
function compileCurrency(
  { value, at }: Declared<DimensionDeclaration | MeasureDeclaration>,
  { problems }: SqlContext,
): { readonly currency?: string } {
  const { currency, type, name } = value;
  if (currency === undefined) return {};
  if (notNumeric.has(type)) {
    problems.add(
      within(at, "currency"),
      `${name} has a currency, which the type ${type} cannot have`,
    );
  }
  return { currency };
}

/** Checks that a dimension has exactly the value that its type needs. */
function checkDimension(value: DimensionDeclaration, at: Place, { problems }: SqlContext): void {
  const { name, type } = value;
  const add = (key: string, message: string) => problems.add(within(at, key), `${name} ${message}`);
  const forms = [
    value.sql !== undefined && "sql",
    value.case !== undefined && "case",
    (value.latitude ?? value.longitude) !== undefined && "latitude and longitude",
  ].filter((form) => form !== false);
  if (type === "switch") {
    if (forms.length > 0) add("type", `is a switch, which has values and no ${forms.join(", ")}`);
    if ((value.values ?? []).length === 0) add("type", "is a switch and needs a list of values");
    return;
  }
  if (value.values !== undefined) add("values", "has values, which only the type switch has");
  if (forms.length !== 1) {
    const found = forms.length === 0 ? "none of them" : forms.join(" and ");
    add("name", `needs exactly one of sql, case, or latitude and longitude; it has ${found}`);
  }
  const isGeo = value.latitude !== undefined && value.longitude !== undefined;
  if (type === "geo" && !isGeo) add("type", "is of type geo and needs latitude and longitude");
  if (type !== "geo" && (value.latitude ?? value.longitude) !== undefined) {
    add("type", "has latitude or longitude, which only the type geo has");
  }
  if (value.granularities !== undefined && type !== "time") {
    add("granularities", "has granularities, which only the type time has");
  }
}

function compileGranularities(
  { granularities = [], type }: DimensionDeclaration,
  at: Place,
  context: SqlContext,
): readonly Granularity[] {
  const seen = new Set<string>();
  return granularities.map((one, index) => {
    const place = within(at, "granularities", index);
    const add = (message: string) =>
      context.problems.add(place, `granularity ${one.name} ${message}`);
    if (seen.has(one.name)) add("is declared twice");
    seen.add(one.name);
    if (one.sql !== undefined && context.cube.value.calendar !== true) {
      add("has sql, which only a cube with calendar: true supports");
    } else if (one.sql === undefined && one.interval === undefined) add("needs an interval");
    if (one.origin !== undefined && one.offset !== undefined)
      add("has both origin and offset; keep one");
    if (one.origin !== undefined && Number.isNaN(Date.parse(one.origin))) {
      add(`has the origin ${JSON.stringify(one.origin)}, which is not a date`);
    }
    if (one.interval !== undefined && one.origin === undefined && type === "time") {
      const reason = unalignedReason(one.interval);
      if (reason !== undefined)
        add(`has the interval ${one.interval}, which ${reason}; add an origin`);
    }
    const { sql, ...rest } = one;
    return {
      ...rest,
      ...(sql !== undefined && { sql: resolveSql(sql, within(place, "sql"), context) }),
    };
  });
}

/** How many of a unit make the next one that a calendar aligns. Years are always aligned. */
const aligned: Readonly<Record<string, number>> = {
  month: 12,
  quarter: 4,
  week: 1,
  day: 1,
  hour: 24,
  minute: 60,
  second: 60,
};

/** Returns why an interval has no natural start, or undefined. */
function unalignedReason(interval: string): string | undefined {
  const parts = interval.trim().split(/\s+/);
  if (parts.length > 2) return "has several parts and no natural start";
  const [count, unit = ""] = [Number(parts[0]), parts[1]?.replace(/s$/, "")];
  const whole = aligned[unit];
  return whole === undefined || whole % count === 0 ? undefined : `does not divide a larger unit`;
}

const withoutSql = new Set(["count", "rank"]);

function compileMeasure(
  { value, at }: Declared<MeasureDeclaration>,
  context: SqlContext,
): CompiledMeasure {
  const { problems } = context;
  const add = (key: string, message: string) =>
    problems.add(within(at, key), `${value.name} ${message}`);
  if (value.sql === undefined && !withoutSql.has(value.type)) {
    add("name", `is of type ${value.type} and needs sql`);
  }
  const { rolling_window: window } = value;
  if (window?.type === "to_date" && window.granularity === undefined) {
    add("rolling_window", "has a rolling window of type to_date, which needs a granularity");
  }
  const sql =
    value.sql === undefined ? undefined : resolveSql(value.sql, within(at, "sql"), context);
  const stage = compileStage({ value, at }, context);
  return {
    ...describe(value),
    type: value.type,
    ...(sql !== undefined && { sql }),
    filters: (value.filters ?? []).map((one, index) =>
      resolveSql(one.sql, within(at, "filters", index, "sql"), context),
    ),
    ...(window && { rollingWindow: window }),
    ...(stage !== undefined && { stage }),
    drillMembers: (value.drill_members ?? []).flatMap((text, index) => {
      const found = resolveMemberPath(text, within(at, "drill_members", index), context);
      return found ? [`${found.path.at(-1) ?? ""}.${found.member}`] : [];
    }),
    ...(value.format !== undefined && { format: value.format }),
    ...compileCurrency({ value, at }, context),
    ...compileMask(value.mask, at, context),
  };
}

function compileHierarchy(
  { value, at }: Declared<HierarchyDeclaration>,
  context: SqlContext,
): CompiledHierarchy {
  const { name, title, public: shown } = describe(value);
  const levels = value.levels.flatMap((text, index) => {
    const place = within(at, "levels", index);
    const found = resolveMemberPath(text, place, context);
    if (found === undefined) return [];
    if (found.memberKind === "dimension") return [`${found.path.at(-1) ?? ""}.${found.member}`];
    context.problems.add(
      place,
      `${text} is a ${found.memberKind}; a level of a hierarchy is a dimension`,
    );
    return [];
  });
  return { name, title, public: shown, levels };
}

function compileJoins(context: SqlContext): readonly CompiledJoin[] {
  const { cube, declarations, problems } = context;
  const names = new Set<string>();
  return cube.joins.flatMap(({ value, at }): CompiledJoin[] => {
    const target = declarations.cubes.get(value.name);
    if (target === undefined) {
      const hint = suggestion(value.name, declarations.cubes.keys());
      problems.add(
        within(at, "name"),
        `${cube.value.name} joins ${value.name}, which is not a cube${hint}`,
      );
      return [];
    }
    checkJoinName({ value, at }, { names, context });
    checkPrimaryKeys({ value, at }, target, context);
    return [
      {
        cube: value.name,
        relationship: value.relationship,
        sql: resolveSql(value.sql, within(at, "sql"), { ...context, tables: [value.name] }),
        text: value.sql,
      },
    ];
  });
}

function checkJoinName(
  { value, at }: Declared<JoinDeclaration>,
  { names, context: { cube, problems } }: { names: Set<string>; context: SqlContext },
): void {
  const name = value.alias ?? value.name;
  if (names.has(name)) {
    problems.add(
      within(at, "name"),
      `${cube.value.name} has two joins named ${name}; give each an alias`,
    );
  }
  if (value.name === cube.value.name && value.alias === undefined) {
    problems.add(within(at, "name"), `${name} joins itself; give the join an alias`);
  }
  if (value.alias === value.name) {
    problems.add(
      within(at, "alias"),
      `the alias ${name} equals the name of the joined cube; choose another`,
    );
  }
  names.add(name);
}

/** Measures that a join can count twice without the keys of their cube. */
const fanOutTypes = new Set(["sum", "avg", "count", "number"]);

function checkPrimaryKeys(
  { value, at }: Declared<JoinDeclaration>,
  target: Cube,
  { cube, problems }: SqlContext,
): void {
  for (const side of new Set([cube, target])) {
    const measures = [...side.measures.values()];
    const measure = measures.find((one) => fanOutTypes.has(one.value.type));
    const hasKey = [...side.dimensions.values()].some((one) => one.value.primary_key === true);
    if (measure === undefined || hasKey) continue;
    problems.add(
      within(at, "name"),
      `the join from ${cube.value.name} to ${value.name} can multiply rows, so ${side.value.name} needs a dimension with primary_key: true for its measure ${measure.value.name}`,
    );
  }
}
