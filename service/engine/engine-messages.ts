// The messages between the server and the process of an engine.
import type { ErrorCode } from "../../core/errors.ts";
import type { Statement } from "../query/sql-fragments.ts";
import type { TableFile } from "./duckdb.ts";
import type { DatabaseLimits } from "./engine.ts";
import type { Database } from "./databases.ts";
import type { RowCheck, SourceOptions } from "./database-source.ts";
import type { KeptRows, RollupColumn } from "./rollup-file.ts";

/** Rows of a database on a server, and how a data model declares them. */
export interface DatabaseRows extends Pick<SourceOptions, "privateHosts"> {
  readonly from: Database;
  /** One at a time reads. */
  readonly owner: string;
  readonly columns: readonly RollupColumn[];
  readonly checks: readonly RowCheck[];
  /** Return the rows, one after the other. */
  readonly statements: readonly Statement[];
  /** The rows of another file that are kept. */
  readonly kept?: KeptRows;
}

/** A message to the engine. Calls, those with an `id` of their own, have an answer with it. */
export type EngineCall =
  | {
      readonly kind: "open";
      readonly id: number;
      readonly tables: readonly TableFile[];
      readonly bounds: DatabaseLimits;
    }
  | {
      readonly kind: "open-rollup";
      readonly id: number;
      readonly file: string;
      readonly bounds: DatabaseLimits;
    }
  | {
      readonly kind: "run";
      readonly id: number;
      /** The `id` of the call that opened it. */
      readonly database: number;
      readonly statement: Statement;
    }
  /** Writes the rows of a statement to the file of a rollup. */
  | {
      readonly kind: "store";
      readonly id: number;
      readonly database: number;
      readonly statement: Statement;
      readonly file: string;
    }
  /** Writes the rows of statements on a server to the file of a rollup. */
  | ({
      readonly kind: "store-rows";
      readonly id: number;
      readonly file: string;
    } & DatabaseRows)
  /** Asks for the CPU time of the process. */
  | { readonly kind: "usage"; readonly id: number }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "close"; readonly database: number };

/** A message of the engine: a part of the rows as JSON, milliseconds of CPU time, or the end of a call. */
export type EngineAnswer =
  | { readonly kind: "rows"; readonly id: number; readonly rows: string }
  | { readonly kind: "used"; readonly id: number; readonly cpuMs: number }
  | { readonly kind: "done"; readonly id: number }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      /** The message of the database; undefined if the request caused the failure. */
      readonly cause: string | undefined;
    };
