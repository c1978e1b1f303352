// The schema of data-model files in YAML, in snake_case. The compiler checks the rules that a schema cannot express.
import { type Static, Type } from "typebox";
import { limits } from "../../core/limits/limits.ts";
import {
  dashboardPattern,
  identifierPattern,
  intervalPattern,
  linkParameterPattern,
  offsetPattern,
} from "../../core/text/text-patterns.ts";
import { oneOf } from "../../core/schema/traits.ts";
import { rowFilterOperators } from "../../api/query-schema.ts";
import { strictObject } from "../../api/schemas.ts";

const optional = Type.Optional;
const Text = Type.String({ maxLength: limits.modelTextLength });
const Sql = Type.String({ minLength: 1, maxLength: limits.modelTextLength });
const Identifier = Type.String({ pattern: identifierPattern, maxLength: 128 });
const MemberPath = Type.String({ minLength: 1, maxLength: 1024 });
const MemberPaths = Type.Array(MemberPath, { maxItems: limits.modelMembers });
const Interval = Type.String({ pattern: intervalPattern });
const Offset = Type.String({ pattern: offsetPattern });
const RollingInterval = Type.Union([Offset, Type.Literal("unbounded")]);
const Meta = Type.Unknown();
const SqlOnly = strictObject({ sql: Sql });
const list = <S extends Parameters<typeof Type.Array>[0]>(items: S) =>
  Type.Array(items, { maxItems: limits.modelMembers });

const described = {
  name: Identifier,
  title: optional(Text),
  description: optional(Text),
  public: optional(Type.Boolean()),
  meta: optional(Meta),
};
/** `shown` is the old name of `public`. */
const member = { ...described, shown: optional(Type.Boolean()), aliases: optional(list(Text)) };
/** The replacement for a value that an access policy hides. */
const Mask = Type.Union([Text, Type.Number(), Type.Boolean(), Type.Null(), SqlOnly]);
const Format = Type.Union([Text, strictObject({ type: Text, label: optional(Text) })]);
const Label = Type.Union([Text, SqlOnly]);

/** A label for each condition; or with `switch`, an expression for each value of a dimension of type switch. */
const Case = strictObject({
  switch: optional(Sql),
  when: Type.Array(strictObject({ sql: Sql, label: optional(Label), value: optional(Text) }), {
    minItems: 1,
    maxItems: 1000,
  }),
  else: optional(strictObject({ label: optional(Label), sql: optional(Sql) })),
});

const MeasureCase = strictObject({
  switch: Sql,
  when: Type.Array(strictObject({ value: Text, sql: Sql }), { minItems: 1, maxItems: 1000 }),
  else: optional(SqlOnly),
});

const GranularitySchema = strictObject({
  name: Identifier,
  title: optional(Text),
  interval: optional(Interval),
  origin: optional(Text),
  offset: optional(Offset),
  sql: optional(Sql),
});

const ShiftName = Type.String({ pattern: "^\\w+$", maxLength: 128 });

/** A time shift of a calendar. */
const CalendarShift = strictObject({
  name: optional(ShiftName),
  interval: optional(Interval),
  type: optional(oneOf(["prior", "next"])),
  sql: optional(Sql),
});

/** A link of a dimension: to a page of the web, or to a dashboard. */
const Link = strictObject({
  name: Identifier,
  label: Type.String({ minLength: 1, maxLength: 255 }),
  url: optional(Sql),
  dashboard: optional(Type.String({ pattern: dashboardPattern, maxLength: 255 })),
  icon: optional(Text),
  target: optional(oneOf(["blank", "self"])),
  params: optional(
    Type.Array(
      strictObject({
        key: Type.String({ pattern: linkParameterPattern, maxLength: 255 }),
        value: Sql,
      }),
      { maxItems: 100 },
    ),
  ),
});

const Dimension = strictObject({
  ...member,
  type: oneOf(["string", "number", "boolean", "time", "geo", "switch"]),
  sql: optional(Sql),
  case: optional(Case),
  latitude: optional(SqlOnly),
  longitude: optional(SqlOnly),
  values: optional(Type.Array(Text, { minItems: 1, maxItems: 1000 })),
  primary_key: optional(Type.Boolean()),
  sub_query: optional(Type.Boolean()),
  propagate_filters_to_sub_query: optional(Type.Boolean()),
  format: optional(Format),
  mask: optional(Mask),
  currency: optional(Text),
  multi_stage: optional(Type.Boolean()),
  add_group_by: optional(MemberPaths),
  granularities: optional(list(GranularitySchema)),
  time_shift: optional(list(CalendarShift)),
  order: optional(oneOf(["asc", "desc"])),
  links: optional(Type.Array(Link, { maxItems: 20 })),
});

/** Measure types that wrap a row expression, and types whose SQL is already an aggregate. */
const measureTypes = [
  "count",
  "count_distinct",
  "count_distinct_approx",
  "sum",
  "avg",
  "min",
  "max",
  "running_total",
  "number",
  "string",
  "time",
  "boolean",
  "rank",
  "number_agg",
] as const;

/** Which filters apply to the measures that a multi-stage measure uses. */
const StageFilter = strictObject({
  mode: optional(oneOf(["relative", "fixed"])),
  exclude: optional(MemberPaths),
  keep_only: optional(MemberPaths),
  /** Each is checked by the compiler, as nested filters are. */
  include: optional(Type.Array(Type.Unknown(), { maxItems: 100 })),
});

const Measure = strictObject({
  ...member,
  type: oneOf([...measureTypes]),
  sql: optional(Sql),
  filters: optional(list(SqlOnly)),
  rolling_window: optional(
    strictObject({
      type: optional(
        oneOf(["fixed", "to_date", "year_to_date", "quarter_to_date", "month_to_date"]),
      ),
      granularity: optional(Identifier),
      trailing: optional(RollingInterval),
      leading: optional(RollingInterval),
      offset: optional(oneOf(["start", "end"])),
    }),
  ),
  multi_stage: optional(Type.Boolean()),
  group_by: optional(MemberPaths),
  reduce_by: optional(MemberPaths),
  add_group_by: optional(MemberPaths),
  grain: optional(
    strictObject({
      keep_only: optional(MemberPaths),
      exclude: optional(MemberPaths),
      include: optional(MemberPaths),
    }),
  ),
  order_by: optional(list(strictObject({ sql: Sql, dir: optional(oneOf(["asc", "desc"])) }))),
  case: optional(MeasureCase),
  filter: optional(StageFilter),
  time_shift: optional(
    list(
      strictObject({
        name: optional(ShiftName),
        interval: optional(Interval),
        type: optional(oneOf(["prior", "next"])),
        time_dimension: optional(MemberPath),
      }),
    ),
  ),
  drill_members: optional(MemberPaths),
  format: optional(Format),
  mask: optional(Mask),
  currency: optional(Text),
});

const Segment = strictObject({ ...member, sql: Sql });

const Hierarchy = strictObject({
  name: Identifier,
  title: optional(Text),
  public: optional(Type.Boolean()),
  levels: Type.Array(MemberPath, { minItems: 1, maxItems: 100 }),
});

const Join = strictObject({
  name: Identifier,
  alias: optional(Identifier),
  sql: Sql,
  relationship: oneOf(["one_to_one", "one_to_many", "many_to_one"]),
});

const RefreshKey = strictObject({
  sql: optional(Sql),
  every: optional(Text),
  timezone: optional(Type.String({ format: "time-zone-in-any-case" })),
  immutable: optional(Type.Boolean()),
  incremental: optional(Type.Boolean()),
  update_window: optional(Interval),
});

const PreAggregation = strictObject({
  name: Identifier,
  type: optional(oneOf(["rollup", "original_sql", "rollup_join", "rollup_lambda", "auto_rollup"])),
  measures: optional(MemberPaths),
  dimensions: optional(MemberPaths),
  segments: optional(MemberPaths),
  time_dimension: optional(MemberPath),
  time_dimensions: optional(
    list(strictObject({ dimension: MemberPath, granularity: optional(Identifier) })),
  ),
  granularity: optional(Identifier),
  partition_granularity: optional(oneOf(["hour", "day", "week", "month", "quarter", "year"])),
  rollups: optional(MemberPaths),
  unique_key_columns: optional(list(Text)),
  union_with_source_data: optional(Type.Boolean()),
  max_pre_aggregations: optional(Type.Integer({ minimum: 1, maximum: limits.modelMembers })),
  stream_offset: optional(oneOf(["earliest", "latest"])),
  output_column_types: optional(list(strictObject({ member: MemberPath, type: Text }))),
  use_original_sql_pre_aggregations: optional(Type.Boolean()),
  allow_non_strict_date_range_match: optional(Type.Boolean()),
  read_only: optional(Type.Boolean()),
  sql_alias: optional(Identifier),
  refresh_key: optional(RefreshKey),
  scheduled_refresh: optional(Type.Boolean()),
  external: optional(Type.Boolean()),
  build_range_start: optional(SqlOnly),
  build_range_end: optional(SqlOnly),
  indexes: optional(
    list(
      strictObject({
        name: Identifier,
        columns: optional(MemberPaths),
        sql: optional(Sql),
        type: optional(oneOf(["regular", "aggregate"])),
      }),
    ),
  ),
});

const Scalar = Type.Union([Text, Type.Number(), Type.Boolean(), Type.Null()]);
/** Nested filters are checked one by one by the compiler. */
const RowFilter = strictObject({
  member: optional(MemberPath),
  operator: optional(oneOf(rowFilterOperators)),
  values: optional(Type.Array(Scalar, { maxItems: 1000 })),
  and: optional(Type.Array(Type.Unknown(), { minItems: 1, maxItems: 100 })),
  or: optional(Type.Array(Type.Unknown(), { minItems: 1, maxItems: 100 })),
});

const MemberLevel = strictObject({
  includes: optional(Type.Union([Type.Literal("*"), MemberPaths])),
  excludes: optional(Type.Union([Type.Literal("*"), MemberPaths])),
});

const Policy = strictObject({
  group: optional(Text),
  groups: optional(Type.Array(Text, { minItems: 1, maxItems: 1000 })),
  role: optional(Text),
  conditions: optional(Type.Array(strictObject({ if: Sql }), { minItems: 1, maxItems: 100 })),
  member_level: optional(MemberLevel),
  member_masking: optional(MemberLevel),
  row_level: optional(
    strictObject({
      filters: optional(Type.Array(RowFilter, { minItems: 1, maxItems: 100 })),
      allow_all: optional(Type.Literal(true)),
    }),
  ),
});

const Cube = strictObject({
  ...described,
  shown: optional(Type.Boolean()),
  sql: optional(Sql),
  sql_table: optional(Sql),
  sql_alias: optional(Identifier),
  data_source: optional(Identifier),
  extends: optional(Identifier),
  calendar: optional(Type.Boolean()),
  refresh_key: optional(RefreshKey),
  joins: optional(list(Join)),
  dimensions: optional(list(Dimension)),
  measures: optional(list(Measure)),
  segments: optional(list(Segment)),
  hierarchies: optional(list(Hierarchy)),
  pre_aggregations: optional(Type.Array(PreAggregation, { maxItems: limits.modelRollups })),
  access_policy: optional(Type.Array(Policy, { maxItems: 1000 })),
});

const Included = strictObject({
  name: Identifier,
  alias: optional(Identifier),
  title: optional(Text),
  description: optional(Text),
  format: optional(Format),
  meta: optional(Meta),
});

const ViewCube = strictObject({
  join_path: MemberPath,
  includes: Type.Union([
    Type.Literal("*"),
    Type.Array(Type.Union([Identifier, Included]), { maxItems: limits.modelMembers }),
  ]),
  excludes: optional(MemberPaths),
  prefix: optional(Type.Boolean()),
  alias: optional(Identifier),
});

/** Nested folders are checked one by one by the compiler. */
const Folder = strictObject({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  includes: Type.Union([
    Type.Literal("*"),
    Type.Array(Type.Unknown(), { maxItems: limits.modelMembers }),
  ]),
});

/** A filter of every query on a view, unless the query filters one of some members itself. */
const DefaultFilter = strictObject({
  member: Identifier,
  operator: oneOf(rowFilterOperators),
  values: optional(Type.Array(Scalar, { maxItems: 1000 })),
  unless: optional(Type.Array(Identifier, { maxItems: 100 })),
});

const Names = Type.Array(Identifier, { maxItems: limits.modelCubes });

/** A group of views. Nested groups are checked one by one by the compiler. */
const ViewGroup = strictObject({
  name: Identifier,
  title: optional(Text),
  description: optional(Text),
  includes: optional(Type.Array(Type.Unknown(), { maxItems: limits.modelCubes })),
  views: optional(Names),
});

/** What members of a view have. They compute with other members of the view only. */
const viewMember = {
  ...member,
  sql: Sql,
  format: optional(Format),
  currency: optional(Text),
};
const ViewDimension = strictObject({
  ...viewMember,
  type: oneOf(["string", "number", "boolean", "time"]),
});
const ViewMeasure = strictObject({
  ...viewMember,
  type: oneOf(["number", "string", "boolean", "time"]),
  multi_stage: optional(Type.Boolean()),
  drill_members: optional(MemberPaths),
});

const View = strictObject({
  ...described,
  shown: optional(Type.Boolean()),
  view_group: optional(Identifier),
  view_groups: optional(Names),
  extends: optional(Identifier),
  cubes: optional(list(ViewCube)),
  dimensions: optional(list(ViewDimension)),
  measures: optional(list(ViewMeasure)),
  folders: optional(list(Folder)),
  default_filters: optional(Type.Array(DefaultFilter, { maxItems: 100 })),
  access_policy: optional(Type.Array(Policy, { maxItems: 1000 })),
});

/** A file of a data model. */
export const ModelFileSchema = strictObject({
  cubes: optional(Type.Array(Cube, { maxItems: limits.modelCubes })),
  views: optional(Type.Array(View, { maxItems: limits.modelCubes })),
  view_groups: optional(Type.Array(ViewGroup, { maxItems: limits.modelCubes })),
});

/** Schemas that the compiler applies to nested values. */
export const nestedSchemas = {
  filter: RowFilter,
  folder: Folder,
  joinPath: strictObject({ join_path: MemberPath }),
  viewGroup: ViewGroup,
} as const;

/** A cube as declared. */
export type CubeDeclaration = Static<typeof Cube>;
/** A view as declared. */
export type ViewDeclaration = Static<typeof View>;
/** A dimension of a view as declared. */
export type ViewDimensionDeclaration = Static<typeof ViewDimension>;
/** A measure of a view as declared. */
export type ViewMeasureDeclaration = Static<typeof ViewMeasure>;
/** A group of views as declared. */
export type ViewGroupDeclaration = Static<typeof ViewGroup>;
/** A default filter of a view as declared. */
export type DefaultFilterDeclaration = Static<typeof DefaultFilter>;
/** A dimension as declared. */
export type DimensionDeclaration = Static<typeof Dimension>;
/** A choice of a dimension as declared. */
export type CaseDeclaration = Static<typeof Case>;
/** A choice of a measure as declared. */
export type MeasureCaseDeclaration = Static<typeof MeasureCase>;
/** A filter of a multi-stage measure as declared. */
export type StageFilterDeclaration = Static<typeof StageFilter>;
/** A link of a dimension as declared. */
export type LinkDeclaration = Static<typeof Link>;
/** A measure as declared. */
export type MeasureDeclaration = Static<typeof Measure>;
/** A segment as declared. */
export type SegmentDeclaration = Static<typeof Segment>;
/** A hierarchy as declared. */
export type HierarchyDeclaration = Static<typeof Hierarchy>;
/** A join as declared. */
export type JoinDeclaration = Static<typeof Join>;
/** A pre-aggregation as declared. */
export type PreAggregationDeclaration = Static<typeof PreAggregation>;
/** An access policy as declared. */
export type PolicyDeclaration = Static<typeof Policy>;
/** A row filter as declared. */
export type RowFilterDeclaration = Static<typeof RowFilter>;
/** An operator of a row filter. */
export type RowFilterOperator = (typeof rowFilterOperators)[number];
/** A list of members in a policy as declared. */
export type MemberLevelDeclaration = Static<typeof MemberLevel>;
/** A refresh key as declared. */
export type RefreshKeyDeclaration = Static<typeof RefreshKey>;
/** A folder of a view as declared. */
export type FolderDeclaration = Static<typeof Folder>;
