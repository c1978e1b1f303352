// The reference that the help names instead of listing every permission.

/** Ends the description of a flag whose values are permissions. */
export const permissionsPage = "docs/reference/permissions.md lists them";
