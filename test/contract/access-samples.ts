// One call of each operation on roles and policies that succeeds.
import type { TestService } from "../support/test-service.ts";

const base = "/api/v1";
const policies = [
  { resourceType: "Deployment", actions: ["SchemaUpdate"], resources: ["1"] },
  { resourceType: "Global", actions: ["DirectoryRead"], resources: "All" },
];
const deployment = { resourceType: "Deployment", resourceId: 1 };

let count = 0;

async function role(service: TestService): Promise<string> {
  const body = { name: `modelers-${++count}`, description: "who model", policies };
  const made = await service.send("POST", `${base}/roles`, { body });
  return `${base}/roles/${(made.body as { id: number }).id}`;
}

/** By operation id. */
export const accessSamples = {
  listRoles: async (service: TestService) => {
    await role(service);
    return { path: `${base}/roles?search=MODEL&first=1` };
  },
  createRole: async () => ({
    path: `${base}/roles`,
    body: { name: "modelers", description: null, policies },
  }),
  getRole: async (service: TestService) => ({ path: await role(service) }),
  updateRole: async (service: TestService) => ({
    path: await role(service),
    body: { description: "", policies: [] },
  }),
  deleteRole: async (service: TestService) => ({ path: await role(service) }),
  assignRole: async (service: TestService) => ({ path: `${await role(service)}/users/1` }),
  unassignRole: async (service: TestService) => ({ path: `${await role(service)}/users/1` }),
  listRoleUsers: async (service: TestService) => {
    const path = `${await role(service)}/users`;
    await service.send("PUT", `${path}/1`);
    return { path };
  },
  getResourcePolicies: async (service: TestService) => {
    const body = { ...deployment, userId: 1, action: "SchemaRead" };
    await service.send("PUT", `${base}/resource-policies/user`, { body });
    return { path: `${base}/resource-policies?resourceType=Deployment&resourceId=1` };
  },
  setUserPolicy: async () => ({
    path: `${base}/resource-policies/user`,
    body: { ...deployment, userId: 1, action: "SchemaRead" },
  }),
  setGroupPolicy: async (service: TestService) => {
    const body = { name: `modelers-${++count}` };
    const made = await service.send("POST", `${base}/user-groups`, { body });
    const groupId = (made.body as { id: number }).id;
    return {
      path: `${base}/resource-policies/group`,
      body: { ...deployment, groupId, action: "SchemaRead" },
    };
  },
};
