// Measures the duration of store statements.
import type { KyselyConfig } from "kysely";
import type { DirectRead } from "./direct-reads.ts";

/** Receives the duration of one statement. `kind` is its verb, such as `select`, or `raw`. */
export type OnStatement = (kind: string, seconds: number) => void;

/**
 * Returns the Kysely log option for `onStatement`. Without a listener it returns nothing, which saves two clock reads.
 */
export function statementTimer(onStatement: OnStatement | undefined): Pick<KyselyConfig, "log"> {
  if (onStatement === undefined) return {};
  return {
    log: ({ query, queryDurationMillis }) =>
      onStatement(
        query.query.kind.replace(/(?:Query)?Node$/, "").toLowerCase(),
        queryDurationMillis / 1000,
      ),
  };
}

/**
 * Returns a read that reports the duration of each query to `onStatement`, if given. Kysely's log option does not cover
 * these reads.
 */
export function timeRead(read: DirectRead, onStatement: OnStatement | undefined): DirectRead {
  if (onStatement === undefined) return read;
  return (query) => {
    const from = performance.now();
    const rows = read(query);
    if (rows !== undefined) onStatement("select", (performance.now() - from) / 1000);
    return rows;
  };
}
