// ClickHouse as a data source: runs reading statements over HTTP with limits of time and bytes.
import { createHash, randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import { Failure, invariant } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Statement } from "../query/sql-fragments.ts";
import {
  connectionTarget,
  type ConnectionTarget,
  type DatabaseAddress,
  readAll,
  requireChecks,
  type SourceOptions,
  type StoredDatabase,
  withinLimit,
} from "./database-source.ts";
import { lookupOf } from "../security/destinations.ts";
import { type ResultRows, type ResultValue, tooLargeFailure } from "./engine.ts";

/** Returns a database. It connects for each statement, so that it holds no connection between them. */
export function openClickhouseSource(
  source: DatabaseAddress,
  options: SourceOptions,
): StoredDatabase {
  return {
    async run(statement, signal) {
      const { queryMs } = options.bounds ?? limits;
      const target = await connectionTarget(source, options, queryMs);
      return withRequests(target, signal, (send) =>
        readAll(readRows(send(statement, { max_result_bytes: String(resultBytesMax) }))),
      );
    },
    async stream({ checks, statements, owner, writer, onStart }, signal) {
      const [statement, ...others] = statements;
      invariant(statement && others.length === 0, "several statements have no state of the data");
      const target = await connectionTarget(source, options, limits.rollupBuildMs);
      const name = createHash("sha256").update(`svc pre-aggregations of ${owner}`).digest("hex");
      await withRequests(target, signal, async (send) => {
        await onStart?.();
        await requireChecks(checks, (one) => readRows(send(one, {})));
        // The server refuses a second statement of the same name while one runs.
        const answer = send(statement, { query_id: name });
        for await (const rows of readRows(answer, (names) => writer.setTypes(names)))
          await writer.add(rows);
      });
    },
    close: async () => undefined,
  };
}

/** Bytes of a result in the memory of the server, where a value can be eight times as long as its text. */
const resultBytesMax = 8 * limits.queryResultBytes;

/** The settings of statements: what differs from other databases otherwise, and every row and value is exact. */
const settings = {
  // The profile of a user can have limits that return a part of the rows, and more rows.
  read_overflow_mode: "throw",
  read_overflow_mode_leaf: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  distinct_overflow_mode: "throw",
  join_overflow_mode: "throw",
  set_overflow_mode: "throw",
  transfer_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  timeout_overflow_mode_leaf: "throw",
  result_overflow_mode: "throw",
  extremes: "0",
  limit: "0",
  offset: "0",
  readonly: "2",
  cancel_http_readonly_queries_on_client_close: "1",
  // Otherwise errors follow rows.
  wait_end_of_query: "1",
  default_format: "TabSeparatedWithNamesAndTypes",
  max_query_size: "67108864",
  session_timezone: "UTC",
  // Also writes times of other zones in UTC.
  date_time_output_format: "iso",
  cast_string_to_date_time_mode: "best_effort",
  date_time_overflow_behavior: "throw",
  enable_extended_results_for_datetime_functions: "1",
  join_use_nulls: "1",
  aggregate_functions_null_for_empty: "1",
  cast_keep_nullable: "1",
  union_default_mode: "DISTINCT",
  use_variant_as_common_type: "0",
  prefer_column_name_to_alias: "1",
  short_circuit_function_evaluation: "force_enable",
  // An aggregate of a CASE would be computed for the rows that the CASE leaves out, too.
  optimize_rewrite_aggregate_function_with_if: "0",
} as const;

/** Sends a statement with settings, and returns its answer. Throws `locked` while another one of the same `query_id` runs. */
type Send = (
  statement: Statement,
  own: Readonly<Record<string, string>>,
) => Promise<AsyncIterable<Uint8Array>>;

/** Works within the limit of time, and ends the connections, with which the server ends their statements. */
async function withRequests<T>(
  target: ConnectionTarget,
  signal: AbortSignal,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  // Loads the client only if the server has such a data source.
  const { Agent, request } = await import("undici");
  const { source, address, isEncrypted, queryMs } = target;
  const { host, port, database, user, password, authorities } = source;
  const agent = new Agent({
    connect: {
      timeout: limits.storeConnectMs,
      lookup: address === host ? undefined : lookupOf(address),
      ...(authorities !== undefined && { ca: authorities }),
    },
    // The limit of time ends it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const origin = `${isEncrypted ? "https" : "http"}://${isIPv6(host) ? `[${host}]` : host}:${port}/`;
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  const options = { ...settings, database, max_execution_time: String(Math.ceil(queryMs / 1000)) };
  const send: Send = async ({ text, values }, own) => {
    const boundary = randomUUID();
    const parts = values.map((value, at) => [`param_p${at + 1}`, escaped(String(value))] as const);
    const form = [["query", text] as const, ...parts].map(
      ([part, content]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${part}"\r\n\r\n${content}\r\n`,
    );
    const { statusCode, body } = await request(origin, {
      method: "POST",
      query: { ...options, ...own },
      headers: {
        authorization: `Basic ${credentials}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      body: `${form.join("")}--${boundary}--\r\n`,
      dispatcher: agent,
    });
    if (statusCode !== 200) throw errorOf(await startOf(body), source);
    return body;
  };
  return withinLimit(target, signal, {
    work: () => work(send),
    cancel: () => undefined,
    end: () => void agent.destroy(),
    isLate: (error) => error instanceof ClickhouseError && error.code === 159,
    messageOf: (error) => (error instanceof ClickhouseError ? error.message : undefined),
    isPassing: (error) => error instanceof ClickhouseError && passingCodes.has(error.code),
  });
}

/** Returns a value as the text of a parameter. */
function escaped(value: string): string {
  return value.replace(/[\\\0\b\f\n\r\t]/gu, (one) => `\\${letters[one] ?? one}`);
}

/** An error of the server. */
class ClickhouseError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The start of an error that is read. */
const errorLength = 65_536;

/** Returns the start of an answer as text. */
async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let answer = "";
  const decoder = new TextDecoder();
  for await (const part of body) {
    answer += decoder.decode(part, { stream: true });
    if (answer.length > errorLength) break;
  }
  return answer;
}

/** Returns the error of an answer, without the statement and the version, and without values of rows. */
function errorOf(answer: string, source?: DatabaseAddress): Error {
  const [, number, text = ""] = /^Code: (\d+)\. DB::Exception: (.*)$/msu.exec(answer) ?? [];
  if (number === undefined) return new Error("the answer is not that of ClickHouse");
  const code = Number(number);
  if (code === 216) return new Failure("locked", "another server reads the database");
  if (code === 241) return new Failure("limit_reached", noMemoryText);
  if (code === 396 && text.startsWith("Limit for result")) return tooLargeFailure();
  const [, name = "an error"] = /\(([A-Z_]+)\)(?: \(version |\s*$)/u.exec(text) ?? [];
  // While rows are read, messages have values of them, which the caller may not be allowed to see.
  if (/: while executing /iu.test(text) && !codesWithoutValues.has(code))
    return new ClickhouseError(code, `an expression fails for a row: ${name}`);
  const place = text.replace(/: (?:In scope |while executing ).*$|\.? \([A-Z_]+\).*$/isu, "");
  // An error of the password goes on about the files of the server.
  const [line = ""] = place.trim().split("\n");
  const variables = source && variablesOf(code, place, source);
  if (variables === undefined) return new ClickhouseError(code, place.trim());
  const problem = line.replace(/\.$/u, "");
  return new ClickhouseError(code, `${problem}; check the variables of its ${variables}`);
}

/** Returns the variables of a data source that an error is about; undefined for another error. */
function variablesOf(
  code: number,
  message: string,
  { database }: DatabaseAddress,
): string | undefined {
  if (code === 516) return "user and password";
  return code === 81 && message.includes(` ${database} `) ? "database" : undefined;
}

const incomplete = () => new Error("the answer is incomplete");

const noMemoryText =
  "the query needs more memory than the database allows; filter or group more, or send it again later";

/** Codes of errors without values of rows: what a statement itself throws, and types that do not fit. */
const codesWithoutValues = new Set([395, 43, 44, 386]);

/** Codes of errors that pass: of too many statements, the network and statements that end. */
const passingCodes = new Set([202, 209, 210, 236, 279, 319, 394]);

/** Reads the parts of an answer as text. Throws the error with which the server ended the rows. */
async function* readParts(answer: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let error = "";
  try {
    for await (const part of answer) {
      const text = `${error}${decode(decoder, part)}`;
      // Rows have this character of a value as two others.
      const at = text.indexOf("\r");
      if (at < 0) yield text;
      else error = text.slice(at, at + errorLength);
    }
    decoder.decode();
  } catch (problem) {
    // The server closes the connection after it.
    if (error === "") throw problem;
  }
  if (error !== "") throw errorOf(error);
}

/** Reads the rows of an answer in steps. */
async function* readRows(
  answer: Promise<AsyncIterable<Uint8Array>>,
  onTypes?: (names: readonly string[]) => void,
): AsyncGenerator<ResultRows> {
  let heads: readonly (readonly string[])[] = [];
  let rest = "";
  for await (const part of readParts(await answer)) {
    if (!part.includes("\n")) {
      rest += part;
      if (rest.length > limits.queryResultBytes) throw tooLargeFailure();
      continue;
    }
    const lines = `${rest}${part}`.split("\n");
    rest = lines.pop() ?? "";
    const rows = lines.map((line) => line.split("\t"));
    const isHead = heads.length < 2;
    while (heads.length < 2 && rows.length > 0) heads = [...heads, rows.shift() ?? []];
    const [, types = []] = heads;
    if (isHead && heads.length === 2) onTypes?.(types.map(typeName));
    const cells = types.map(cellReader);
    if (rows.some(({ length }) => length !== cells.length)) throw incomplete();
    yield rows.map((row) => row.map((cell, at) => cells[at]?.(cell) ?? null));
  }
  if (rest !== "" || heads.length < 2) throw incomplete();
}

function decode(decoder: InstanceType<typeof TextDecoder>, part: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: true });
  } catch (cause) {
    throw new Failure("invalid", "a value is no text in UTF-8; convert it, as hex does", { cause });
  }
}

type CellReader = (cell: string) => ResultValue;

/** Returns what reads the cells of a type, which are written as other databases write them. */
function cellReader(type: string): CellReader {
  const name = typeName(type);
  if (name.startsWith("AggregateFunction"))
    throw new Failure(
      "invalid",
      `the values of the type ${name} are no text; finalize them, as finalizeAggregation does`,
    );
  const read = readers[name] ?? unescaped;
  return (cell) => (cell === "\\N" ? null : read(cell));
}

const readers: Readonly<Record<string, CellReader>> = {
  timestamp: (text) => text.replace("T", " ").replace(/(?:\.0+|(\.\d*?)0*)?Z$/u, "$1"),
  float4: (text) => doubles[text] ?? String(Number(text)),
  float8: (text) => doubles[text] ?? String(Number(text)),
  bool: (text) => text === "true",
};

const doubles: Readonly<Record<string, string>> = {
  inf: "Infinity",
  "-inf": "-Infinity",
  nan: "NaN",
};

const controls: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  0: "\0",
};
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(controls).map(([letter, control]) => [control, letter]),
);

const unescaped: CellReader = (cell) =>
  cell.includes("\\") ? cell.replace(/\\(.)/gsu, (_, one: string) => controls[one] ?? one) : cell;

/** Returns the name that PostgreSQL has for a type; of integers, which conditions are too, `int`. */
function typeName(type: string): string {
  const inner = /^(?:Nullable|LowCardinality|SimpleAggregateFunction)\((?:\w+, )?(.*)\)$/u.exec(
    type,
  )?.[1];
  if (inner !== undefined) return typeName(inner);
  const [, name = ""] = /^(\w+)/u.exec(type) ?? [];
  return typeNames[name] ?? type;
}

const typeNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32".split(" ").map((name) => [name, "int"]),
  ),
  ...Object.fromEntries(
    "UInt64 Int128 UInt128 Int256 UInt256 Decimal".split(" ").map((name) => [name, "numeric"]),
  ),
  Float32: "float4",
  BFloat16: "float4",
  Float64: "float8",
  String: "text",
  FixedString: "text",
  Enum8: "enum",
  Enum16: "enum",
  UUID: "uuid",
  Bool: "bool",
  Date: "date",
  Date32: "date",
  DateTime: "timestamp",
  DateTime64: "timestamp",
};
