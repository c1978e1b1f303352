// Whatever is sent to any operation: the server never fails by its own fault, and what it refuses changes nothing.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation.ts";
import { digest } from "../support/digest.ts";
import { startService, type TestService } from "../support/service.ts";
import { declared } from "./mistakes.ts";
import { samples, type Sample } from "./samples.ts";

/** Requests for each operation; more find more: `FUZZ_RUNS=2000`. */
const numRuns = Number(process.env["FUZZ_RUNS"] ?? 40);

const long = fc.integer({ min: 1, max: 20_000 }).map((length) => "x".repeat(length));
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "\u202e",
    "__proto__",
    "constructor",
    "system:x",
    "İ",
  ),
  fc.constantFrom("' or 1=1 --", "%", "_", "\\", "acme-inc", "visitor", "sellers", "1e3", "null"),
  long,
);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1, 2, 2 ** 31, 2 ** 53, Number.MAX_VALUE, 1.5),
);
const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.dictionary(text, leaf, { maxKeys: 6 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 500 }).map(nested) },
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Puts strange values in the place of some members of a valid body, or of all of it. */
function bodies(operation: Operation, sample: Sample): fc.Arbitrary<unknown> {
  if (sample.body === undefined) return fc.oneof(fc.constant(undefined), anything);
  const body = sample.body;
  const names = declared(operation);
  const changes = fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: names.length });
  const wrapped = fc.array(anything, { maxLength: 5 });
  return fc.oneof(
    { weight: 6, arbitrary: changes.map((change) => ({ ...body, ...change })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...names), wrapped)
        .map(([name, list]) => ({ ...body, [name]: list })),
    },
    { weight: 1, arbitrary: anything },
  );
}

const paths = (path: string): fc.Arbitrary<string> => {
  const [plain = "", query] = path.split("?");
  const steps = plain.split("/");
  const strange = fc
    .tuple(fc.integer({ min: 3, max: Math.max(3, steps.length - 1) }), text)
    .map(([index, value]) =>
      steps.with(Math.min(index, steps.length - 1), encode(value)).join("/"),
    );
  const asked = fc
    .dictionary(fc.constantFrom("first", "after", "offset", "limit", "search", "type", "x"), text, {
      maxKeys: 3,
    })
    .map((pairs) => Object.entries(pairs).map(([key, value]) => `${key}=${encode(value)}`));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(path) },
    { weight: 1, arbitrary: strange },
    {
      weight: 2,
      arbitrary: asked.map((pairs) =>
        `${plain}?${[query ?? "", ...pairs].join("&")}`.slice(0, 9000),
      ),
    },
  );
};

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).slice(0, 6000).replace(/%.?$/, "");
}

const headers = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        "content-type": fc.constantFrom(
          "text/plain",
          "application/json; charset=utf-16",
          "a/b",
          "",
        ),
        "x-request-id": fc.constantFrom("ok-1", "", "a b", "x".repeat(500)),
        accept: fc.constantFrom("*/*", "text/html", "x"),
        "accept-encoding": fc.constant("gzip"),
      },
      { requiredKeys: [] },
    ),
  },
);

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  "%s, whatever is sent",
  (id, operation) => {
    let service: TestService;
    let sample: Sample;

    beforeAll(async () => {
      service = await startService();
      sample = (await samples[id]?.(service)) ?? { path: operation.path };
    });
    afterAll(async () => service.close());

    it("never fails by the server's own fault, and a refusal changes nothing", async () => {
      const request = fc.record({
        path: paths(sample.path),
        body: bodies(operation, sample),
        headers,
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ path, body, headers: sent }) => {
          const before = await digest(service.db);
          const answer = await service.send(operation.method, path, { body, headers: sent });
          expect([answer.status, answer.status >= 500 ? answer.text : ""]).toEqual([
            answer.status,
            "",
          ]);
          if (answer.status >= 400) {
            expect(answer.body).toMatchObject({ statusCode: answer.status });
            expect(await digest(service.db)).toBe(before);
          }
        }),
        { numRuns },
      );
    });
  },
);
