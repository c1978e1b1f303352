// Measures how creates grow for objects that the API returns only in lists, through the Terraform bridge and the Pulumi
// plugin.
import { createEmbedUsers } from "../api/embed-tenants.ts";
import { createUserAttributes } from "../api/user-attributes.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { openBridge } from "../provider/bridge/connect.ts";
import { embedUser } from "../resources/embed-user.ts";
import { userAttribute } from "../resources/user-attribute.ts";
import { inParallel } from "./bare-client.ts";
import type { GrowthScene, GrowthStep } from "./growth-rate.ts";
import { type GrowthFixture, openFixture } from "./growth-stacks.ts";

/** Existing objects for each created one: so many that listing them all takes longer than a few creates. */
const seededPerCreate = 20;
const embedTenant = "acme-stores";

interface ListedKind {
  readonly kind: Kind;
  readonly spec: (name: string) => JsonObject;
  /** The path and the body of a call that creates many. */
  readonly path: string;
  readonly body: (names: readonly string[]) => object;
}

const listedKinds: readonly ListedKind[] = [
  {
    kind: embedUser,
    spec: (externalId) => ({ embedTenant, externalId }),
    path: createEmbedUsers.path.replace("{embedTenantName}", embedTenant),
    body: (names) => ({ users: names.map((externalId) => ({ externalId })) }),
  },
  {
    kind: userAttribute,
    spec: (name) => ({ name, type: "string" }),
    path: createUserAttributes.path,
    body: (names) => ({ attributes: names.map((name) => ({ name, type: "string" })) }),
  },
];

/** Creates objects, each in a call of its own, among many others. */
export const createScene: GrowthScene = {
  title: "Terraform and Pulumi: creates of objects without a read by ID",
  size: 75,
  open: async (size) => {
    const fixture = await openFixture("file");
    await fixture.client.send({
      method: "POST",
      path: `/api/v1/embed-tenants/${embedTenant}/user`,
      body: { externalId: "first" },
    });
    for (const { path, body } of listedKinds)
      for (let from = 0; from < size * seededPerCreate; from += limits.bulkCreates)
        await fixture.client.send({
          method: "POST",
          path,
          body: body(namesOf("seeded", limits.bulkCreates, from)),
        });
    return {
      steps: listedKinds.map((one) => stepOf(fixture, one, size)),
      close: () => fixture.close(),
    };
  },
};

function stepOf({ server }: GrowthFixture, { kind, spec }: ListedKind, count: number): GrowthStep {
  return {
    name: `create of ${kind.plural}`,
    run: async () => {
      const settings = { url: server.url, credential: server.adminKey };
      const bridge = await openBridge(settings, { userAgent: "growth" });
      try {
        await inParallel(namesOf("created", count), limits.concurrency, async (name) => {
          const { failure: refused, unverified } = await bridge.create(kind, spec(name));
          const failure = refused ?? unverified;
          if (failure !== undefined) throw failure;
        });
      } finally {
        await bridge.close();
      }
    },
  };
}

function namesOf(prefix: string, count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}_${from + at}`);
}
