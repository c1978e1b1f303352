// The names by which access policies and contexts know the groups of embed tenants. An account's own group cannot have
// such a name, because the prefix `system:` is reserved.

/** Returns the name of an embed tenant's group: `system:tenant:{tenant}:{group}`. */
export function tenantGroupName(tenant: string, group: string): string {
  return `system:tenant:${tenant}:${group}`;
}

/** Returns the name of a group in a policy, with `system:tenant:{tenant}:group:{group}` in its short form. */
export function policyGroupName(name: string): string {
  return name.replace(/^(system:tenant:[a-z0-9-]+:)group:/u, "$1");
}
