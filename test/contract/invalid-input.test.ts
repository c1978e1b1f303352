// Every operation refuses what its schemas do not allow.
import { afterEach, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { invalidRequests } from "./invalid-requests.ts";
import { samples } from "./sample-requests.ts";
import type { Sample } from "./sample.ts";

let service: TestService | undefined;

afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function prepareSample({ id }: Operation): Promise<{ on: TestService; sample: Sample }> {
  service = await startService();
  const sample = await samples[id]?.(service);
  if (!sample) throw new Error(`${id} has no sample in test/contract/samples.ts`);
  return { on: service, sample };
}

const named = (list: readonly Operation[]) =>
  list.map((operation) => [operation.id, operation] as const);

describe("the operations", () => {
  it.each(named(operations))(
    "%s refuses malformed input and changes nothing",
    async (_, operation) => {
      const { on, sample } = await prepareSample(operation);
      const before = await databaseDigest(on.db);
      for (const { title: what, ...request } of invalidRequests(operation, sample)) {
        const answer = await on.send(operation.method, request.path, request);
        expect([what, answer.status, answer.text]).toEqual([what, 400, expect.any(String)]);
        expect(answer.body).toMatchObject({ statusCode: 400, code: "invalid" });
      }
      expect(await databaseDigest(on.db)).toBe(before);
    },
  );
});
