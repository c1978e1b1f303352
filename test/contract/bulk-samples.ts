// One call of each bulk create that succeeds.
import type { TestService } from "../support/test-service.ts";

const base = "/api/v1";
const tenant = `${base}/embed-tenants/acme-inc`;
const users = [{ externalId: "visitor", email: "visitor@example.com" }];

/** Samples by operation id. */
export const bulkSamples = {
  createEmbedTenantGroups: async (service: TestService) => {
    await service.send("POST", `${tenant}/users`, { body: { users } });
    return {
      path: `${tenant}/groups/bulk`,
      body: { groups: [{ name: "buyers", description: "who buy" }, { name: "sellers" }] },
    };
  },
  createEmbedUsers: async () => ({ path: `${tenant}/users/bulk`, body: { users } }),
  createUserAttributes: async () => ({
    path: `${base}/user-attributes/bulk`,
    body: { attributes: [{ name: "level", type: "number", displayName: "Level" }] },
  }),
  createUserGroups: async () => ({
    path: `${base}/user-groups/bulk`,
    body: { groups: [{ name: "buyers" }, { name: "sellers", description: null }] },
  }),
};
