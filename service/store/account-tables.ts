// The tables of the account's audit log, OIDC configurations and signing keys; see schema.ts.
import type { Generated } from "kysely";

/** Changes of the account, kept for some time. Contains the names at the time of the change. */
export interface AuditLogTable {
  id: Generated<number>;
  created_at: string;
  /** ID of the operation. */
  event_name: string;
  /** Null for changes without a user, such as changes by a webhook. */
  user_id: number | null;
  username: string | null;
  user_email: string | null;
  /** `key:` or `session:` with the ID; empty without a credential. */
  credential: string;
  key_name: string | null;
  object_type: string;
  /** JSON: IDs or names. */
  object_ids: string;
  deployment_id: number | null;
  /** JSON, without secrets. */
  before_values: string | null;
  /** JSON, without secrets. */
  after_values: string | null;
}

/** OIDC token configurations; names are unique. */
interface OidcTokenConfigTable {
  id: Generated<number>;
  audience_type: string;
  custom_audience: string | null;
  name: string;
  sub_format: string | null;
  target_env_var: string | null;
  /** JSON. */
  custom_claims: string | null;
  is_enabled: number;
  created_at: string;
  updated_at: string;
}

/** Keys that sign OIDC tokens. */
interface SigningKeyTable {
  id: Generated<number>;
  kid: string;
  /** JSON. */
  public_jwk: string;
  /** PEM, encrypted for its `kid`. */
  sealed_private_key: string;
  created_at: string;
  retired_at: string | null;
}

/** OAuth integrations; names are unique. */
interface OAuthIntegrationTable {
  id: Generated<number>;
  name: string;
  type: string;
  auth_url: string;
  token_url: string;
  client_id: string;
  redirect_uri: string;
  /** Encrypted for its `client_id`. */
  sealed_secret: string;
  /** JSON. */
  scopes: string;
  /** JSON. */
  config: string | null;
  created_at: string;
  updated_at: string;
}

/** Authorizations that users have started and not completed. */
interface OAuthAuthorizationTable {
  id: Generated<number>;
  user_id: number;
  integration_id: number;
  /** SHA-256 of the state, hexadecimal. */
  state_hash: string;
  /** The PKCE verifier, encrypted for its `state_hash`. */
  sealed_verifier: string;
  expires_at: string;
}

/** Tokens of users at OAuth providers: one for each integration. */
interface UserOAuthTokenTable {
  id: Generated<number>;
  user_id: number;
  integration_id: number;
  status: string;
  has_refresh_token: number;
  /** JSON, encrypted for its user and integration. */
  sealed_tokens: string;
  access_expires_at: string | null;
  refresh_expires_at: string | null;
  last_error: string | null;
  created_at: string;
  updated_at: string;
}

/** Tables of the account. */
export interface AccountTables {
  audit_logs: AuditLogTable;
  oidc_token_configs: OidcTokenConfigTable;
  signing_keys: SigningKeyTable;
  oauth_integrations: OAuthIntegrationTable;
  oauth_authorizations: OAuthAuthorizationTable;
  user_oauth_tokens: UserOAuthTokenTable;
}
