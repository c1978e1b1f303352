// Tests the checks of the policies of roles before the first write.
import { expect, it } from "vitest";
import { operations } from "../api/index.ts";
import { allows } from "../core/operation/authorize.ts";
import { actionsOf } from "../core/operation/operation.ts";
import { isUnused, permissionActions } from "../core/operation/permission-actions.ts";
import type { Reader } from "../core/kind/kind.ts";
import { policyCheck } from "./role-policy-check.ts";

/** No check of policies reads from the server. */
const reader = {} as Reader;
const nothingPlanned = {
  planned: () => undefined,
  plannedOf: () => [],
  plannedById: () => undefined,
};

const errorsOf = async (
  policies: readonly object[],
  changed?: readonly { readonly path: string }[],
) => {
  const found = await policyCheck.run(reader, {
    spec: { name: "Readers", policies: policies.map((one) => ({ ...one })) },
    changed,
    ...nothingPlanned,
  });
  return "errors" in found ? found.errors.map(({ path }) => path) : found;
};

it("refuses policies on types without objects, and objects that a type does not have", async () => {
  const actions = ["All"];
  const deployment = "main";
  const policies = [
    { resourceType: "Workbook", actions, workbooks: ["#1"] },
    { resourceType: "Workbook", actions, deployment, workbooks: ["overview", "#1"] },
    { resourceType: "Dashboard", actions, deployment, workbooks: ["overview"] },
    { resourceType: "ReportFolder", actions, deployment, folders: ["Sales"] },
    { resourceType: "Agent", actions },
    { resourceType: "Global", actions, deployments: ["main"] },
    { resourceType: "Deployment", actions, deployment, deployments: ["main"] },
    { resourceType: "Report", actions, deployments: ["main"] },
    { resourceType: "Report", actions, reports: ["abcdef123456"] },
    { resourceType: "Folder", actions, deployment },
    { resourceType: "Folder", actions, deployment, folders: ["#1"] },
  ];
  const paths = [
    "/policies/1/workbooks",
    "/policies/4/resourceType",
    "/policies/5/deployments",
    "/policies/6/deployment",
    "/policies/7/deployments",
    "/policies/8",
    "/policies/9/deployment",
    "/policies/10/deployment",
  ];
  expect(await errorsOf(policies)).toEqual(paths);
  expect(await errorsOf(policies, [{ path: "/policies/1" }])).toEqual(paths);
  expect(await errorsOf(policies, [{ path: "/policies" }])).toEqual(paths);
});

it("warns of actions that no operation needs, and of no other", async () => {
  const actions = ["WorkbookEdit", "AlertsRead", "AgentAdmin", "AIBIDevelop"];
  const spec = { name: "Readers", policies: [{ resourceType: "Global", actions }] };
  const found = await policyCheck.lasting?.(reader, { spec, textsOf: () => new Set() });
  expect(found).toMatchObject({
    warnings: [
      { path: "/policies/0/actions", message: expect.stringContaining("AlertsRead") },
      { path: "/policies/0/actions", message: expect.stringContaining("AgentAdmin") },
    ],
  });
  const needed = operations.flatMap(actionsOf);
  // The tiers are levels of use, which no operation checks.
  const tiers = /^AIBI/u;
  expect(permissionActions.filter(isUnused)).toEqual(
    permissionActions.filter(
      (action) => !tiers.test(action) && !needed.some((one) => allows([action], one)),
    ),
  );
});

it("refuses no policy that the server has and keeps", async () => {
  const stored = [{ resourceType: "Agent", actions: ["AgentRead"] }];
  expect(await errorsOf(stored, [{ path: "/description" }])).toEqual([]);
});

it("takes only IDs that an object can have for IDs", async () => {
  const actions = ["FolderRead"];
  const policies = [
    { resourceType: "Folder", actions, folders: ["#2147483647"] },
    { resourceType: "Folder", actions, deployment: "main", folders: ["#2147483648", "#01", "#x"] },
    { resourceType: "Folder", actions, deployment: "main", folders: ["#1"] },
  ];
  expect(await errorsOf(policies)).toEqual(["/policies/2/deployment"]);
});
