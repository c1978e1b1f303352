// The tables of roles and policies as Kysely types. See schema.ts.
import type { Generated } from "kysely";

/** Roles that administrators define; names are unique. */
interface RoleTable {
  id: Generated<number>;
  name: string;
  /** `name` in lower case. */
  name_key: string;
  description: string | null;
  /** JSON: the grants. */
  policies: string;
  created_at: string;
  updated_at: string | null;
}

/** The users who have a role. */
interface RoleUserTable {
  role_id: number;
  user_id: number;
}

/** Policies on single objects; without user and group, for all of the account's own users. */
interface ResourcePolicyTable {
  id: Generated<number>;
  resource_type: string;
  resource_id: number;
  user_id: number | null;
  group_id: number | null;
  action: string;
}

/** The tables. */
export interface AccessTables {
  roles: RoleTable;
  role_users: RoleUserTable;
  resource_policies: ResourcePolicyTable;
}
