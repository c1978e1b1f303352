// Finds the deployment that a command names by its ID or its name.
import { getDeployments } from "../../api/deployments.ts";
import { Failure } from "../../core/errors.ts";
import { closestMatch } from "../../core/naming.ts";
import type { Client } from "../../client/types.ts";

/** A deployment that a command names. */
export interface NamedDeployment {
  readonly id: number;
  readonly name: string;
}

/** Returns a deployment. Fails with `not_found`, with the closest name. */
export async function deploymentOf(client: Client, given: string): Promise<NamedDeployment> {
  const all = await client.reader.all(getDeployments, {});
  const found =
    all.find(({ name }) => name === given) ?? all.find(({ id }) => String(id) === given);
  if (found) return { id: found.id, name: found.name };
  const names = all.map(({ name }) => name);
  const closest = closestMatch(given, names);
  throw new Failure("not_found", `there is no deployment ${JSON.stringify(given)}`, {
    remedy:
      closest === undefined
        ? "Name a deployment by its ID or its name."
        : `Did you mean ${closest}?`,
  });
}
