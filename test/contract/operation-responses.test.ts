// Tests that every operation returns what it declares, on every store.
import { afterAll, afterEach, beforeAll, expect, describe, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { handlers } from "../../service/areas/index.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampled } from "../support/sampling.ts";
import { onPostgres } from "../support/test-database.ts";
import { sampleOf, samples } from "./sample-requests.ts";

let service: ResettableService;

beforeAll(async () => {
  service = await startResettableService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

const ids = (list: readonly Operation[]): readonly string[] => list.map(({ id }) => id).toSorted();

describe("the operations", () => {
  it("each have one behaviour and one sample", () => {
    expect(ids(handlers.map(({ operation }) => operation))).toEqual(ids(operations));
    expect(Object.keys(samples).toSorted()).toEqual(ids(operations));
  });

  it.each(
    sampled(operations, 1, onPostgres ? 1 : 0).map(
      (operation) => [operation.id, operation] as const,
    ),
  )("%s succeeds as it declares, with a trailing slash too", async (id, operation) => {
    const { path: samplePath, body, headers = {} } = await sampleOf(id, service);
    const answer = await service.send(operation.method, samplePath, { body, headers });
    expect([answer.status, answer.text]).toEqual([operation.answer.status, expect.any(String)]);
    const [path, query] = samplePath.split("?");
    const slashed = `${path}/${query === undefined ? "" : `?${query}`}`;
    const again = await service.send(operation.method, slashed, { body, headers });
    expect(again.body).not.toMatchObject({ code: "unknown_route" });
  });
});
