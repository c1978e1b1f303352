// Finds public IDs of new reports that a report of another deployment has: they are unique in the account.
import { getDeployments } from "../api/deployments.ts";
import { listReports } from "../api/reports.ts";
import type { Reader } from "../core/kind/kind.ts";
import type { ValueCheck } from "../core/kind/server-checks.ts";
import { queryCheck } from "./report-check.ts";

/** Reports a public ID that is taken in another deployment. A plan finds one of the same deployment as the object itself. */
const publicIdCheck: ValueCheck<Reader> = {
  what: "whether another deployment has the public ID",
  needs: [getDeployments, listReports],
  run: async (reader, { spec, changed, replacedId }) => {
    const { deployment, publicId } = spec;
    const none = { errors: [], errorCount: 0 };
    if (changed !== undefined || typeof publicId !== "string") return none;
    const others = (await reader.all(getDeployments, {})).filter(({ name }) => name !== deployment);
    for (const { id: deploymentId, name } of others) {
      const reports = await reader.all(listReports, { params: { deploymentId } });
      const taken = reports.some(
        (one) => one.publicId === publicId && String(one.id) !== replacedId,
      );
      if (!taken) continue;
      const message = `a report of deployment ${name} has the public ID ${publicId}, which is unique in the account; choose another`;
      return { errors: [{ path: "/publicId", message }], errorCount: 1 };
    }
    return none;
  },
};

/** Reports a taken public ID, otherwise the server's findings about the query. */
export const reportCheck: ValueCheck<Reader> = {
  ...queryCheck,
  what: "the public ID and the query",
  needs: [...new Set([...queryCheck.needs, ...publicIdCheck.needs])],
  run: async (reader, write) => {
    const taken = await publicIdCheck.run(reader, write);
    return "errors" in taken && taken.errorCount > 0 ? taken : queryCheck.run(reader, write);
  },
};
