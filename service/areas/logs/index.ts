// Area logs: log lines of a deployment, and the pods that write them.
import { listLogs, listPods, logContainers } from "../../../api/logs.ts";
import { keyset } from "../../store/keyset.ts";
import { toTimestamp } from "../../store/codec.ts";
import { readDeployment } from "../../store/deployments.ts";
import { environmentType, podName } from "../environments/environment-type.ts";
import { selectEnvironments } from "../environments/select-environments.ts";
import { handleList, type OperationHandler } from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";

/** The handlers of this area. */
export const logs: readonly OperationHandler[] = [
  handleList(listLogs, async (call) => {
    const { db, params, query } = call;
    await readDeployment(db, params.deploymentId);
    let found = db
      .selectFrom("log_lines")
      .selectAll()
      .where("deployment_id", "=", params.deploymentId);
    for (const name of ["source", "pod", "container"] as const) {
      const value = query[name];
      if (value !== undefined) found = found.where(name, "=", value);
    }
    const { since, until } = query;
    if (since !== undefined) found = found.where("logged_at", ">=", toTimestamp(Date.parse(since)));
    if (until !== undefined) found = found.where("logged_at", "<", toTimestamp(Date.parse(until)));
    return pageOf(
      call,
      keyset(found, "log_lines.id"),
      ({ pod, container, logged_at, message }) => ({
        pod,
        container: logContainers.find((name) => name === container) ?? "MAIN",
        date: logged_at,
        message,
      }),
    );
  }),
  handleList(listPods, async (call) => {
    const deployment = await readDeployment(call.db, call.params.deploymentId);
    const rows = selectEnvironments(call.db, deployment, undefined).select((eb) =>
      eb
        .selectFrom("builds")
        .select((inner) => inner.fn.max("builds.id").as("id"))
        .whereRef("builds.branch_id", "=", "branches.id")
        .where("builds.status", "=", "built")
        .as("served"),
    );
    return pageOf(call, keyset(rows, "branches.id"), (row) => ({
      name: podName(row, deployment),
      type: environmentType(row, deployment),
      status: row.served === null ? ("Pending" as const) : ("Running" as const),
      ready: row.served !== null,
      restartCount: 0,
      containers: ["svcjs-server" as const, "api-proxy" as const],
    }));
  }),
];
