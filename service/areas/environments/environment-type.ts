// The type of the environment that serves a branch, and the name of its pod.
import type { environmentTypes } from "../../../api/environments.ts";
import type { Row } from "../../store/schema.ts";

/** The type of an environment. */
export type EnvironmentType = (typeof environmentTypes)[number];

type Branch = Pick<Row<"branches">, "name" | "dev_user_id">;
type Deployment = Pick<Row<"deployments">, "deploy_branch_name">;

/** Returns the type of the environment of a branch. */
export function environmentType(
  branch: Branch,
  { deploy_branch_name }: Deployment,
): EnvironmentType {
  if (branch.name === deploy_branch_name) return "production";
  return branch.dev_user_id === null ? "staging" : "development";
}

/** Returns the name of the pod of a branch's environment. */
export function podName(branch: Branch & { readonly id: number }, deployment: Deployment): string {
  return `${environmentType(branch, deployment)}-${branch.id}`;
}
