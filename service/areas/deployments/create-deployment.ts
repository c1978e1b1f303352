// Creates a deployment with its deploy branch.
import type { Catalogue } from "../../accounts/version-catalogue.ts";
import { toTimestamp } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { createDeployBranch } from "../data-model/branches.ts";
import { insertDeployment, type NewDeployment } from "./deployments.ts";

/** Creates a deployment and queues its first build. See {@link insertDeployment} for the errors. */
export async function addDeployment(
  tx: Db,
  input: NewDeployment,
  { catalogue, now }: { catalogue: Catalogue; now: Date },
): Promise<Row<"deployments">> {
  const row = await insertDeployment(tx, input, { catalogue, at: toTimestamp(now) });
  await createDeployBranch(tx, row, { catalogue, now });
  return row;
}
