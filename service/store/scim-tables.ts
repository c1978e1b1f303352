// The tables of SCIM as Kysely types; see schema.ts.

/** Users that an identity provider manages. */
interface ScimUserTable {
  user_id: number;
  /** JSON: the attributes that the row of the user does not have. */
  attributes: string;
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
}

/** All tables of SCIM. */
export interface ScimTables {
  scim_users: ScimUserTable;
  scim_emails: ScimEmailTable;
  scim_groups: ScimGroupTable;
}
