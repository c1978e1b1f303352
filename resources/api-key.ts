// ApiKey: an API credential. Only the response of the create operation contains its secret.
import { Type, type Static } from "typebox";
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  updateApiKey,
} from "../api/api-keys.ts";
import { getDeployments } from "../api/deployments.ts";
import { Id, Timestamp, Name } from "../api/schemas.ts";
import { listUsers } from "../api/users.ts";
import { defineKind, defineObserve } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { idLookups, observedApiKey, userIdOf } from "./api-key.codec.ts";
import { deploymentIdOf, idOf } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";

const spec = Type.Object({
  name: field(Name, {
    doc: "Name of the key. The API allows duplicate names, but the names of managed keys must be unique.",
  }),
  owner: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 254, pattern: "^[^A-Z]+$" }), {
      doc: "Email of the user whose permissions the key has. Defaults to the user who creates the key.",
      refersTo: "User",
      cascadeDelete: true,
      serverChosen: true,
      onChange: "replace",
    }),
  ),
  deployments: Type.Optional(
    field(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 1,
        maxItems: limits.scopedDeployments,
      }),
      {
        doc: "Deployments that the key can access. `null` means all deployments.",
        order: "set",
        refersTo: "Deployment",
      },
    ),
  ),
});

type Spec = Static<typeof spec>;

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
    generatedSecret: { name: "token", doc: "The key: `sk-` followed by 43 characters." },
    examples: [
      {
        title: "A key for a CI pipeline, scoped to one deployment",
        name: "ci",
        spec: { name: "ci", owner: "robot", deployments: ["production"] },
        variations: { name: "pipelines", owner: "jane", deployments: null },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "list",
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
        ({ spec: { name, owner, deployments } }, { users, deployments: known }) => ({
          body: {
            name,
            ...(owner !== undefined && { ownerUserId: userIdOf(users, owner) }),
            deploymentIds: deployments?.map((one) => deploymentIdOf(known, one)) ?? null,
          },
        }),
        { prerequisite: idLookups, extractSecret: ({ token }) => token },
      ),
    ],
    update: [
      bind.perObject(
        updateApiKey,
        (subject, { deployments: known }) => {
          const { name, deployments } = subject.spec;
          const scope = () => deployments?.map((one) => deploymentIdOf(known, one)) ?? null;
          return {
            params: { id: idOf(subject) },
            body: {
              ...(subject.changed.has("name") && { name }),
              ...(subject.changed.has("deployments") && { deploymentIds: scope() }),
            },
          };
        },
        { prerequisite: idLookups },
      ),
    ],
    delete: [bind.perObject(deleteApiKey, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);
