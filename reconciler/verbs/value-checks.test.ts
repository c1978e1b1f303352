// Tests the reads of a plan that check the users of notifications: how many, and the report if they are not permitted.
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import type { Kind, Reader } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { notificationRecipient } from "../../resources/notification-recipient.ts";
import { user } from "../../resources/user.ts";
import { desiredObject, pruningStack } from "../../test/support/plan-fixtures.ts";
import { sampleChange } from "../../test/support/sample-plans.ts";
import type { Change, DesiredObject } from "../model/index.ts";
import { checkValues } from "./value-checks.ts";

const count = 200;
const numbers = Array.from({ length: count }, (_, index) => index);
const within = { deployment: "production", notification: "weekly" };
const recipients = numbers.map((index) =>
  desiredObject(notificationRecipient, `r${index}`, {
    spec: { ...within, user: `u${index}@x.example` },
  }),
);

/** Checks the creation of these objects with a credential that may not list users. Returns the findings, and the number of requests. */
async function check(objects: readonly DesiredObject[]) {
  let requests = 0;
  const reader: Reader = {
    all: async ({ id }) => {
      if (id !== "listUsers") return [];
      requests++;
      throw new Failure("forbidden", "no");
    },
    allWithin: async () => [],
    one: async () => undefined,
    knownText: () => undefined,
  };
  const written = objects.map(({ address }): Change => sampleChange("create", address));
  const has = () => true;
  const apiDiscovery = { has, takesIdempotencyKey: has, takesQuery: has };
  const desired = { stack: pruningStack, objects, digest: "digest" };
  const found = await checkValues(written, { session: { desired, apiDiscovery }, reader });
  return { ...found, requests };
}

/** Recipients with a check that reports its user, the last object first, and counts how many run at the same time. */
function countedChecks() {
  let running = 0;
  const counted = { most: 0 };
  const kind: Kind = {
    ...notificationRecipient,
    check: {
      what: "the user",
      needs: [],
      run: async (_, { spec }) => {
        running += 1;
        counted.most = Math.max(counted.most, running);
        await setTimeout(count - Number((spec["user"] as string).match(/\d+/u)?.[0]));
        running -= 1;
        return {
          errors: [{ path: "/user", message: `no ${spec["user"] as string}` }],
          errorCount: 1,
        };
      },
    },
  };
  return { counted, objects: recipients.slice(0, 40).map((object) => ({ ...object, kind })) };
}

it("checks objects at the same time, within the limit, and reports them in the order of the plan", async () => {
  const { counted, objects } = countedChecks();
  const { diagnostics } = await check(objects);
  expect(counted.most).toBe(limits.concurrency);
  expect(diagnostics.map(({ summary }) => summary)).toEqual(
    objects.map(({ spec }) => `no ${spec["user"] as string}`),
  );
});

it("reports objects that the credential may not read as not checked", async () => {
  const run = () => Promise.reject(new Failure("forbidden", "the credential lacks WorkbookRead"));
  const kind: Kind = { ...notificationRecipient, check: { what: "the workbook", needs: [], run } };
  const { diagnostics, notChecked } = await check(
    recipients.slice(0, 1).map((one) => ({ ...one, kind })),
  );
  expect(diagnostics).toEqual([]);
  expect(notChecked).toEqual([
    "the workbook of NotificationRecipient/r0 (the credential lacks WorkbookRead)",
  ]);
});

describe("the users of many recipients", () => {
  it("are asked for once if the credential may not list users, and said in one line", async () => {
    const { requests, notChecked, diagnostics } = await check(recipients);
    expect(requests).toBe(1);
    const named = recipients.slice(0, limits.placesNamed).map(({ address }) => address);
    expect(notChecked).toEqual([
      `the user of ${named.join(", ")} and ${count - named.length} more (the credential may not list users)`,
    ]);
    expect(diagnostics).toEqual([]);
  });

  it("are found among the users of the plan in linear time", async () => {
    let reads = 0;
    const users = numbers.map((index) => {
      const spec = { email: `u${index}@x.example`, username: `u${index}` };
      return {
        ...desiredObject(user, `u${index}`, { spec }),
        get spec() {
          reads++;
          return spec;
        },
      };
    });
    const { requests, notChecked } = await check([...users, ...recipients]);
    expect(requests).toBe(0);
    expect(reads).toBeLessThan(10 * count);
    expect(notChecked).toHaveLength(count);
  });
});
