// Every operation refuses what its schemas do not allow.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { type InvalidRequest, invalidRequests } from "./invalid-requests.ts";
import { sampled, sampledPositions } from "../support/sampling.ts";
import { errorBody } from "./refused-requests.ts";
import { sampleOf } from "./sample-requests.ts";

/** Maximum number of errors for one operation in an ordinary run. An operation with many members has hundreds. */
const mostRequests = 20;

let service: ResettableService;

beforeAll(async () => {
  service = await startResettableService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

const named = (list: readonly Operation[]) =>
  list.map((operation) => [operation.id, operation] as const);

describe("the operations", () => {
  it.each(named(sampled(operations, 1, 2)))(
    "%s refuses malformed input and changes nothing",
    async (_, operation) => {
      const sample = await sampleOf(operation.id, service);
      const before = await databaseDigest(service.db);
      const all = invalidRequests(operation, sample);
      // Each operation takes other positions of the list, so that every type of error is tested many times.
      const positions = sampledPositions(all.length, mostRequests, operations.indexOf(operation));
      for (const at of positions) {
        const { title: what, ...request } = all[at - 1] as InvalidRequest;
        const answer = await service.send(operation.method, request.path, request);
        expect([what, answer.status, answer.text]).toEqual([what, 400, expect.any(String)]);
        expect(answer.body).toMatchObject(errorBody(operation, "invalid"));
      }
      expect(await databaseDigest(service.db)).toBe(before);
    },
  );
});
