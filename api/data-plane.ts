// The operations at the address of a deployment, apart from the API of the account. Their credential is a data API token.
import { limits } from "../core/limits/limits.ts";
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { defineOperation, type Operation } from "../core/operation/operation.ts";
import { publicIdPattern } from "../core/text/text-patterns.ts";
import { oneOf } from "../core/schema/traits.ts";
import { openapi } from "./openapi.ts";
import { strictObject } from "./schemas.ts";

const area = "data-plane";

/** The answer of a health check, with the status 200 or 500. */
const Health = strictObject({ health: oneOf(["HEALTH", "DOWN"]) });

/** Check that an environment answers. */
export const getEnvironmentLiveness = defineOperation({
  id: "getEnvironmentLiveness",
  area,
  method: "GET",
  path: "/livez",
  summary: "Check that an environment answers",
  description: "Returns 200 for an environment that is active, and 404 for any other branch.",
  source: "public",
  effect: "read",
  permission: "public",
  answer: Health,
  errorCodes: ["not_found"],
});

/** Check that an environment serves a build. */
export const getEnvironmentReadiness = defineOperation({
  id: "getEnvironmentReadiness",
  area,
  method: "GET",
  path: "/readyz",
  summary: "Check that an environment serves a build",
  description:
    "Returns 200 while the environment serves a build, and 500 with `DOWN` before its first build has succeeded and while the server cannot serve.",
  source: "public",
  effect: "read",
  permission: "public",
  answer: Health,
  errorCodes: ["not_found"],
});

/** Get the OpenAPI document of the build that an environment serves. */
export const getEnvironmentSpec = defineOperation({
  id: "getEnvironmentSpec",
  area,
  method: "GET",
  path: "/api/v1/spec",
  summary: "Get the OpenAPI document of the build that an environment serves",
  description:
    "Describes the operations at this address, in the platform version of the build that serves them.",
  source: "specification",
  effect: "read",
  permission: "self",
  answer: Type.Record(Type.String(), Type.Unknown()),
  errorCodes: ["not_found", "conflict", "unavailable"],
});

const dataApi = "/svcjs-api/v1";
const QueryText = Type.String({ description: "The query as JSON." });
const QueryType = Type.Optional(
  Type.String({
    description: "`multi` for an answer with `results`; without it, the result is at the top.",
  }),
);
const Cache = Type.Optional(
  Type.String({
    description:
      "`no-cache` and `must-revalidate` run the query again. Other values accept a result of the last seconds.",
  }),
);
const inUrl = strictObject({ query: QueryText, queryType: QueryType, cache: Cache });
const publicId = (of: string) =>
  Type.Optional(
    Type.String({
      pattern: publicIdPattern,
      description: `Proposed. Public ID of the ${of} that the query is for, which counts as viewed.`,
    }),
  );
/** The purpose of a query. A session for one dashboard queries for that dashboard. */
const viewed = { dashboardPublicId: publicId("dashboard"), reportPublicId: publicId("report") };
const inBody = strictObject({
  query: Type.Union(
    [
      Type.Record(Type.String(), Type.Unknown()),
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        maxItems: limits.queriesPerRequest,
      }),
    ],
    { description: "The query, or queries that are blended by their time." },
  ),
  queryType: QueryType,
  cache: Cache,
});
const Answer = Type.Record(Type.String(), Type.Unknown());
const queryOperation = {
  area,
  source: "public",
  effect: "read",
  permission: "self",
  answer: Answer,
  errorCodes: ["invalid", "not_found", "conflict", "unavailable"],
} as const;

const loading = {
  ...queryOperation,
  summary: "Run a query",
  description:
    'Returns rows, or `{"error": "Continue wait"}` with the status 200 while the query runs: repeat the request. The result has only the members and rows that the access policies allow for the user of the token.',
} as const;

/** Run a query. */
export const loadQuery = defineOperation({
  ...loading,
  id: "loadQuery",
  cost: 10,
  method: "GET",
  path: `${dataApi}/load`,
  source: "specification",
  query: strictObject({ ...inUrl.properties, ...viewed }),
});

/** Run a query that a URL cannot hold. */
export const loadQueryByPost = defineOperation({
  ...loading,
  id: "loadQueryByPost",
  cost: 10,
  method: "POST",
  path: `${dataApi}/load`,
  body: strictObject({ ...inBody.properties, ...viewed }),
});

/** Run a query in SQL. */
export const querySql = defineOperation({
  ...queryOperation,
  id: "querySql",
  cost: 10,
  method: "POST",
  path: `${dataApi}/cubesql`,
  summary: "Run a query in SQL",
  description:
    "Returns lines of JSON: the columns and the time of the result, then rows as lists of values. The statement is one SELECT on a cube or view; its members, rows and limits are those of `load`. An error has the form of `load`.",
  contentType: "application/x-ndjson",
  body: strictObject({
    query: Type.String({
      maxLength: limits.sqlTextLength,
      description: "`SELECT status, MEASURE(count) FROM orders GROUP BY 1`.",
    }),
    timezone: Type.Optional(
      Type.String({ description: "IANA name of the zone of `date_trunc` and of times." }),
    ),
    cache: Cache,
    throwContinueWait: Type.Optional(
      Type.Boolean({
        description:
          '`true` answers `{"error": "Continue wait"}` while the query runs, as `load` does, in place of a longer wait.',
      }),
    ),
    ...viewed,
  }),
});

const inSql = {
  format: Type.Optional(
    Type.Union([Type.Literal("rest"), Type.Literal("sql")], {
      description: "The form of the query: JSON, or a SELECT.",
    }),
  ),
  timezone: Type.Optional(Type.String({ description: "Time zone of a SELECT." })),
  disable_post_processing: Type.Optional(
    Type.Unknown({ description: "Has no effect: a database computes every statement whole." }),
  ),
};
const compiling = {
  ...queryOperation,
  summary: "Get the SQL of a query",
  description:
    "Returns the statement and its bound values, without running it, and the pre-aggregation that it reads, or why it reads none. With `format=sql`, the query is a SELECT as for `cubesql`, and an error in it is part of the answer. The user needs `SchemaRead` for the deployment; a session of creator mode needs `showGeneratedSql` of the app configuration not to be `false`.",
} as const;

/** Get the SQL of a query. */
export const sqlOfQuery = defineOperation({
  ...compiling,
  id: "sqlOfQuery",
  method: "GET",
  path: `${dataApi}/sql`,
  query: strictObject({ ...inUrl.properties, ...inSql }),
});

/** Get the SQL of a query that a URL cannot hold. */
export const sqlOfQueryByPost = defineOperation({
  ...compiling,
  id: "sqlOfQueryByPost",
  method: "POST",
  path: `${dataApi}/sql`,
  body: strictObject({
    ...inBody.properties,
    query: Type.Union([Type.String(), inBody.properties.query]),
    ...inSql,
  }),
});

const checking = {
  ...queryOperation,
  summary: "Check a query",
  description: "Returns the query with its defaults and its date ranges, without running it.",
} as const;

/** Check a query. */
export const dryRunQuery = defineOperation({
  ...checking,
  id: "dryRunQuery",
  method: "GET",
  path: `${dataApi}/dry-run`,
  query: inUrl,
});

/** Check a query that a URL cannot hold. */
export const dryRunQueryByPost = defineOperation({
  ...checking,
  id: "dryRunQueryByPost",
  method: "POST",
  path: `${dataApi}/dry-run`,
  body: inBody,
});

/** Describe the data model. */
export const getModelMeta = defineOperation({
  ...queryOperation,
  id: "getModelMeta",
  method: "GET",
  path: `${dataApi}/meta`,
  summary: "Describe the data model",
  description:
    "Returns the cubes and views with the members that the user of the token may query, and the groups of those views.",
  query: strictObject({
    onlyViews: Type.Optional(Type.String({ description: "`true` leaves out cubes." })),
    extended: Type.Optional(
      Type.String({
        description:
          "Adds how cubes and views are declared: `fileName`, `extends`, `sql`, `refreshKey`, `joins` and `preAggregations`. Any value has this effect. The user needs `SchemaRead` for the deployment.",
      }),
    ),
  }),
});

/** All operations of an environment. */
export const environmentOperations: readonly Operation[] = [
  getEnvironmentLiveness,
  getEnvironmentReadiness,
  getEnvironmentSpec,
  loadQuery,
  loadQueryByPost,
  querySql,
  sqlOfQuery,
  sqlOfQueryByPost,
  dryRunQuery,
  dryRunQueryByPost,
  getModelMeta,
];

/** The build that an environment serves. */
export interface ServedBuild {
  /** Base URL of the environment. */
  readonly url: string;
  /** Platform version: `1.2.3`. */
  readonly version: string;
  readonly buildJobId: string;
  readonly filesHash: string;
  /** Time of the build, in UTC. */
  readonly builtAt: string;
}

/** Returns the OpenAPI document of an environment. */
export function environmentOpenapi({ url, version, ...build }: ServedBuild): JsonObject {
  const { info, components, ...document } = openapi(environmentOperations, { keyed: false });
  return {
    ...document,
    info: {
      ...(info as JsonObject),
      title: "svc data API",
      description: "The data API of one environment of a deployment.",
      "x-svc-build": { version: `v${version}`, ...build },
    },
    servers: [{ url }],
    security: [{ dataToken: [] }],
    components: {
      ...(components as JsonObject),
      securitySchemes: {
        dataToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "`Authorization: <data API token>`; `deploymentToken` creates one.",
        },
      },
    },
  };
}
