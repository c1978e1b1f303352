// The tables of sign-in and of the OAuth server as Kysely types; see schema.ts.
import type { Generated } from "kysely";

/** Passwords of the account's own users. */
interface UserPasswordTable {
  user_id: number;
  /** Argon2id, in the PHC format. */
  password_hash: string;
  /** Wrong passwords since the last correct one. */
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
  /** The identity provider at which the user signed in. */
  provider_id: number | null;
}

/** Identity providers at which users sign in; names are unique. */
interface IdentityProviderTable {
  id: Generated<number>;
  name: string;
  display_name: string | null;
  issuer: string;
  client_id: string;
  /** The client's secret, encrypted for the issuer. */
  sealed_secret: string;
  /** JSON; null for all domains. */
  email_domains: string | null;
  /** JSON: names and values. */
  claims: string;
  created_at: string;
  updated_at: string;
}

/** Records of the OAuth server: tokens, codes, grants and authorizations in progress. */
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
  /** A device that polls before this time must slow down. */
  poll_at: string | null;
  poll_seconds: number;
  expires_at: string;
  /** The trust of a grant from an OIDC token, and the subject of that token. */
  trust_id: number | null;
  subject: string | null;
  /** The client; null for the command line. */
  client_row_id: number | null;
  /** The identity provider at which the user of a grant signed in. */
  provider_id: number | null;
}

/** Clients of the OAuth server; their IDs are unique. */
interface OAuthClientTable {
  id: Generated<number>;
  client_id: string;
  name: string;
  /** Encrypted for the client's ID; null for a public client. */
  sealed_secret: string | null;
  /** JSON. */
  redirect_uris: string;
  allows_devices: number;
  /** JSON; null for all scopes. */
  scopes: string | null;
  created_at: string;
  updated_at: string;
}

/** Trusts in the OIDC tokens of CI systems; names are unique. */
interface WorkloadTrustTable {
  id: Generated<number>;
  name: string;
  owner_user_id: number;
  issuer: string;
  jwks_uri: string | null;
  audience: string;
  /** JSON: names and values. */
  claims: string;
  is_reusable: number;
  /** 1 if it accepts no tokens until it is enabled; so is each trust of a user who is deactivated. */
  is_disabled: Generated<number>;
  token_seconds: number;
  /** JSON; null for all deployments. */
  deployment_ids: string | null;
  /** JSON; null for all permissions of the owner. */
  permissions: string | null;
  /** JSON; null for all states that the permissions allow. */
  states: string | null;
  created_at: string;
  updated_at: string;
}

/** All tables of sign-in. */
export interface SignInTables {
  user_passwords: UserPasswordTable;
  password_links: PasswordLinkTable;
  browser_sessions: BrowserSessionTable;
  identity_providers: IdentityProviderTable;
  oauth_clients: OAuthClientTable;
  oauth_records: OAuthRecordTable;
  workload_trusts: WorkloadTrustTable;
}
