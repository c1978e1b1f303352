// Tests that objects which were just created are found in the first items of a list, or not at all.
import { expect, it } from "vitest";
import type { ReadOnlyClient } from "../../client/types.ts";
import { limits } from "../../core/limits/limits.ts";
import { environmentVariable } from "../../resources/environment-variable.ts";
import { userAttribute } from "../../resources/user-attribute.ts";
import { createNewestReads } from "./newest-reads.ts";
import { readTargetFor } from "./read-target.ts";

const count = 100;
/** The attributes of a server, the newest first. */
const stored = Array.from({ length: count }, (_, at) => attribute(count - at));

function attribute(id: number) {
  return { id, name: `attribute_${id}`, type: "string" };
}

/** A client whose only list has these items, and how many items each call asked for. */
function clientOf(items: readonly object[]) {
  const reads: (number | undefined)[] = [];
  const fail = () => Promise.reject(new Error("only lists are read as a whole"));
  const client: ReadOnlyClient = {
    origin: "https://acme.example.com",
    concurrency: 1,
    mayWrite: false,
    call: fail,
    page: fail,
    all: async (_operation, _input, { most } = {}) => {
      const limit = typeof most === "function" ? most() : most;
      reads.push(limit);
      return items.slice(0, limit) as never;
    },
  };
  return { client, reads };
}

function target(id: number, { name = attribute(id).name, isNew = true } = {}) {
  return readTargetFor(userAttribute, { name, type: "string" }, { id: `${id}`, isNew });
}

async function namesOf(
  newest: ReturnType<typeof createNewestReads>,
  ...targets: readonly ReturnType<typeof target>[]
) {
  const reads = newest(targets);
  return (await Promise.all(targets.map((one) => reads.read(one)))).map(
    (found) => found?.spec["name"],
  );
}

it("finds objects of one read in as many items as they need", async () => {
  const { client, reads } = clientOf(stored);
  const newest = createNewestReads(client);
  expect(await namesOf(newest, target(100), target(99))).toEqual(["attribute_100", "attribute_99"]);
  const many = Array.from({ length: 40 }, (_, at) => target(count - at));
  expect(await namesOf(newest, ...many)).not.toContain(undefined);
  expect(reads).toEqual([limits.newestReadLeast, many.length * limits.newestRead]);
});

it("does not read the first items of a list again after they lacked a new object", async () => {
  const { client, reads } = clientOf(stored.toReversed());
  const newest = createNewestReads(client);
  expect(await namesOf(newest, target(100))).toEqual([undefined]);
  expect(await namesOf(newest, target(1))).toEqual([undefined]);
  expect(reads).toEqual([limits.newestReadLeast]);
});

it("reads the whole list if some of the objects are not new", async () => {
  const { client, reads } = clientOf(stored);
  const newest = createNewestReads(client);
  const known = target(50, { isNew: false });
  expect(await namesOf(newest, target(100), known)).toEqual([undefined, undefined]);
  expect(reads).toEqual([]);
});

it("does not take an object with the same key and another ID, nor the same ID and another key", async () => {
  const { client } = clientOf(stored);
  const another = target(100, { name: "attribute_99" });
  expect(await namesOf(createNewestReads(client), another)).toEqual([undefined]);
});

it("reads nothing for a kind whose list is not declared to have new objects first", async () => {
  const { client, reads } = clientOf(stored);
  const spec = { deployment: "production", name: "A", value: "b" };
  const variable = readTargetFor(environmentVariable, spec, { isNew: true });
  expect(await createNewestReads(client)([variable]).read(variable)).toBeUndefined();
  expect(reads).toEqual([]);
});
