// What is checked of the policies of roles before the first write.
import { expect, it } from "vitest";
import type { Reader } from "../core/kind.ts";
import { policyCheck } from "./role.codec.ts";

/** No check of policies reads from the server. */
const reader = {} as Reader;

const errorsOf = async (
  policies: readonly object[],
  changed?: readonly { readonly path: string }[],
) => {
  const found = await policyCheck.run(reader, {
    spec: { name: "Readers", policies: policies.map((one) => ({ ...one })) },
    changed,
  });
  return "errors" in found ? found.errors.map(({ path }) => path) : found;
};

it("refuses policies on types without objects, and lists that a type does not have", async () => {
  const actions = ["All"];
  const policies = [
    { resourceType: "Workbook", actions, resources: ["1"] },
    { resourceType: "Agent", actions },
    { resourceType: "Global", actions, resources: ["1"] },
    { resourceType: "Deployment", actions, resources: ["1"] },
    { resourceType: "Report", actions, deployments: ["main"] },
  ];
  const paths = [
    "/policies/1/resourceType",
    "/policies/2/resources",
    "/policies/3/resources",
    "/policies/4/deployments",
  ];
  expect(await errorsOf(policies)).toEqual(paths);
  expect(await errorsOf(policies, [{ path: "/policies/1" }])).toEqual(paths);
  expect(await errorsOf(policies, [{ path: "/policies" }])).toEqual(paths);
});

it("refuses no policy that the server has and keeps", async () => {
  const stored = [{ resourceType: "Agent", actions: ["AgentRead"] }];
  expect(await errorsOf(stored, [{ path: "/description" }])).toEqual([]);
});
