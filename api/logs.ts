// Operations on the logs of a deployment, and on the pods that write them.
import { Type } from "typebox";
import { defineOperation } from "../core/operation/operation.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { deploymentScope, Id, strictObject, Timestamp } from "./schemas.ts";

const area = "logs";
const base = "/api/v1/deployments/{deploymentId}";
const byDeployment = strictObject({ deploymentId: Id });

/** Where lines come from: the environment of production, or all others. */
export const logSources = ["production", "dev"] as const;

/** Containers of a pod. The service writes lines of `svcjs-server` and `api-proxy`. */
export const logContainers = ["INIT", "MAIN", "svcjs-server", "vector", "api-proxy"] as const;

const time = (doc: string) => Type.Optional(Type.String({ format: "date-time", description: doc }));

/** List the log lines of a deployment. */
export const listLogs = defineOperation({
  id: "listLogs",
  area,
  method: "GET",
  path: `${base}/logs`,
  summary: "List the log lines of a deployment",
  description:
    "Returns lines of production and development merged by time, newest first: builds and failed queries of the container `svcjs-server`, and requests to the data API of `api-proxy`. A deployment keeps its newest 10,000 lines.",
  source: "public",
  effect: "read",
  permission: { action: "SchemaRead", scope: deploymentScope },
  params: byDeployment,
  query: strictObject({
    source: Type.Optional(
      field(oneOf(logSources), {
        doc: "Returns only lines of production, or of all other environments.",
      }),
    ),
    pod: Type.Optional(Type.String({ maxLength: 255, description: "Name of a pod." })),
    container: Type.Optional(field(oneOf(logContainers), { doc: "Name of a container." })),
    since: time("Proposed. Returns only lines from this time on."),
    until: time("Proposed. Returns only lines before this time."),
  }),
  answer: strictObject({
    pod: Type.String({ description: "Name of the pod." }),
    container: field(oneOf(logContainers), { doc: "Proposed. Container of the pod." }),
    date: Timestamp,
    message: Type.String({ description: "The line." }),
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});

/** List the pods of a deployment. */
export const listPods = defineOperation({
  id: "listPods",
  area,
  method: "GET",
  path: `${base}/pods`,
  summary: "List the pods of a deployment",
  description:
    "Returns one pod for each environment that is production, an enabled staging environment or a development environment. It is ready once it serves a build.",
  source: "public",
  effect: "read",
  permission: { action: "DeploymentRead", scope: deploymentScope },
  params: byDeployment,
  answer: strictObject({
    name: Type.String({ description: "Name of the pod." }),
    type: Type.Optional(Type.String({ description: "Type of its environment." })),
    status: Type.Optional(oneOf(["Running", "Pending"])),
    ready: Type.Optional(Type.Boolean({ description: "Whether it serves a build." })),
    restartCount: Type.Optional(
      Type.Integer({ minimum: 0, description: "Always 0: pods are not separate processes." }),
    ),
    containers: Type.Optional(
      Type.Array(oneOf(logContainers), { description: "Containers that write lines." }),
    ),
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});
