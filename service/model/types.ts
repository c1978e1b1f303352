// The compiled data model, which queries and metadata read. Plain JSON, so that it can pass between threads.
import type { CalendarUnit } from "../../core/text/calendar-units.ts";
import type { RowFilterOperator } from "./schema.ts";

/** A file of a data model. */
export interface ModelFile {
  /** Path relative to the project, with `/` between folders: `model/cubes/orders.yml`. */
  readonly path: string;
  readonly content: string;
}

/** A seed file of a data model. */
export interface SeedFile {
  /** Path relative to the project: `seeds/orders.csv`. */
  readonly path: string;
  readonly content: Buffer;
}

/** An error in a data model. Lines and columns start at 1. */
export interface ModelError {
  readonly message: string;
  readonly fileName: string;
  readonly line: number;
  readonly column: number;
}

/** A declaration that a data model may have, but that mostly is a mistake. */
export interface ModelWarning extends ModelError {
  /**
   * `open-filter`: a condition on the security context that opens every row if the context has no value. `no-join`: a view
   * takes members by a join that no cube declares. `unused-pre-aggregation`: no query can use a pre-aggregation.
   * `compile-context`: the data model differs between security contexts.
   */
  readonly code: "open-filter" | "no-join" | "unused-pre-aggregation" | "compile-context";
}

/** Whether queries can use a pre-aggregation. */
export interface PreAggregationUse {
  /** `cube.name`. */
  readonly name: string;
  readonly usable: boolean;
  /** Why none can. */
  readonly reason?: string;
}

/** The result of a compilation. `model` is undefined if there are errors. */
export interface CompileResult {
  readonly model: CompiledModel | undefined;
  /** Sorted by file, line and column. The number is limited; `errorCount` is the total. */
  readonly errors: readonly ModelError[];
  readonly errorCount: number;
  /** Sorted as the errors are. */
  readonly warnings: readonly ModelWarning[];
  /** Number of declared cubes and views, including those with errors. */
  readonly cubesCount: number;
  /** The pre-aggregations of a valid model in the order of their declarations, a bounded number. */
  readonly preAggregations: readonly PreAggregationUse[];
}

/** The result of a compilation without the model, which can be large. */
export interface CompileReport {
  readonly valid: boolean;
  /** As in {@link CompileResult}. */
  readonly errors: readonly ModelError[];
  readonly errorCount: number;
  readonly warnings: readonly ModelWarning[];
  readonly cubesCount: number;
  /** As in {@link CompileResult}. */
  readonly preAggregations: readonly PreAggregationUse[];
}

/** A group of views, with the names of views and the groups in it. */
export interface ViewGroup {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly includes: readonly (string | ViewGroup)[];
}

/** A compiled data model. Names are unique over cubes and views. */
export interface CompiledModel {
  /** Includes a separate cube for each alias of a join. */
  readonly cubes: readonly CompiledCube[];
  readonly views: readonly CompiledView[];
  readonly viewGroups: readonly ViewGroup[];
  /** Whether its code reads `COMPILE_CONTEXT`, so that it is the model of callers with one security context only. */
  readonly readsContext?: boolean;
}

/** The kinds of members. */
export type MemberKind = "dimension" | "measure" | "segment";

/** A resolved reference in SQL. Paths are cube names from the cube of the text to the owner, both included. */
export type SqlPart =
  | string
  | { readonly kind: "table"; readonly path: readonly string[] }
  | { readonly kind: "sql"; readonly cube: string }
  | {
      readonly kind: "member";
      readonly path: readonly string[];
      readonly member: string;
      readonly memberKind: MemberKind;
      readonly granularity?: string;
    }
  | {
      readonly kind: "filter_params";
      readonly cube: string;
      readonly member: string;
      /** The column; or the condition, with the values of the filter in it. */
      readonly parts: SqlTemplate;
      /** Values that the condition takes; undefined for a column. */
      readonly values?: number;
    }
  | { readonly kind: "filter_value"; readonly index: number }
  | { readonly kind: "filter_group"; readonly parts: readonly SqlPart[] }
  | {
      readonly kind: "security_context";
      readonly path: readonly string[];
      /** The column. */
      readonly parts: SqlTemplate;
      readonly required: boolean;
    }
  | { readonly kind: "convert_tz"; readonly parts: readonly SqlPart[] }
  /** The value as a part of a web address. */
  | { readonly kind: "url_encode"; readonly parts: readonly SqlPart[] };

/** SQL with resolved references. */
export type SqlTemplate = readonly SqlPart[];

/** Members that all named things share. */
export interface Described {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly public: boolean;
  readonly meta?: unknown;
}

/** A custom granularity of a time dimension. */
export interface Granularity {
  readonly name: string;
  readonly title?: string;
  readonly interval?: string;
  readonly origin?: string;
  readonly offset?: string;
  readonly sql?: SqlTemplate;
}

/** A time shift of a time dimension of a calendar. It has a name, or replaces the shift by its interval. */
export interface CalendarShift {
  readonly name?: string;
  readonly interval?: string;
  readonly type?: "prior" | "next";
  /** The other time of a row, in place of the interval. */
  readonly sql?: SqlTemplate;
}

/** A branch of a `case`. */
export interface CaseBranch {
  readonly when: SqlTemplate;
  readonly label: SqlTemplate | string;
}

/** The replacement for a value that an access policy hides. */
export type Mask =
  | { readonly literal: string | number | boolean | null }
  | { readonly sql: SqlTemplate };

/** A link of a dimension. Its address is the dimension `DIMENSION___link_NAME_url`. */
export interface DimensionLink {
  readonly name: string;
  readonly label: string;
  /** The slug or the public ID of a dashboard of the deployment. */
  readonly dashboard?: string;
  readonly icon?: string;
  readonly target?: "blank" | "self";
  /** Names of parameters. */
  readonly params?: readonly string[];
}

/** A dimension. Exactly one of `sql`, `case`, `geo` and `values` is set. */
export interface CompiledDimension extends Described {
  readonly type: "string" | "number" | "boolean" | "time" | "geo";
  readonly sql?: SqlTemplate;
  readonly case?: {
    readonly branches: readonly CaseBranch[];
    readonly otherwise?: SqlTemplate | string;
  };
  readonly geo?: { readonly latitude: SqlTemplate; readonly longitude: SqlTemplate };
  /** The values of a dimension of type switch: each row has all of them. */
  readonly values?: readonly string[];
  readonly primaryKey: boolean;
  readonly subQuery: boolean;
  /** Whether its subquery has the filters of the query. */
  readonly propagatesFilters?: true;
  /**
   * Set for a multi-stage dimension, whose SQL is over the measures of a group: the dimensions that separate its groups, besides
   * those of the query.
   */
  readonly addGroupBy?: readonly DimensionPath[];
  readonly granularities: readonly Granularity[];
  readonly timeShifts?: readonly CalendarShift[];
  /** The granularity to which its values, in UTC, are truncated; undefined for exact times. */
  readonly truncatedTo?: string;
  readonly format?: unknown;
  readonly order?: "asc" | "desc";
  /** Set if a view declares it. Queries name what it reads, too. */
  readonly isOfView?: true;
  readonly links?: readonly DimensionLink[];
  /** Currency of a number. */
  readonly currency?: string;
  readonly mask?: Mask;
}

/** Moves the values of an earlier (`prior`) or later time to the times of a query. */
export type TimeShift =
  | {
      /** `N unit`. */
      readonly interval: string;
      readonly type: "prior" | "next";
      /** `cube.dimension`; undefined for every time dimension of the query. */
      readonly timeDimension?: string;
    }
  /** A shift that time dimensions of calendars declare. */
  | { readonly name: string };

/** A dimension with the cubes from the one that references it to its own, both included. */
export interface DimensionPath {
  readonly cube: string;
  readonly member: string;
  readonly path: readonly string[];
}

/** A filter on rows. Members are `cube.dimension`. */
export type IncludedFilter =
  | {
      readonly member: string;
      readonly operator: RowFilterOperator;
      readonly values: readonly (string | null)[];
    }
  | { readonly and: readonly IncludedFilter[] }
  | { readonly or: readonly IncludedFilter[] };

/** The filters of the measures that a multi-stage measure uses. Names are `cube.member`. */
export interface StageFilter {
  /** Whether it changes the filters of the query, instead of those of the measure that uses it. */
  readonly isFixed: boolean;
  /** The members whose filters stay; undefined for all. */
  readonly keepOnly?: readonly string[];
  /** The members whose filters do not apply. */
  readonly exclude: readonly string[];
  /** Further filters. */
  readonly include: readonly IncludedFilter[];
  /** The dimensions of {@link include}. */
  readonly members: readonly DimensionPath[];
}

/** The computation of a multi-stage measure from the groups of other measures. Names are `cube.dimension`. */
export interface MeasureStage {
  /** The dimensions of the query to keep; undefined for all. */
  readonly groupBy?: readonly string[];
  /** Dimensions of the query to remove. */
  readonly reduceBy: readonly string[];
  /** Additional dimensions by which the other measures are grouped. */
  readonly addGroupBy: readonly DimensionPath[];
  /** The dimension of type switch whose value decides. The other measures are grouped by it too. */
  readonly switch?: DimensionPath;
  /** The order of a rank. */
  readonly orderBy: readonly { readonly sql: SqlTemplate; readonly descending: boolean }[];
  readonly timeShift: readonly TimeShift[];
  readonly filter?: StageFilter;
}

/** A measure. */
export interface CompiledMeasure extends Described {
  readonly type: string;
  readonly sql?: SqlTemplate;
  readonly filters: readonly SqlTemplate[];
  readonly rollingWindow?: unknown;
  /** Set for a multi-stage measure. */
  readonly stage?: MeasureStage;
  readonly drillMembers: readonly string[];
  /** As of a dimension. */
  readonly isOfView?: true;
  readonly format?: unknown;
  /** Currency of a number. */
  readonly currency?: string;
  readonly mask?: Mask;
}

/** A segment. */
export interface CompiledSegment extends Described {
  readonly sql: SqlTemplate;
}

/** A hierarchy of dimensions, coarse to fine: `cube.dimension`. */
export interface CompiledHierarchy {
  readonly name: string;
  readonly title: string;
  readonly public: boolean;
  readonly levels: readonly string[];
}

/** A join from the cube that declares it: always a left join. */
export interface CompiledJoin {
  readonly cube: string;
  /** The alias of the joined cube in this one; undefined to use the cube's own name. */
  readonly alias?: string;
  readonly relationship: "one_to_one" | "one_to_many" | "many_to_one";
  readonly sql: SqlTemplate;
  /** The SQL as declared. */
  readonly text: string;
}

/** A pre-aggregation. Members are `cube.member`. */
export interface CompiledPreAggregation {
  readonly name: string;
  readonly type: string;
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
  readonly segments: readonly string[];
  readonly timeDimensions: readonly { readonly dimension: string; readonly granularity?: string }[];
  readonly refreshKey?: RefreshKey;
  /** How its rows are stored in parts; undefined if it declares none. */
  readonly partitions?: {
    readonly granularity: CalendarUnit;
    /** Whether only parts that end after a time before the last build are stored again. */
    readonly isIncremental: boolean;
    /** The interval between that time and the build. */
    readonly updateWindow?: string;
  };
  /** Whether it is built again without queries. */
  readonly isScheduled: boolean;
  /** Whether it has only the rows of a range of time. */
  readonly isRanged: boolean;
}

/** The source of a cube's or view's declaration. */
export interface DeclaredSource {
  readonly fileName: string;
  readonly extends?: string;
  /** The SQL of a cube, or the name of its table. */
  readonly sql?: string;
}

/** A value of a row filter: a literal, or a path into the caller's context. */
export type PolicyValue =
  | { readonly literal: string | number | boolean | null }
  | { readonly context: "userAttributes" | "securityContext"; readonly path: readonly string[] };

/** A row filter of a policy. */
export type PolicyFilter =
  | {
      readonly member: string;
      readonly operator: RowFilterOperator;
      readonly values: readonly PolicyValue[];
    }
  | { readonly and: readonly PolicyFilter[] }
  | { readonly or: readonly PolicyFilter[] };

/** An access policy. */
export interface AccessPolicy {
  /** Names of groups or the role; `*` applies to everyone. */
  readonly groups: readonly string[];
  readonly role?: string;
  readonly conditions: readonly PolicyValue[];
  /** Members that the policy opens; undefined opens all. */
  readonly members?: readonly string[];
  /** Members outside `members` that appear masked. */
  readonly masked?: readonly string[];
  /** Filters that all must hold; undefined opens all rows. */
  readonly rows?: readonly PolicyFilter[];
}

/** The condition under which data changes: never, at each interval or cron time, or when the rows of SQL differ. */
export interface RefreshKey {
  readonly immutable?: boolean;
  readonly every?: string;
  readonly timezone?: string;
  readonly sql?: SqlTemplate;
}

/** A cube. */
export interface CompiledCube extends Described {
  /** The original cube, if this is a copy under the alias of a join. No query can name the copy. */
  readonly aliasOf?: string;
  /** Replaces the name of the cube in the names of result columns. */
  readonly sqlAlias?: string;
  readonly table: SqlTemplate;
  /** Whether `table` is a query instead of the name of a table. */
  readonly isQuery: boolean;
  readonly dataSource: string;
  readonly refreshKey?: RefreshKey;
  readonly dimensions: readonly CompiledDimension[];
  readonly measures: readonly CompiledMeasure[];
  readonly segments: readonly CompiledSegment[];
  readonly hierarchies: readonly CompiledHierarchy[];
  readonly joins: readonly CompiledJoin[];
  readonly preAggregations: readonly CompiledPreAggregation[];
  readonly policies?: readonly AccessPolicy[];
  readonly source: DeclaredSource;
}

/** A member of a view: a member of a cube under another name, or one that computes with such members. */
export interface ViewMember extends Described {
  readonly kind: MemberKind;
  /** Cubes from the root of the view to the owner of the member. */
  readonly path: readonly string[];
  /** The path as declared: with the aliases of joins. Empty for a member that the view declares. */
  readonly joinPath: string;
  /** The members of the view that it computes with, for one that the view declares. */
  readonly reads?: readonly string[];
  /** The reason why no query can use it. */
  readonly refusal?: string;
  readonly member: string;
  readonly format?: unknown;
}

/** A folder of a view. */
export interface ViewFolder {
  readonly name: string;
  readonly members: readonly (string | ViewFolder)[];
}

/** A filter that queries on a view have, unless they filter a member of `unless` themselves. Members are `view.member`. */
export interface DefaultFilter {
  readonly member: string;
  readonly operator: RowFilterOperator;
  readonly values: readonly (string | null)[];
  readonly unless: readonly string[];
}

/** A view: selected members of cubes. */
export interface CompiledView extends Described {
  readonly members: readonly ViewMember[];
  readonly hierarchies: readonly CompiledHierarchy[];
  readonly folders: readonly ViewFolder[];
  readonly defaultFilters: readonly DefaultFilter[];
  readonly policies?: readonly AccessPolicy[];
  readonly source: DeclaredSource;
}
