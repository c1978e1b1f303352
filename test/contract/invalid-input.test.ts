// Every operation refuses what its schemas do not allow.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { invalidRequests } from "./invalid-requests.ts";
import { errorBody } from "./refused-requests.ts";
import { sampleOf } from "./sample-requests.ts";

let service: ResettableService;

beforeAll(async () => {
  service = await startResettableService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

const named = (list: readonly Operation[]) =>
  list.map((operation) => [operation.id, operation] as const);

describe("the operations", () => {
  it.each(named(operations))(
    "%s refuses malformed input and changes nothing",
    async (_, operation) => {
      const sample = await sampleOf(operation.id, service);
      const before = await databaseDigest(service.db);
      for (const { title: what, ...request } of invalidRequests(operation, sample)) {
        const answer = await service.send(operation.method, request.path, request);
        expect([what, answer.status, answer.text]).toEqual([what, 400, expect.any(String)]);
        expect(answer.body).toMatchObject(errorBody(operation, "invalid"));
      }
      expect(await databaseDigest(service.db)).toBe(before);
    },
  );
});
