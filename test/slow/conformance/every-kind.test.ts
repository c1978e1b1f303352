// Creates, changes and deletes every kind on PostgreSQL, many kinds in one run. On SQLite each kind has its own runs.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  everyKind,
  everyKindChanged,
  everySingleton,
  everySingletonChanged,
  prepareAccount,
  shareOfKinds,
} from "../../support/every-kind.ts";
import { liveState } from "../../support/live-state.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, changeSummaries, makeStack, type TestStack } from "../../support/test-stack.ts";

let service: TestService;
let stack: TestStack;

beforeAll(async () => {
  service = await startService();
  await prepareAccount(service);
  stack = await makeStack({ url: service.url, key: service.adminKey });
});
afterAll(async () => {
  await stack.dispose();
  await service.close();
});

/** Keeps the stack from being empty: an empty stack deletes nothing. */
const anchor: Doc = { kind: "UserGroup", name: "anchor", spec: { name: "anchor" } };

/** Applies the documents, and returns the planned actions by address. */
async function applied(documents: readonly Doc[]): Promise<ReadonlyMap<string, string>> {
  await stack.write([anchor, ...documents]);
  const { plan, outcomes, residual } = await stack.apply();
  expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
  expect(changeSummaries(residual)).toEqual([]);
  expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
  return new Map(plan.changes.map((change) => [change.address, change.action]));
}

const share = (documents: readonly Doc[]) => shareOfKinds(documents, { part: 1, of: 1 });
const addressOf = ({ kind, name }: Doc): string => `${kind}/${name}`;

it("is created, follows changes of its fields, and is deleted", async () => {
  const first = Object.keys(await liveState(service));
  const [items, changedItems] = [share(everyKind), share(everyKindChanged)];
  const created = await applied([...items, ...everySingleton]);
  for (const doc of items) expect([doc, created.get(addressOf(doc))]).toEqual([doc, "create"]);
  const changed = await applied([...changedItems, ...everySingletonChanged]);
  const differing = changedItems.filter(
    (doc, at) => JSON.stringify(doc) !== JSON.stringify(items[at]),
  );
  for (const doc of differing) {
    expect([doc, changed.get(addressOf(doc))]).toEqual([
      doc,
      expect.stringMatching(/update|replace/),
    ]);
  }
  const deleted = await applied([]);
  for (const doc of items) expect([doc, deleted.get(addressOf(doc))]).toEqual([doc, "delete"]);
  expect(Object.keys(await liveState(service))).toEqual([...first, "UserGroup/anchor"].toSorted());
});
