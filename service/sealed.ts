// Every place where the database holds something sealed, and how all of it is sealed anew under another key.
import type { Seal } from "./seal.ts";
import type { Db } from "./store/schema.ts";
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

/** Values that are sealed anew in one transaction. */
const batch = 200;

/** Seals what the next batch holds under an earlier key; answers how many values that were. */
type Resealing = (tx: Db, seal: Seal) => Promise<number>;

/** Whatever is sealed has a line here; a test compares them with the columns that there are. */
const resealings: Readonly<Record<string, Resealing>> = {
  "deployment_variables.sealed_value": async (tx, seal) => {
    const rows = await tx
      .selectFrom("deployment_variables")
      .selectAll()
      .where("sealed_value", "not like", `${seal.prefix}%`)
      .limit(batch)
      .execute();
    for (const { id, sealed_value, ...row } of rows) {
      const place = variablePlace(row);
      const anew = seal.close(seal.open(sealed_value, place), place);
      await tx
        .updateTable("deployment_variables")
        .set({ sealed_value: anew })
        .where("id", "=", id)
        .execute();
    }
    return rows.length;
  },
  "idempotency_records.sealed_record": async (tx, seal) => {
    const rows = await tx
      .selectFrom("idempotency_records")
      .select(["id", "sealed_record"])
      .where("sealed_record", "not like", `${seal.prefix}%`)
      .limit(batch)
      .execute();
    for (const row of rows) {
      const place = idempotencyPlace(row);
      const anew = seal.close(seal.open(row.sealed_record, place), place);
      await tx
        .updateTable("idempotency_records")
        .set({ sealed_record: anew })
        .where("id", "=", row.id)
        .execute();
    }
    return rows.length;
  },
};

/** The columns that hold something sealed, as `table.column`. */
export const sealedColumns: readonly string[] = Object.keys(resealings);

/**
 * Seals everything in the store under the current key, a batch in each transaction; answers how many values were under an
 * earlier one. Killed in the middle, it goes on when it is called again. Fails with `corrupt` for a value that none of the
 * keys opens; what was sealed anew by then stays so.
 */
export async function resealAll(db: Db, seal: Seal): Promise<number> {
  let resealed = 0;
  for (const next of Object.values(resealings)) {
    for (let count = batch; count === batch; resealed += count) {
      count = await inTransaction(db, (tx) => next(tx, seal));
    }
  }
  return resealed;
}
