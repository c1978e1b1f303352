// Every place where the database holds something sealed, and how all of it is sealed anew under another key.
import type { Sealer } from "./seal.ts";
import type { Db } from "../store/schema.ts";
import { rewriteColumn } from "../store/rewrite-column.ts";
import { inTransaction } from "../store/transaction.ts";

/** The place of a variable's value. */
export function variableSealContext(of: {
  readonly deployment_id: number;
  readonly name: string;
}): string {
  return `variable ${of.deployment_id} ${of.name}`;
}

/** The place of what came of a write that named an idempotency key. */
export function idempotencySealContext({ id }: { readonly id: string }): string {
  return `idempotency ${id}`;
}

/** The place of one version of a state. */
export function stateSealContext(of: {
  readonly state_id: number;
  readonly version: number;
}): string {
  return `state ${of.state_id} ${of.version}`;
}

/** The place of the lines that one call appended to a state's journal. */
export function journalSealContext(of: {
  readonly state_id: number;
  readonly position: number;
}): string {
  return `state-journal ${of.state_id} ${of.position}`;
}

/** A column that holds something sealed. Its table has a column `id`. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly contextOf: (row: never) => string;
  /** Values that are sealed anew in one transaction: fewer where they are long. */
  readonly batch: number;
}

/** Whatever is sealed has a line here; a test compares them with the columns that there are. */
const sealedColumnSpecs: readonly SealedColumn[] = [
  {
    table: "deployment_variables",
    column: "sealed_value",
    contextOf: variableSealContext,
    batch: 200,
  },
  {
    table: "idempotency_records",
    column: "sealed_record",
    contextOf: idempotencySealContext,
    batch: 200,
  },
  { table: "state_versions", column: "sealed_content", contextOf: stateSealContext, batch: 2 },
  { table: "state_journal", column: "sealed_lines", contextOf: journalSealContext, batch: 50 },
];

/** The columns that hold something sealed, as `table.column`. */
export const sealedColumns: readonly string[] = sealedColumnSpecs.map(
  ({ table, column }) => `${table}.${column}`,
);

/**
 * Seals everything in the store under the current key, a batch in each transaction; answers how many values were under an
 * earlier one. Killed in the middle, it goes on when it is called again. Fails with `corrupt` for a value that none of the
 * keys opens; what was sealed anew by then stays so.
 */
export async function resealAll(db: Db, seal: Sealer): Promise<number> {
  let resealed = 0;
  for (const sealed of sealedColumnSpecs) {
    for (let count = sealed.batch; count === sealed.batch; resealed += count) {
      count = await inTransaction(db, (tx) => resealBatch(tx, seal, sealed));
    }
  }
  return resealed;
}

/** Seals what the next batch holds under an earlier key; answers how many values that were. */
function resealBatch(
  tx: Db,
  seal: Sealer,
  { table, column, contextOf: placeOf, batch }: SealedColumn,
): Promise<number> {
  return rewriteColumn(
    tx,
    { table, column, exceptPrefix: seal.prefix, limit: batch },
    (sealed, row) => {
      const place = placeOf(row as never);
      return seal.seal(seal.open(sealed, place), place);
    },
  );
}
