// Flags that limit a credential to deployments and permissions.

/** Ends the description of a flag whose values are permissions: the reference lists them, not the help. */
export const permissionsPage = "docs/reference/permissions.md lists them";

/** Returns the flags that limit a credential, with its name in their descriptions: `the key is`, `the tokens are`. */
export function scopeFlags(subject: string) {
  return {
    isDisabled: { name: "disabled", doc: "disable the credential" },
    deploymentIds: { name: "deployment", doc: `deployment that ${subject} limited to` },
    permissions: {
      name: "permission",
      doc: `permission that ${subject} limited to; ${permissionsPage}`,
    },
  } as const;
}
