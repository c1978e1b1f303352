// Every place where the database holds something sealed, and how all of it is sealed anew under another key.
import type { Seal } from "./seal.ts";
import type { Db } from "./store/schema.ts";
import { rewrite } from "./store/rewrite.ts";
import { inTransaction } from "./store/transaction.ts";

/** The place of a variable's value. */
export function variablePlace(of: {
  readonly deployment_id: number;
  readonly name: string;
}): string {
  return `variable ${of.deployment_id} ${of.name}`;
}

/** The place of what came of a write that named an idempotency key. */
export function idempotencyPlace({ id }: { readonly id: string }): string {
  return `idempotency ${id}`;
}

/** The place of one version of a state. */
export function statePlace(of: { readonly state_id: number; readonly version: number }): string {
  return `state ${of.state_id} ${of.version}`;
}

/** The place of the lines that one call appended to a state's journal. */
export function journalPlace(of: { readonly state_id: number; readonly position: number }): string {
  return `state-journal ${of.state_id} ${of.position}`;
}

/** A column that holds something sealed. Its table has a column `id`. */
interface Sealed {
  readonly table: string;
  readonly column: string;
  readonly placeOf: (row: never) => string;
  /** Values that are sealed anew in one transaction: fewer where they are long. */
  readonly batch: number;
}

/** Whatever is sealed has a line here; a test compares them with the columns that there are. */
const all: readonly Sealed[] = [
  { table: "deployment_variables", column: "sealed_value", placeOf: variablePlace, batch: 200 },
  { table: "idempotency_records", column: "sealed_record", placeOf: idempotencyPlace, batch: 200 },
  { table: "state_versions", column: "sealed_content", placeOf: statePlace, batch: 2 },
  { table: "state_journal", column: "sealed_lines", placeOf: journalPlace, batch: 50 },
];

/** The columns that hold something sealed, as `table.column`. */
export const sealedColumns: readonly string[] = all.map(
  ({ table, column }) => `${table}.${column}`,
);

/**
 * Seals everything in the store under the current key, a batch in each transaction; answers how many values were under an
 * earlier one. Killed in the middle, it goes on when it is called again. Fails with `corrupt` for a value that none of the
 * keys opens; what was sealed anew by then stays so.
 */
export async function resealAll(db: Db, seal: Seal): Promise<number> {
  let resealed = 0;
  for (const sealed of all) {
    for (let count = sealed.batch; count === sealed.batch; resealed += count) {
      count = await inTransaction(db, (tx) => resealBatch(tx, seal, sealed));
    }
  }
  return resealed;
}

/** Seals what the next batch holds under an earlier key; answers how many values that were. */
function resealBatch(
  tx: Db,
  seal: Seal,
  { table, column, placeOf, batch }: Sealed,
): Promise<number> {
  return rewrite(tx, { table, column, start: seal.prefix, most: batch }, (sealed, row) => {
    const place = placeOf(row as never);
    return seal.close(seal.open(sealed, place), place);
  });
}
