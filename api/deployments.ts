// Area deployments: the least that sessions need: create, get and list.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";
import { oneOf } from "../core/traits.ts";
import { closed, Id, maybe } from "./schemas.ts";

const area = "deployments";

/** How far a deployment has come in being set up. */
export const CreationStep = oneOf([
  "project",
  "upload",
  "schema",
  "github",
  "ssh",
  "databases",
  "ready",
  "demo",
]);

const Deployment = closed({
  id: Id,
  name: Type.String(),
  deploymentUrl: Type.String(),
  creationStep: CreationStep,
});

/** A scoped key sees the deployments in its scope. */
export const getDeployments = defineOperation({
  id: "getDeployments",
  area,
  method: "GET",
  path: "/api/v1/deployments",
  summary: "Get deployments",
  source: "specification",
  effect: "read",
  access: "user",
  scope: "filtered",
  query: closed({ creationStep: Type.Optional(Type.Array(CreationStep, { maxItems: 8 })) }),
  answer: Deployment,
  list: "transitional",
});

/** One deployment. */
export const getDeployment = defineOperation({
  id: "getDeployment",
  area,
  method: "GET",
  path: "/api/v1/deployments/{deploymentId}",
  summary: "Get a deployment",
  source: "public",
  effect: "read",
  access: "user",
  scope: { deployment: "params.deploymentId" },
  params: closed({ deploymentId: Id }),
  answer: Deployment,
  fails: ["not_found"],
});

/** `name` and `region` are needed, the rest has defaults; names are unique in an account. */
export const createDeployment = defineOperation({
  id: "createDeployment",
  area,
  method: "POST",
  path: "/build/api/v1/deployments",
  summary: "Create a deployment",
  source: "public",
  effect: "write",
  access: "admin",
  scope: "account",
  body: closed({
    name: Type.String({ minLength: 1, maxLength: 255 }),
    region: Type.String({ minLength: 1, maxLength: 255 }),
    cloudProvider: maybe(oneOf(["svccloud", "aws", "gcp"])),
    targetPlatform: maybe(oneOf(["aws", "gcp"])),
    isManaged: maybe(Type.Boolean()),
    creationStep: maybe(CreationStep),
    creationMethod: maybe(oneOf(["upload", "svccloud", "github", "ssh"])),
    deployMode: maybe(oneOf(["git", "cli"])),
  }),
  answer: Deployment,
  fails: ["conflict"],
});
