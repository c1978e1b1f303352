// ApiKey: a credential of the account; its secret is in the answer of the create, and nowhere else ever.
import { Type, type Static } from "typebox";
import { createApiKey, deleteApiKey, listApiKeys, updateApiKey } from "../api/api-keys.ts";
import { getDeployments } from "../api/deployments.ts";
import { Id, Moment, Name } from "../api/schemas.ts";
import { listUsers } from "../api/users.ts";
import { Failure } from "../core/errors.ts";
import { defineKind, type Given, observed, type Reader } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { field } from "../core/traits.ts";
import { deploymentIdOf, deploymentIds, idOf, present } from "./codec.ts";
import { reported } from "./reported.ts";

const spec = Type.Object({
  name: field(Name, {
    doc: "What it is for. The API lets several keys have one name; a stack does not.",
  }),
  owner: Type.Optional(
    field(Type.String({ minLength: 1, maxLength: 254, pattern: "^[^A-Z]+$" }), {
      doc: "Email of the user whose rights it carries; left out, the user whose key applies the stack.",
      refersTo: "User",
      goesAlong: true,
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

/** Ids of deployments and of users, by what specs call them. */
const ids: Given<{ deployments: ReadonlyMap<string, number>; users: ReadonlyMap<string, number> }> =
  {
    operation: getDeployments,
    by: ["owner", "deployments"],
    read: async (reader, { owner }) => ({
      deployments: await deploymentIds.read(reader),
      users: owner === undefined ? new Map() : await userIds(reader),
    }),
    missing: deploymentIds.missing,
  };

/** Renamed and scoped in place. */
export const apiKey = defineKind(
  {
    name: "ApiKey",
    plural: "api-keys",
    doc: "A credential for the API. Its secret is shown once, when the key is made, so a document says where it is to go: `secretTo`.",
    shape: "item",
    key: ["name"],
    scope: [],
    spec,
    status: reported({ id: Id, prefix: Type.String(), createdAt: Moment }),
    mints: { name: "token", doc: "The key itself: `sk-` and 43 characters." },
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
    observe: observed<Spec>({
      cost: "list",
      needs: [listApiKeys, listUsers, getDeployments],
      read: async (reader, _, interest) => {
        const emails = interest.has("owner") ? flipped(await userIds(reader)) : undefined;
        const names = interest.has("deployments")
          ? flipped(await deploymentIds.read(reader))
          : undefined;
        return (await reader.all(listApiKeys, {})).map((key) => ({
          id: String(key.id),
          spec: present({
            name: key.name,
            owner: emails?.get(key.ownerUserId),
            deployments: names && key.deploymentIds?.map((id) => names.get(id) ?? `#${id}`),
          }),
          status: present({ id: key.id, prefix: key.prefix, createdAt: key.createdAt }),
        }));
      },
    }),
    create: [
      way.each(
        createApiKey,
        ({ spec: { name, owner, deployments } }, { users, deployments: known }) => ({
          body: {
            name,
            ...(owner !== undefined && { ownerUserId: userIdOf(users, owner) }),
            deploymentIds: deployments?.map((one) => deploymentIdOf(known, one)) ?? null,
          },
        }),
        { given: ids, minted: ({ token }) => token },
      ),
    ],
    update: [
      way.each(
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
        { given: ids },
      ),
    ],
    delete: [way.each(deleteApiKey, (subject) => ({ params: { id: idOf(subject) } }))],
  }),
);

/** The users' ids by email in lower case. */
async function userIds(reader: Reader): Promise<ReadonlyMap<string, number>> {
  return new Map(
    (await reader.all(listUsers, {})).map(({ email, id }) => [email.toLowerCase(), id]),
  );
}

function userIdOf(users: ReadonlyMap<string, number>, email: string): number {
  const id = users.get(email);
  if (id !== undefined) return id;
  throw new Failure("not_found", `there is no user with the email ${JSON.stringify(email)}`);
}

function flipped(byName: ReadonlyMap<string, number>): ReadonlyMap<number, string> {
  return new Map([...byName].map(([name, id]) => [id, name]));
}
