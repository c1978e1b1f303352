// ApiKey: an API credential. Only the response of the create operation contains its secret.
import { Type } from "typebox";
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  updateApiKey,
} from "../api/api-keys.ts";
import { getDeployments } from "../api/deployments.ts";
import { Id, Timestamp } from "../api/schemas.ts";
import { listUsers } from "../api/users.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { type Spec, spec } from "./api-key.schema.ts";
import {
  changedScope,
  idLookups,
  observedApiKey,
  scopeInput,
  takesRights,
} from "./api-key.codec.ts";
import { changedFields, definedMembers, deploymentIds, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

/** The ApiKey resource type. Its name and scope are updated in place. */
export const apiKey = defineKind(
  {
    name: "ApiKey",
    plural: "api-keys",
    doc: "An API credential. The secret is returned once, when the key is created.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: statusSchema({ id: Id, prefix: Type.String(), createdAt: Timestamp }),
    credentialRole: {
      what: "the API key that svc uses",
      isOf: ({ type, name }, { key }) => type === "api-key" && name === key["name"],
      takesRights,
    },
    generatedSecret: { name: "token", doc: "The key: `sk-` followed by 43 characters." },
    examples: [
      {
        title: "A key for a CI pipeline, scoped to one deployment",
        name: "ci",
        spec: { name: "ci", owner: "robot", deployments: ["production"] },
        variations: {
          name: "pipelines",
          owner: "jane",
          deployments: null,
          permissions: ["WorkbookEdit"],
          states: [{ name: "shop", access: "write" }],
          isDisabled: true,
        },
      },
      {
        title: "A key that can only plan",
        name: "plan",
        spec: {
          name: "plan",
          owner: "robot",
          permissions: ["ReadAll"],
          states: [{ name: "svc-*", access: "read" }],
        },
        variations: {
          permissions: ["ReadAll", "WorkbookEdit"],
          states: [{ name: "svc-*", access: "write" }],
        },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "list",
      items: listApiKeys,
      needs: [listApiKeys, listUsers, getDeployments],
      read: async (reader, _, interest) => {
        const seen = await observedApiKey(reader, interest);
        return (await reader.all(listApiKeys, {})).map(seen);
      },
      byId: {
        needs: [getApiKey],
        read: async (reader, id, { interest }) => {
          const key = await reader.one(getApiKey, { params: { id } });
          return key && (await observedApiKey(reader, interest))(key);
        },
      },
    }),
    create: [
      bind.perObject(
        createApiKey,
        ({ spec: { name, ...scope } }, ids) => ({ body: { name, ...scopeInput(scope, ids) } }),
        { prerequisite: idLookups, extractSecret: ({ token }) => token },
      ),
    ],
    update: [
      bind.perObject(
        updateApiKey,
        (subject, deployments) => ({
          params: { id: idOf(subject) },
          body: {
            ...definedMembers(changedFields(subject, ["name"])),
            ...changedScope(subject, deployments),
          },
        }),
        { prerequisite: deploymentIds },
      ),
    ],
    delete: [bind.perObject(deleteApiKey, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);
