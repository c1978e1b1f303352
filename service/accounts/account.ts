// The account in a store and its settings.
import { invariant } from "../../core/errors.ts";
import { keptResult, preparedQuery } from "../store/prepared-query.ts";
import type { Db } from "../store/schema.ts";

/** The account and its settings. */
export interface Account {
  /** Also the name of the default embed tenant: sessions that name no tenant belong to it. */
  readonly name: string;
  /** The `useCreatorMode` flag. */
  readonly useCreatorMode: boolean;
  readonly embeddingEnabled: boolean;
  /** Maximum number of external users. */
  readonly externalUserLimit: number;
  /** True if users who are not administrators may own API keys. */
  readonly personalKeys: boolean;
  /** True if changes are recorded in the audit log. */
  readonly auditLogEnabled: boolean;
  /** When the audit log was last switched on or off. */
  readonly auditLogChangedAt: Date | undefined;
  /** True if deployments get OIDC tokens. */
  readonly oidcEnabled: boolean;
  /** True if identity providers may provision users and groups. */
  readonly scimEnabled: boolean;
}

const accountRow = preparedQuery((db: Db, _: object) => db.selectFrom("account").selectAll());

/** Reads the account row. Every store has exactly one. */
export function readAccount(db: Db): Promise<Account> {
  return keptAccount(db, {});
}

const keptAccount = keptResult(async (db: Db, _: object): Promise<Account> => {
  const [row] = await accountRow(db, {});
  invariant(row, "the store contains no account");
  return {
    name: row.name,
    useCreatorMode: row.use_creator_mode === 1,
    embeddingEnabled: row.embedding_enabled === 1,
    externalUserLimit: row.external_user_limit,
    personalKeys: row.personal_keys === 1,
    auditLogEnabled: row.audit_log_enabled === 1,
    auditLogChangedAt:
      row.audit_log_changed_at === null ? undefined : new Date(row.audit_log_changed_at),
    oidcEnabled: row.oidc_enabled === 1,
    scimEnabled: row.scim_enabled === 1,
  };
});
