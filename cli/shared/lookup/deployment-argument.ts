// Finds the deployment that a command names by its ID or its name.
import { getDeployment, getDeployments } from "../../../api/deployments.ts";
import type { Client } from "../../../client/types.ts";
import { idOf, isId, type Lookup } from "./lookup.ts";

/** A deployment that a command names. */
export interface NamedDeployment {
  readonly id: number;
  readonly name: string;
}

/** How deployments are named. */
export const deploymentLookup: Lookup = {
  label: "deployment",
  list: getDeployments,
  listCommand: "deployments list",
  names: ["name"],
};

/** Returns a deployment. Fails with `not_found`, with the closest name. */
export async function deploymentOf(client: Client, given: string): Promise<NamedDeployment> {
  const id = await idOf(client, deploymentLookup, { given, params: {} });
  if (!isId(given)) return { id, name: given };
  const { name } = await client.reader.call(getDeployment, { params: { deploymentId: id } });
  return { id, name };
}
