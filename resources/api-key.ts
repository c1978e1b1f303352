// ApiKey: a credential of the account; its secret is in the answer of the create, and nowhere else ever.
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
    doc: "What it is for. The API lets several keys have one name; of those that are managed each has its own.",
  }),
  owner: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 254, pattern: "^[^A-Z]+$" }), {
      doc: "Email of the user whose rights it carries; left out, the user whose key is used to make it.",
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
        doc: "The only deployments that it reaches; `null` is all of them.",
        order: "set",
        refersTo: "Deployment",
      },
    ),
  ),
});

type Spec = Static<typeof spec>;

/** Renamed and scoped in place. */
export const apiKey = defineKind(
  {
    name: "ApiKey",
    plural: "api-keys",
    doc: "A credential for the API. Its secret is shown once, when the key is made.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: statusSchema({ id: Id, prefix: Type.String(), createdAt: Timestamp }),
    generatedSecret: { name: "token", doc: "The key itself: `sk-` and 43 characters." },
    examples: [
      {
        title: "A pipeline's key, for one deployment",
        name: "ci",
        spec: { name: "ci", owner: "robot", deployments: ["production"] },
        variations: { name: "pipelines", owner: "jane", deployments: null },
      },
    ],
  },
  (way) => ({
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
      way.perObject(
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
      way.perObject(
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
    delete: [way.perObject(deleteApiKey, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);
