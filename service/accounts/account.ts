// The account that a store holds, and the operator's settings of it.
import { invariant } from "../../core/errors.ts";
import { preparedQuery } from "../store/prepared-query.ts";
import type { Db } from "../store/schema.ts";

/** The account and what its operator allows. */
export interface Account {
  /** Also the name of the embed tenant that sessions without one belong to. */
  readonly name: string;
  /** The `useCreatorMode` flag. */
  readonly useCreatorMode: boolean;
  readonly embeddingEnabled: boolean;
  /** External users it may have. */
  readonly externalUserLimit: number;
  /** Users who are no administrators may own API keys. */
  readonly personalKeys: boolean;
}

const accountRow = preparedQuery((db: Db, _: object) => db.selectFrom("account").selectAll());

/** Reads the account; there is one in every store. */
export async function readAccount(db: Db): Promise<Account> {
  const [row] = await accountRow(db, {});
  invariant(row, "the store holds no account");
  return {
    name: row.name,
    useCreatorMode: row.use_creator_mode === 1,
    embeddingEnabled: row.embedding_enabled === 1,
    externalUserLimit: row.external_user_limit,
    personalKeys: row.personal_keys === 1,
  };
}
