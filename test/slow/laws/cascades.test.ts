// Tests that a plan which deletes or replaces a parent reports every object that the delete cascades to.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everyKind, prepareAccount } from "../../support/every-kind.ts";
import { sampled } from "../../support/sampling.ts";
import { hiddenState, liveState } from "../../support/live-state.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../../support/test-stack.ts";

const anchor: Doc = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };
const tenant: Doc = { kind: "EmbedTenant", name: "acme", spec: { name: "acme-stores" } };
const inside: Doc = {
  kind: "EmbedGroup",
  name: "inside",
  spec: { embedTenant: "acme", name: "inside" },
};
const byHand = { body: { name: "by hand" } };

/** Runs `work` with a fresh service and an empty stack, and removes both. */
async function withEnvironment<T>(
  work: (environment: { service: TestService; stack: TestStack }) => Promise<T>,
): Promise<T> {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await prepareAccount(service);
    return await work({ service, stack });
  } finally {
    await stack.dispose();
    await service.close();
  }
}

async function withTenant(
  policy: Readonly<Record<string, number>>,
  work: (environment: { service: TestService; stack: TestStack }) => Promise<void>,
): Promise<void> {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey, policy });
  try {
    await stack.write([anchor, tenant, inside]);
    await stack.apply();
    await service.send("POST", "/api/v1/embed-tenants/acme-stores/groups", byHand);
    await work({ service, stack });
  } finally {
    await stack.dispose();
    await service.close();
  }
}

describe("an object that holds others", () => {
  it("is deleted with a warning that counts what no document declares, against the delete limit too", async () => {
    await withTenant({ maxDeletes: 2 }, async ({ stack }) => {
      await stack.write([anchor]);
      const { changes, diagnostics } = await stack.plan();
      expect(changes.map(({ cascadeCounts }) => cascadeCounts).filter(Boolean)).toEqual([
        { EmbedGroup: 1 },
      ]);
      expect(diagnostics).toMatchObject([
        { code: "cascade-delete", severity: "warning", address: "EmbedTenant/acme" },
        { code: "delete-limit", severity: "warning" },
      ]);
      await expect(stack.apply()).rejects.toMatchObject({
        code: "refused",
        details: { confirmation: "deletes", count: 3, deleteLimit: 2 },
      });
      await stack.apply({ allowDeletes: 3 });
      expect((await stack.plan()).changes).toEqual([]);
    });
  });

  it("is replaced with the same warning; declared objects are created again and not counted", async () => {
    await withTenant({}, async ({ stack }) => {
      await stack.write([anchor, { ...tenant, spec: { name: "acme-retail" } }, inside]);
      const { changes } = await stack.plan();
      expect(changes.find(({ kind }) => kind === "EmbedTenant")).toMatchObject({
        action: "replace",
        cascadeCounts: { EmbedGroup: 1 },
      });
    });
  });

  it("stays where another stack owns what is inside", async () => {
    await withTenant({}, async ({ service, stack }) => {
      const other = await makeStack({ url: service.url, key: service.adminKey, name: "other" });
      const first = await readFile(join(stack.folder, "stack.yaml"), "utf8");
      await writeFile(
        join(stack.folder, "stack.yaml"),
        await readFile(join(other.folder, "stack.yaml"), "utf8"),
      );
      const theirs = { embedTenant: { external: "acme-stores" }, name: "theirs" };
      await stack.write([{ ...inside, name: "theirs", spec: theirs }]);
      await stack.apply();
      await writeFile(join(stack.folder, "stack.yaml"), first);
      await stack.write([anchor]);
      const { diagnostics } = await stack.plan();
      expect(diagnostics.map(({ code }) => code)).toEqual([
        "cascade-delete",
        "owned-by-other-stack",
      ]);
      await expect(stack.apply()).rejects.toMatchObject({ code: "refused" });
      await other.dispose();
    });
  });
});

describe("an object that holds others which hold some", () => {
  const site: Doc = {
    kind: "Deployment",
    name: "site",
    spec: { name: "site", region: "aws-us-east-1" },
  };
  const within = { deployment: "site", dashboard: { title: "Sales" } };
  const sales: Doc = { kind: "Workbook", name: "sales", spec: { ...within, slug: "sales" } };
  const orders: Doc = { kind: "Workbook", name: "orders", spec: { ...within, slug: "orders" } };
  const weekly: Doc = {
    kind: "Notification",
    name: "weekly",
    spec: { deployment: "site", workbook: "sales", schedule: "0 9 * * 1" },
  };
  const analyst: Doc = {
    kind: "NotificationRecipient",
    name: "analyst",
    spec: { deployment: "site", notification: "weekly", user: "analyst@svc.localhost" },
  };
  const plans: Doc = { kind: "Folder", name: "plans", spec: { deployment: "site", name: "Plans" } };
  const readers: Doc = {
    kind: "FolderAllUsersAccess",
    name: "readers",
    spec: { deployment: "site", folder: "plans", action: "FolderEdit" },
  };
  const all = [anchor, site, sales, orders, weekly, analyst, plans, readers];

  it.each([
    {
      what: "all that is in a deployment",
      ours: [anchor, site],
      left: [anchor],
      cascaded: {
        Workbook: 2,
        Notification: 1,
        NotificationRecipient: 1,
        Folder: 1,
        FolderAllUsersAccess: 1,
      },
    },
    {
      what: "what names a workbook beside it",
      ours: [anchor, site, sales, orders],
      left: [anchor, site, orders],
      cascaded: { Notification: 1, NotificationRecipient: 1 },
    },
    {
      what: "what is in a notification",
      ours: [anchor, site, sales, orders, weekly],
      left: [anchor, site, sales, orders],
      cascaded: { NotificationRecipient: 1 },
    },
    {
      what: "the access to a folder",
      ours: [anchor, site, plans],
      left: [anchor, site],
      cascaded: { FolderAllUsersAccess: 1 },
    },
    {
      what: "each object once, also where two of its holders go",
      ours: [anchor, site, sales],
      left: [anchor],
      cascaded: {
        Workbook: 1,
        Notification: 1,
        NotificationRecipient: 1,
        Folder: 1,
        FolderAllUsersAccess: 1,
      },
    },
  ])("counts $what, however deep", async ({ ours, left, cascaded }) => {
    await withEnvironment(async ({ service, stack }) => {
      const hand = await makeStack({ url: service.url, key: service.adminKey, name: "hand" });
      try {
        await stack.write(ours);
        await stack.apply();
        await hand.write(all);
        await hand.apply({ adopt: () => true });
        await stack.write(left);
        const { changes } = await stack.plan();
        const reported = changes.flatMap(({ cascadeCounts = {} }) => Object.entries(cascadeCounts));
        expect(Object.fromEntries(reported)).toEqual(cascaded);
        expect(reported).toHaveLength(Object.keys(cascaded).length);
      } finally {
        await hand.dispose();
      }
    });
  });
});

describe("an object that another one creates", () => {
  const without = everyKind.filter(({ name }) => name !== "acme-jane");
  const elsewhere = everyKind.map((doc) =>
    doc.name === "acme-jane" ? { ...doc, spec: { ...doc.spec, externalId: "jane-4712" } } : doc,
  );

  /** Expects that applying the documents after any state gives the same result as on a fresh service. */
  async function ends(documents: readonly Doc[], first: string): Promise<void> {
    const applied = async ({ stack, service }: { stack: TestStack; service: TestService }) => {
      await stack.write(documents);
      const planned = changeSummaries((await stack.plan({ createsKey: true })).changes);
      await stack.apply();
      expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
      return { planned, live: await liveState(service), hidden: await hiddenState(service.db) };
    };
    const { planned, ...over } = await withEnvironment(async (environment) => {
      await environment.stack.write(everyKind);
      await environment.stack.apply();
      return applied(environment);
    });
    const { planned: _, ...fresh } = await withEnvironment(applied);
    expect(planned[0]).toBe(first);
    expect(planned).toContain("replace NotificationEmbedRecipient/weekly-sales-jane");
    expect(over).toEqual(fresh);
  }

  it.each(
    sampled([
      {
        title: "deleted before that one is replaced, where it is no longer declared",
        documents: without,
        first: "delete EmbedUser/acme-jane",
      },
      {
        title: "replaced before that one is replaced, where its document names another",
        documents: elsewhere,
        first: "replace EmbedUser/acme-jane /externalId",
      },
    ]),
  )("is $title", ({ documents, first }) => ends(documents, first));
});

describe("an object that a field of another names as its holder", () => {
  const robot: Doc = {
    kind: "User",
    name: "robot",
    spec: { email: "robot@corp.example", username: "robot", isAdmin: true },
  };
  const owned: Doc = { kind: "ApiKey", name: "ci", spec: { name: "ci", owner: "robot" } };
  const withoutOwner: Doc = { kind: "ApiKey", name: "ci", spec: { name: "ci" } };

  async function overRobot(
    policy: Readonly<Record<string, number>>,
    work: (environment: { service: TestService; stack: TestStack }) => Promise<void>,
  ): Promise<void> {
    await withEnvironment(async ({ service }) => {
      const stack = await makeStack({ url: service.url, key: service.adminKey, policy });
      try {
        await stack.write([anchor, robot, owned]);
        await stack.apply();
        await work({ service, stack });
      } finally {
        await stack.dispose();
      }
    });
  }

  /** Expects that one run restores everything, so that nothing is left to do. */
  async function comesBack(stack: TestStack, documents: readonly Doc[]): Promise<void> {
    await stack.write(documents);
    expect(changeSummaries((await stack.plan({ createsKey: true })).changes)).toContain(
      "replace ApiKey/ci",
    );
    await stack.apply();
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  }

  it("is created again in the same run if the holder is no longer declared and the document names none", () =>
    overRobot({}, ({ stack }) => comesBack(stack, [anchor, withoutOwner])));

  it("is created again in the same run if the holder is replaced under the same name", () =>
    overRobot({}, async ({ stack }) => {
      await stack.write([anchor, robot, withoutOwner]);
      const replace = ["User/robot"];
      expect(changeSummaries((await stack.plan({ replace })).changes)).toEqual([
        "replace User/robot",
        "replace ApiKey/ci",
      ]);
      await stack.apply({ replace });
      expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    }));

  it("is counted against the delete limit where no document declares it", () =>
    overRobot({ maxDeletes: 2 }, async ({ stack, service }) => {
      const [user] = await users(service, "robot@corp.example");
      await service.send("POST", "/api/v1/api-keys", {
        body: { name: "by hand", ownerUserId: user },
      });
      await stack.write([anchor]);
      const { changes } = await stack.plan();
      expect(changes.find(({ kind }) => kind === "User")?.cascadeCounts).toEqual({ ApiKey: 1 });
      await expect(stack.apply()).rejects.toMatchObject({
        details: { confirmation: "deletes", count: 3, deleteLimit: 2 },
      });
    }));

  it("keeps its holder where it is protected", () =>
    overRobot({}, async ({ stack, service }) => {
      const before = await liveState(service);
      await stack.write([anchor, { ...withoutOwner, lifecycle: { protect: true } }]);
      const { diagnostics } = await stack.plan();
      expect(diagnostics.map(({ code, address }) => [code, address])).toEqual([
        ["protected", "ApiKey/ci"],
        ["protected", "User/robot"],
      ]);
      await expect(stack.apply()).rejects.toMatchObject({ code: "refused" });
      expect(await liveState(service)).toEqual(before);
    }));
});

async function users(service: TestService, email: string): Promise<readonly number[]> {
  const { body } = await service.send("GET", "/api/v1/users");
  const { items } = body as { items: readonly { id: number; email: string }[] };
  return items.filter((one) => one.email === email).map(({ id }) => id);
}
