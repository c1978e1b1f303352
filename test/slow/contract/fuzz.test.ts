// Fuzzes every operation: the server never fails with an internal error, its responses match their schemas, and refused
// requests change nothing.
import fc from "fast-check";
import { IsOptional } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../../api/index.ts";
import { statusOf } from "../../../api/problems.ts";
import type { Operation } from "../../../core/operation/operation.ts";
import { type KnownValues, propertyRuns } from "../../support/arbitrary-values.ts";
import { assertProperty, shrinkMs } from "../../support/assert-property.ts";
import { databaseDigest } from "../../support/database-digest.ts";
import { runsAllCases, sampled } from "../../support/sampling.ts";
import {
  type ResettableService,
  startResettableService,
} from "../../support/resettable-service.ts";
import type { TestResponse, TestService } from "../../support/test-service.ts";
import { fileStore, memoryStore, type TestStore } from "../../support/test-stores.ts";
import {
  variedPath,
  mutatedRequests,
  validRequests,
  type RequestVariation,
} from "../../contract/arbitrary-requests.ts";
import { sampleOf } from "../../contract/sample-requests.ts";
import type { Sample } from "../../contract/sample.ts";
import { seedFuzzData } from "../../contract/fuzz-data.ts";

/** The share of the runs of a property: three of 200. */
const share = 0.015;

/** Fewer operations if requests take longer. */
const places = [
  { store: memoryStore, every: 1 },
  { store: fileStore, every: 8 },
];

/** Operations that consume their input. */
const consumesInput = ({ method, id }: Operation): boolean =>
  method === "DELETE" || id === "exchangeSession" || id === "unlockState";

/** Operations whose work continues after the answer, so that the store changes by itself. */
const worksLater = ({ id }: Operation): boolean =>
  ["receiveGitWebhook", "receiveSyncWebhook", "startDashboardExport"].includes(id);

interface FuzzedService {
  readonly service: ResettableService;
  /** The objects in its initial state. */
  readonly known: KnownValues;
}

/** The running service on each store. A service is used for many operations. */
const services = new Map<TestStore, Promise<FuzzedService>>();

function serviceOn(store: TestStore): Promise<FuzzedService> {
  const service = services.get(store) ?? startFuzzedService(store);
  services.set(store, service);
  return service;
}

async function startFuzzedService(store: TestStore): Promise<FuzzedService> {
  let known: KnownValues = {};
  const prepare = async (started: TestService): Promise<void> => {
    known = await seedFuzzData(started);
  };
  const service = await startResettableService(prepare, {}, store);
  return { service, known };
}

afterAll(async () => {
  for (const { service } of await Promise.all(services.values())) await service.close();
});

describe.each(
  places.flatMap(({ store, every }) =>
    sampled(operations, every).map((operation) => ({
      id: operation.id,
      on: store.name,
      operation,
      store,
    })),
  ),
)("$id on $on", ({ id, operation, store }) => {
  let service: ResettableService;
  let known: KnownValues;
  let sample: Sample;
  let accepted = 0;

  const prepare = (): Promise<Sample> => sampleOf(id, service);

  const send = async (variation: RequestVariation): Promise<TestResponse> => {
    const { body, headers = {} } = variation;
    const answer = await service.send(operation.method, variedPath(sample, variation), {
      body,
      headers: { ...sample.headers, ...headers },
    });
    if (answer.status < 300 && consumesInput(operation)) sample = await prepare();
    return answer;
  };

  /** The digest of the store, valid until a request succeeds. */
  let unchanged: string | undefined;

  /** Sends a variation. A refused request must not change anything. */
  const tried = async (variation: RequestVariation): Promise<TestResponse> => {
    const before = unchanged ?? (await databaseDigest(service.db));
    unchanged = undefined;
    const answer = await send(variation);
    expectSane(operation, answer);
    if (answer.status >= 400 && !worksLater(operation)) {
      expect(await databaseDigest(service.db)).toBe(before);
      unchanged = before;
    }
    return answer;
  };

  beforeAll(async () => {
    ({ service, known } = await serviceOn(store));
    sample = await prepare();
  });
  afterAll(async () => {
    // Pending work of this operation must not affect the next one.
    if (!worksLater(operation)) return service.reset();
    services.delete(store);
    return service.close();
  });

  it(
    "accepts what its schemas allow, refuses the rest, and has no internal error",
    async () => {
      await assertProperty(
        fc.asyncProperty(validRequests(operation, sample, known), async (variation) => {
          const answer = await tried(variation);
          if (answer.status < 400) {
            accepted += 1;
            expect(answer.status).toBe(operation.answer.status);
            if (operation.repeatable && !consumesInput(operation)) {
              expect((await send(variation)).status).toBe(answer.status);
            }
          } else expectDeclared(operation, answer);
        }),
        // Sends the sample first, so that at least one request succeeds.
        { ...propertyRuns(share), examples: [[{ valid: true, body: sample.body }]] },
      );
      expect(accepted).toBeGreaterThan(0);
      await assertProperty(
        fc.asyncProperty(mutatedRequests(operation, sample, known), async (variation) => {
          await tried(variation);
        }),
        propertyRuns(share),
      );
      if (operation.effect === "write") await readAround(operation, service);
    },
    20_000 + propertyRuns().numRuns * 100 + shrinkMs,
  );
});

/** Expects no internal error of the server; the text of an error helps to find it. */
function expectSane({ protocol }: Operation, { status, text, body }: TestResponse): void {
  expect([status, status >= 500 ? text : ""]).toEqual([status, ""]);
  const named = protocol === "scim" ? { status: String(status) } : { statusCode: status };
  if (status >= 400) expect(body).toMatchObject(named);
}

/** Expects no schema error, because the schemas allow the request. A rule may name the member that it refuses. */
function expectDeclared(
  { permission, errorCodes: fails, protocol }: Operation,
  { status, body }: TestResponse,
): void {
  // SCIM has no such codes; handlers check its requests.
  if (protocol === "scim") {
    const codes = ["invalid", "forbidden", ...fails] as const;
    expect(codes.map((one) => statusOf(one))).toContain(status);
    return;
  }
  const { code, message, details } = body as {
    code: "invalid";
    message: string;
    details?: { errors?: readonly { path: string; message: string }[] };
  };
  const shared = permission === "public" ? ["invalid"] : ["invalid", "forbidden"];
  expect([...shared, ...fails]).toContain(code);
  expect(statusOf(code)).toBe(status);
  const listed = details?.errors?.map((one) => `${one.path} ${one.message}`).join("; ");
  expect(message).not.toBe(listed);
}

/** If all cases run, everything is read after each operation. */
const partsOfReaders = runsAllCases ? 1 : 12;

const readers = operations.filter(
  ({ method, params, query }) =>
    method === "GET" &&
    Object.values(query.properties).every(IsOptional) &&
    Object.keys(params.properties).every((name) => /^(?:deploymentId|embedTenantName)$/.test(name)),
);

/** Expects that the area and a part of the others can still be read as declared. Each operation checks another part. */
async function readAround(operation: Operation, service: TestService): Promise<void> {
  const part = operations.indexOf(operation) % partsOfReaders;
  const read = readers.filter(
    ({ area }, index) => area === operation.area || index % partsOfReaders === part,
  );
  for (const reader of read) {
    const url = reader.path.replace("{deploymentId}", "1").replace("{embedTenantName}", "acme-inc");
    const answer = await service.send("GET", url);
    expectSane(reader, answer);
    // SCIM is off if the request switched it off.
    const closed = reader.protocol === "scim" ? [403] : [];
    expect([200, 404, ...closed]).toContain(answer.status);
  }
}
