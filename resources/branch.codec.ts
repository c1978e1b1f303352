// Reads the branches of a deployment, for the resource types that observe them.
import { listBranches } from "../api/branches.ts";
import type { Reader } from "../core/kind/kind.ts";
import { deploymentIds } from "./codec.ts";

/** Reads the branches of a deployment; undefined if the deployment does not exist. */
export async function branchesOf(reader: Reader, deployment: string) {
  const deploymentId = (await deploymentIds.read(reader)).get(deployment);
  if (deploymentId === undefined) return undefined;
  return { deploymentId, branches: await reader.all(listBranches, { params: { deploymentId } }) };
}
