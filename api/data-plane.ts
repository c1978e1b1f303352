// The operations at the address of a deployment, apart from the API of the account. Their credential is a data API token.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { defineOperation, type Operation } from "../core/operation.ts";
import { oneOf } from "../core/traits.ts";
import { openapi } from "./openapi.ts";
import { strictObject } from "./schemas.ts";

const area = "data-plane";

/** The answer of a health check, with the status 200 or 500. */
const Health = strictObject({ health: oneOf(["HEALTH", "DOWN"]) });

/** Check that an environment answers. */
export const getEnvironmentLiveness = defineOperation({
  id: "getEnvironmentLiveness",
  area,
  method: "GET",
  path: "/livez",
  summary: "Check that an environment answers",
  description: "Returns 200 for an environment that is active, and 404 for any other branch.",
  source: "public",
  effect: "read",
  permission: "public",
  answer: Health,
  errorCodes: ["not_found"],
});

/** Check that an environment serves a build. */
export const getEnvironmentReadiness = defineOperation({
  id: "getEnvironmentReadiness",
  area,
  method: "GET",
  path: "/readyz",
  summary: "Check that an environment serves a build",
  description:
    "Returns 200 while the environment serves a build, and 500 with `DOWN` before its first build has succeeded and while the server cannot serve.",
  source: "public",
  effect: "read",
  permission: "public",
  answer: Health,
  errorCodes: ["not_found"],
});

/** Get the OpenAPI document of the build that an environment serves. */
export const getEnvironmentSpec = defineOperation({
  id: "getEnvironmentSpec",
  area,
  method: "GET",
  path: "/api/v1/spec",
  summary: "Get the OpenAPI document of the build that an environment serves",
  description:
    "Describes the operations at this address, in the platform version of the build that serves them.",
  source: "specification",
  effect: "read",
  permission: "self",
  answer: Type.Record(Type.String(), Type.Unknown()),
  errorCodes: ["not_found", "unavailable"],
});

/** All operations of an environment. */
export const environmentOperations: readonly Operation[] = [
  getEnvironmentLiveness,
  getEnvironmentReadiness,
  getEnvironmentSpec,
];

/** The build that an environment serves. */
export interface ServedBuild {
  /** Base URL of the environment. */
  readonly url: string;
  /** Platform version: `1.2.3`. */
  readonly version: string;
  readonly buildJobId: string;
  readonly filesHash: string;
  /** Time of the build, in UTC. */
  readonly builtAt: string;
}

/** Returns the OpenAPI document of an environment. */
export function environmentOpenapi({ url, version, ...build }: ServedBuild): JsonObject {
  const { info, components, ...document } = openapi(environmentOperations, { keyed: false });
  return {
    ...document,
    info: {
      ...(info as JsonObject),
      title: "svc data API",
      description: "The data API of one environment of a deployment.",
      "x-svc-build": { version: `v${version}`, ...build },
    },
    servers: [{ url }],
    security: [{ dataToken: [] }],
    components: {
      ...(components as JsonObject),
      securitySchemes: {
        dataToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "`Authorization: <data API token>`; `deploymentToken` creates one.",
        },
      },
    },
  };
}
