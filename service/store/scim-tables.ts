// The tables of SCIM as Kysely types; see schema.ts.
import type { Generated } from "kysely";

/** Identity providers with separate tokens; names are unique. */
interface ScimIntegrationTable {
  id: Generated<number>;
  name: string;
  provider: string;
  is_enabled: number;
  /** JSON: roles of the users that it creates; null for the default. */
  default_roles: string | null;
  token_prefix: string;
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  /** The hash of the token before the last rotation, which is accepted until it expires. */
  previous_token_hash: string | null;
  previous_token_expires_at: string | null;
  last_request_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Users that an identity provider manages. */
interface ScimUserTable {
  user_id: number;
  /** JSON: the attributes that are not in the user's row. */
  attributes: string;
  /** The integration that manages the user; null for an identity provider with an API key. */
  integration_id: number | null;
}

/** The emails of users that an identity provider manages, to find the users. */
interface ScimEmailTable {
  user_id: number;
  /** In lower case. */
  email_key: string;
}

/** Groups that an identity provider manages. */
interface ScimGroupTable {
  group_id: number;
  external_id: string | null;
  updated_at: string;
  /** The integration that manages the group; null for an identity provider with an API key. */
  integration_id: number | null;
}

/** All tables of SCIM. */
export interface ScimTables {
  scim_integrations: ScimIntegrationTable;
  scim_users: ScimUserTable;
  scim_emails: ScimEmailTable;
  scim_groups: ScimGroupTable;
}
