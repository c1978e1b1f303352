// Every operation, by the rules that all share: credentials, admin rights, scopes, input, answers.
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
const locked = operations.filter(({ access }) => access !== "anyone");

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

  it.each(named(operations.filter(({ access }) => access === "admin")))(
    "%s is for administrators",
    async (_, operation) => {
      const { on, sample } = await prepareSample(operation);
      const key = await on.key({ admin: false });
      const before = await databaseDigest(on.db);
      for (const body of [sample.body, { nonsense: 1 }]) {
        const answer = await on.send(operation.method, sample.path, { key, body });
        expect(answer.status).toBe(403);
      }
      expect(await databaseDigest(on.db)).toBe(before);
    },
  );

  it.each(named(operations.filter(({ scope }) => scope === "account")))(
    "%s is not for scoped keys",
    async (_, operation) => {
      const { on, sample } = await prepareSample(operation);
      const key = await on.key({ deploymentIds: [1] });
      const before = await databaseDigest(on.db);
      const answer = await on.send(operation.method, sample.path, { key, body: sample.body });
      expect(answer.status).toBe(403);
      expect(await databaseDigest(on.db)).toBe(before);
    },
  );

  it.each(named(operations.filter(({ scope }) => scope !== "account")))(
    "%s does for a scoped key what its scope allows",
    async (_, operation) => {
      const { on, sample } = await prepareSample(operation);
      const body = { name: "other", region: "aws-us-east-1" };
      const other = await on.send("POST", "/build/api/v1/deployments", { body });
      const { id } = other.body as { id: number };
      const [inside, outside] = [
        await on.key({ deploymentIds: [1] }),
        await on.key({ deploymentIds: [id] }),
      ];
      const before = await databaseDigest(on.db);
      if (typeof operation.scope !== "string") {
        const refused = await on.send(operation.method, sample.path, {
          key: outside,
          body: sample.body,
        });
        expect(refused.status).toBe(403);
        expect(await databaseDigest(on.db)).toBe(before);
      }
      const answer = await on.send(operation.method, sample.path, {
        key: inside,
        body: sample.body,
      });
      expect(answer.status).toBe(operation.answer.status);
    },
  );

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
