// Every bound of roles, policies, users and API keys. `limits.ts` contains them.

/** Bounds; a name ends in its unit unless it counts things. */
export const accessLimits = {
  /** Roles of one account, beside the built-in ones, and of one user. */
  roles: 1000,
  rolesOfUser: 10,
  /** Policies of one role, and IDs of objects in all of them. */
  rolePolicies: 200,
  roleResources: 1000,
  /** Policies on one object, for users and for groups. */
  resourcePolicies: 1000,
  /** Grants of policies that the rights of a user show. */
  shownGrants: 1000,
  /** Bytes of the settings of one user as JSON. */
  userSettingsBytes: 64 * 1024,
  /** Deployments in the scope of one API key. */
  scopedDeployments: 1000,
  /** States that an API key may list. */
  keyStates: 100,
  /** Members in one call on a group's members. */
  members: 1000,
} as const;
