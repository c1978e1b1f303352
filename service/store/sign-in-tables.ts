// The tables of sign-in and of the OAuth server as Kysely types; see schema.ts.
import type { Generated } from "kysely";

/** Passwords of the account's own users. */
interface UserPasswordTable {
  user_id: number;
  /** Argon2id, in the PHC format. */
  password_hash: string;
  changed_at: string;
  /** Wrong passwords since the last right one. */
  failures: number;
  /** No password is checked before this time. */
  retry_at: string | null;
}

/** Links with which users set their passwords; one for each user. */
interface PasswordLinkTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the link's secret, hexadecimal. */
  token_hash: string;
  expires_at: string;
}

/** Browsers in which users signed in. */
interface BrowserSessionTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the cookie, hexadecimal. */
  token_hash: string;
  created_at: string;
  expires_at: string;
}

/** What the OAuth server stores: tokens, codes, grants and authorizations in progress. */
interface OAuthRecordTable {
  id: Generated<number>;
  /** The name that the OAuth library gives to the type of the record. */
  model: string;
  /** SHA-256 of the token, code or ID, hexadecimal. */
  key_hash: string;
  /** Null until a user approves. */
  user_id: number | null;
  grant_id: string | null;
  /** SHA-256 of a second key: the code that the user enters, or the library's own ID. */
  code_hash: string | null;
  scope: string | null;
  /** JSON without the token or code, encrypted for its model and key. */
  sealed_payload: string;
  consumed_at: string | null;
  /** A device that polls earlier is asked to slow down. */
  poll_at: string | null;
  poll_seconds: number;
  expires_at: string;
}

/** All tables of sign-in. */
export interface SignInTables {
  user_passwords: UserPasswordTable;
  password_links: PasswordLinkTable;
  browser_sessions: BrowserSessionTable;
  oauth_records: OAuthRecordTable;
}
