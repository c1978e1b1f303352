// How long the statements of a store take, told to whoever measures.
import type { KyselyConfig } from "kysely";

/** Takes the time of one statement; `kind` is its verb, such as `select`, or `raw`. */
export type OnStatement = (kind: string, seconds: number) => void;

/** What makes Kysely tell `onStatement`; nothing where nobody measures, as it costs two looks at the clock. */
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
