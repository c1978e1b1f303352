// Every operation, by the rules that all share: credentials, schemes and input. Permissions have a test of their own.
import { afterEach, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation.ts";
import { databaseDigest } from "../support/database-digest.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { invalidRequests } from "./invalid-requests.ts";
import { samples, type Sample } from "./sample-requests.ts";

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
const locked = operations.filter(({ permission }) => permission !== "public");

describe("the operations", () => {
  it.each(named(locked))("%s asks for a credential before anything else", async (_, operation) => {
    const { on, sample } = await prepareSample(operation);
    const before = await databaseDigest(on.db);
    const headers = [
      "",
      "Bearer",
      "Bearer sk-unknown",
      "Basic YTpi",
      "Api-Key a b",
      "Bearer a.b.c",
    ];
    for (const authorization of [undefined, ...headers]) {
      const answer = await on.send(operation.method, sample.path, {
        key: null,
        raw: operation.body ? "{" : "",
        headers: authorization === undefined ? {} : { authorization },
      });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers["www-authenticate"]).toContain("Bearer");
    }
    expect(await databaseDigest(on.db)).toBe(before);
  });

  it.each(named(locked))("%s takes both schemes, in any case", async (_, operation) => {
    const { on, sample } = await prepareSample(operation);
    for (const scheme of ["bEARER", "api-key"]) {
      const answer = await on.send(operation.method, `${sample.path.split("?")[0]}?nonsense=1`, {
        key: null,
        body: sample.body,
        headers: { authorization: `${scheme} ${on.adminKey}` },
      });
      expect(answer.status).toBe(400);
    }
  });

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
