// The check of a stage that runs a query on production and compares the rows with the rows that the pipeline expects.
import { Type, type Static } from "typebox";
import { withDataApi } from "../client/data-api.ts";
import type { Client } from "../client/types.ts";
import { isFailure } from "../core/errors.ts";
import { pluralize, truncate } from "../core/text/escape-text.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import type { CheckResult } from "./record.ts";

const closed = { additionalProperties: false } as const;
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const bound = (description: string) => Type.Optional(Type.Number({ description }));

/** The schema of the check. */
export const queryCheckSchema = Type.Object(
  {
    load: Type.Record(Type.String(), Type.Unknown(), {
      minProperties: 1,
      description: "The query, as the data API takes it: measures, dimensions, filters and so on.",
    }),
    expect: Type.Object(
      {
        rows: Type.Optional(
          Type.Object(
            {
              min: count("Fewest rows. Default: 0."),
              max: count("Most rows. Default: no limit."),
            },
            { ...closed, minProperties: 1, description: "Number of rows. Without it, at least 1." },
          ),
        ),
        values: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object(
              {
                equals: Type.Optional(
                  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
                    description: "The value. A number is compared as a number.",
                  }),
                ),
                min: bound("Smallest number."),
                max: bound("Largest number."),
              },
              { ...closed, minProperties: 1 },
            ),
            {
              minProperties: 1,
              maxProperties: limits.stageChecks,
              description: "What each row must have, by member.",
            },
          ),
        ),
      },
      { ...closed, minProperties: 1, description: "What the answer must be." },
    ),
  },
  { ...closed, description: "A query on production and its expected answer." },
);

/** A query and the answer that it must have. */
export type QueryCheck = Static<typeof queryCheckSchema>;

/** Runs the query on production. Fails with `timeout` if the answer takes longer than the time limit. */
export async function runQueryCheck(
  client: Client,
  { load, expect }: QueryCheck,
  on: {
    readonly deploymentId: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<CheckResult> {
  try {
    const { deploymentId } = on;
    const answer = await withDataApi(client, { deploymentId, isProduction: true }, (api) =>
      api.load(load as JsonObject, on),
    );
    return compareAnswer(answer, expect);
  } catch (error) {
    if (!isFailure(error, "invalid")) throw error;
    return { passed: false, message: `failed: ${truncate(error.message, messageMax)}` };
  }
}

/** Characters of an error or a value in a message. */
const messageMax = 200;

/** Compares the rows of an answer with the expected rows. */
export function compareAnswer({ data }: JsonObject, expect: QueryCheck["expect"]): CheckResult {
  if (!Array.isArray(data)) return failed("did not answer with rows; omit responseFormat");
  const { rows = { min: 1 }, values = {} } = expect;
  const { min = 0, max = Infinity } = rows;
  const found = pluralize(data.length, "row");
  if (data.length < min) return failed(`answered ${found}, expected at least ${min}`);
  if (data.length > max) return failed(`answered ${found}, expected at most ${max}`);
  for (const [index, row] of data.entries()) {
    for (const [member, expected] of Object.entries(values)) {
      const value = isObject(row) ? row[member] : undefined;
      const problem = value === undefined ? "is missing" : problemOf(value, expected);
      if (problem !== undefined) return failed(`row ${index + 1}: ${member} ${problem}`);
    }
  }
  return { passed: true, message: `answered ${found} as expected` };
}

type ExpectedValue = NonNullable<QueryCheck["expect"]["values"]>[string];

/** Returns how a value differs from the expected one; undefined if it does not. The data API sends numbers as text. */
function problemOf(value: JsonValue, { equals, min, max }: ExpectedValue): string | undefined {
  const shown = truncate(typeof value === "string" ? value : JSON.stringify(value), messageMax);
  if (equals !== undefined && !isEqual(value, equals)) {
    return `is ${shown}, expected ${JSON.stringify(equals)}`;
  }
  if (min === undefined && max === undefined) return undefined;
  const number = numberOf(value);
  if (number === undefined) return `is ${shown}, expected a number`;
  if (min !== undefined && number < min) return `is ${shown}, expected at least ${min}`;
  if (max !== undefined && number > max) return `is ${shown}, expected at most ${max}`;
  return undefined;
}

function isEqual(value: JsonValue, expected: string | number | boolean | null): boolean {
  return typeof expected === "number" ? numberOf(value) === expected : value === expected;
}

function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  const isText = typeof value === "string" && value.trim() !== "";
  return isText && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

function failed(message: string): CheckResult {
  return { passed: false, message };
}
