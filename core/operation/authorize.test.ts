// Tests permissions: of administrators, roles and grants on single objects, and the limits of a credential.
import { describe, expect, it } from "vitest";
import {
  allows,
  authorize,
  authorizeCall,
  type CredentialLimits,
  describeRefusal,
  type Rights,
  type Targets,
} from "./authorize.ts";
import {
  actionInfo,
  actions,
  builtInRoles,
  type Grant,
  isForAdministrators,
  permissionActions,
  type PermissionAction,
  userRoles,
} from "./permission-actions.ts";

const deployment = (id: string): Targets => [{ type: "deployment", id }];
const state = (id: string): Targets => [{ type: "state", id }];
const workbook = (id: string, inside: string): Targets => [
  { type: "workbook", id },
  { type: "deployment", id: inside },
];
const some: Targets = [{ type: "deployment" }];
const account: Targets = [];

const admin = (limits: CredentialLimits = {}): Rights => ({ isAdmin: true, grants: [], limits });
const user = (grants: readonly Grant[], limits: CredentialLimits = {}): Rights => ({
  isAdmin: false,
  grants,
  limits,
});
const on = (
  resourceType: Grant["resourceType"],
  resources: Grant["resources"],
  ...granted: PermissionAction[]
): Grant => ({ resourceType, resources, actions: granted });

/** Each row: who, action, object, and the cause of the refusal; undefined where it is permitted. */
const cases: readonly [string, Rights, PermissionAction, Targets, string | undefined][] = [
  ["an administrator", admin(), "UsersManage", account, undefined],
  ["an administrator", admin(), "StateWrite", state("shop"), undefined],
  ["a user without a grant", user([]), "DeploymentRead", deployment("1"), "user"],
  ["a viewer", user(builtInRoles.AIBIViewer.grants), "WorkbookRead", deployment("1"), undefined],
  ["a viewer", user(builtInRoles.AIBIViewer.grants), "WorkbookEdit", deployment("1"), "user"],
  ["a viewer", user(builtInRoles.AIBIViewer.grants), "UsersRead", account, "user"],
  ["an external user", user(builtInRoles.EmbedUser.grants), "DeploymentRead", some, "user"],
  ["a role with All", user([on("Global", "All", "All")]), "DeploymentDelete", some, undefined],
  ["a role with All", user([on("Global", "All", "All")]), "UsersManage", account, "user"],
  [
    "a grant on 1",
    user([on("Deployment", ["1"], "SchemaRead")]),
    "SchemaRead",
    deployment("1"),
    undefined,
  ],
  [
    "a grant on 1",
    user([on("Deployment", ["1"], "SchemaRead")]),
    "SchemaRead",
    deployment("2"),
    "user",
  ],
  ["a grant on 1", user([on("Deployment", ["1"], "SchemaRead")]), "SchemaRead", some, undefined],
  ["a grant on 1", user([on("Deployment", ["1"], "SchemaRead")]), "SchemaRead", account, "user"],
  [
    "a grant on a parent",
    user([on("Deployment", ["1"], "WorkbookRead")]),
    "WorkbookRead",
    workbook("7", "1"),
    undefined,
  ],
  [
    "a grant on a workbook",
    user([on("Workbook", ["7"], "WorkbookRead")]),
    "WorkbookRead",
    workbook("7", "1"),
    undefined,
  ],
  [
    "a grant on a workbook",
    user([on("Workbook", ["7"], "WorkbookRead")]),
    "WorkbookRead",
    workbook("8", "1"),
    "user",
  ],
  [
    "a grant on all deployments",
    user([on("Deployment", "All", "SchemaUpdate")]),
    "SchemaUpdateDevBranches",
    deployment("9"),
    undefined,
  ],
  ["a scoped key", admin({ deployments: [1] }), "DeploymentUpdate", deployment("1"), undefined],
  ["a scoped key", admin({ deployments: [1] }), "DeploymentUpdate", deployment("2"), "deployments"],
  ["a scoped key", admin({ deployments: [1] }), "UsersRead", account, "deployments"],
  ["a scoped key", admin({ deployments: [1] }), "EmbedDeploymentRead", some, undefined],
  ["a scoped key", admin({ deployments: [1] }), "StateRead", state("shop"), "deployments"],
  [
    "a key without deployments",
    admin({ deployments: [] }),
    "DeploymentRead",
    deployment("1"),
    "deployments",
  ],
  [
    "a user with a policy on a folder of reports",
    user([{ resourceType: "ReportFolder", actions: ["ReportRead"], resources: ["5"] }]),
    "ReportRead",
    [{ type: "report", id: "9" }, { type: "folder", id: "5" }, ...deployment("1")],
    undefined,
  ],
  ["a key that reads all", admin({ actions: ["ReadAll"] }), "UsersRead", account, undefined],
  [
    "a key that reads all",
    admin({ actions: ["ReadAll"] }),
    "WorkbookRead",
    deployment("1"),
    undefined,
  ],
  [
    "a key that reads all",
    admin({ actions: ["ReadAll"] }),
    "WorkbookEdit",
    deployment("1"),
    "permissions",
  ],
  [
    "a key that reads all",
    admin({ actions: ["ReadAll"] }),
    "StateRead",
    state("shop"),
    "permissions",
  ],
  [
    "a key of a viewer that reads all",
    user(builtInRoles.AIBIViewer.grants, { actions: ["ReadAll"] }),
    "UsersRead",
    account,
    "user",
  ],
  [
    "a key with chosen actions",
    admin({ actions: ["UsersManage"] }),
    "UsersRead",
    account,
    undefined,
  ],
  [
    "a key with chosen actions",
    admin({ actions: ["UsersManage"] }),
    "ApiKeysRead",
    account,
    "permissions",
  ],
  [
    "a key with chosen actions",
    admin({ actions: ["SchemaRead"], deployments: [1] }),
    "SchemaRead",
    deployment("2"),
    "deployments",
  ],
  [
    "a key that reads a state",
    admin({ states: [{ name: "shop", access: "read" }] }),
    "StateRead",
    state("shop"),
    undefined,
  ],
  [
    "a key that reads a state",
    admin({ states: [{ name: "shop", access: "read" }] }),
    "StateWrite",
    state("shop"),
    "states",
  ],
  [
    "a key that reads a state",
    admin({ states: [{ name: "shop", access: "read" }] }),
    "StateRead",
    state("shop-2"),
    "states",
  ],
  [
    "a key of states and deployments",
    admin({ deployments: [1], states: [{ name: "sh*", access: "write" }] }),
    "StateRead",
    state("shop"),
    undefined,
  ],
  [
    "a key of states",
    admin({ states: [{ name: "sh*", access: "write" }] }),
    "StateWrite",
    state("shop"),
    undefined,
  ],
  [
    "a key of states",
    admin({ states: [{ name: "sh*", access: "write" }] }),
    "StateWrite",
    state("other"),
    "states",
  ],
  [
    "a user's key of states",
    user(builtInRoles.Developer.grants, { states: [{ name: "sh*", access: "write" }] }),
    "StateRead",
    state("shop"),
    "user",
  ],
];

describe("a permission", () => {
  it.each(cases)("of %s", (_, rights, action, targets, cause) => {
    expect(authorize(rights, action, targets)?.cause).toBe(cause);
  });

  it("is checked for the objects that the request names, as far as it is valid", () => {
    const operation = {
      permission: {
        action: "WorkbookRead",
        scope: { deployment: "params.deploymentId", workbook: "params.workbookId" },
      },
    } as const;
    const check = (rights: Rights, params: object) =>
      authorizeCall(rights, operation, { params })?.cause;
    const scoped = admin({ deployments: [1] });
    expect(check(scoped, { deploymentId: 1, workbookId: 7 })).toBeUndefined();
    expect(check(scoped, { deploymentId: 2, workbookId: 7 })).toBe("deployments");
    expect(check(scoped, { deploymentId: "x" })).toBeUndefined();
    expect(check(user([]), { deploymentId: "x" })).toBe("user");
    expect(authorizeCall(user([]), { permission: "self" })).toBeUndefined();
  });

  it("on any object of a type is granted by a folder, which can contain it", () => {
    const scope = { deployment: "params.deploymentId", workbook: "any" } as const;
    const operation = { permission: { action: "WorkbookRead", scope } } as const;
    const check = (rights: Rights) =>
      authorizeCall(rights, operation, { params: { deploymentId: 1 } })?.cause;
    expect(check(user([on("Folder", ["3"], "FolderRead")]))).toBeUndefined();
    expect(check(user([on("Report", ["3"], "ReportRead")]))).toBe("user");
  });

  it("is one of several actions, and a refusal names all of them", () => {
    const scope = { deployment: "params.deploymentId", folder: "any", report: "any" } as const;
    const action = ["FolderManage", "ReportManage"] as const;
    const operation = { permission: { action, scope } };
    const check = (rights: Rights) =>
      authorizeCall(rights, operation, { params: { deploymentId: 1 } });
    expect(check(user([on("Report", ["3"], "ReportManage")]))).toBeUndefined();
    expect(check(admin({ actions: ["ReportManage"] }))).toBeUndefined();
    const refusal = check(admin({ actions: ["ReportEdit"] }));
    expect(refusal && describeRefusal(refusal).problem).toBe(
      "the credential lacks the permission FolderManage or ReportManage for deployment 1",
    );
  });

  it("says what is missing and what to use", () => {
    const refusal = authorize(admin({ states: [] }), "StateWrite", state("shop"));
    expect(refusal && describeRefusal(refusal)).toEqual({
      problem: "the credential lacks the permission StateWrite for state shop",
      usable: "a credential whose `states` grant it",
    });
  });
});

describe("the actions", () => {
  it("include only actions that exist, and never in a cycle", () => {
    for (const action of permissionActions) {
      for (const included of actionInfo(action).includes ?? []) {
        expect(Object.keys(actions)).toContain(included);
        expect(allows([included as PermissionAction], action)).toBe(false);
      }
    }
  });

  it("for administrators are in no role of a user", () => {
    for (const name of userRoles) {
      const granted = builtInRoles[name].grants.flatMap((grant) => grant.actions);
      expect(granted.filter(isForAdministrators)).toEqual([]);
    }
  });
});
