// Models of builds by security context: none is served for another context, however requests interleave, and few are kept.
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Failure } from "../../core/errors.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { noCompileContext } from "../model/compile-context.ts";
import type { ModelCompiler } from "../model/compiler.ts";
import type { CompiledModel } from "../model/types.ts";
import { createBranchModels } from "./branch-models.ts";

type Load = ModelCompiler["load"];

/** The model of a context names the context and the build. */
const modelOf = (name: string, readsContext: boolean): CompiledModel => ({
  cubes: [],
  views: [{ name } as CompiledModel["views"][number]],
  viewGroups: [],
  readsContext,
});
const report = { valid: true, errorCount: 0, warnings: [], cubesCount: 0, preAggregations: [] };

interface Options {
  readonly readsContext?: boolean;
  readonly modelLength?: number;
  readonly until?: () => Promise<unknown>;
  readonly fails?: (context: string) => Awaited<ReturnType<Load>> | undefined;
}

function loader({
  readsContext = true,
  modelLength = 1,
  until = async () => undefined,
  fails = () => undefined,
}: Options = {}) {
  const models = createBranchModels();
  const loads: string[] = [];
  const lines: string[] = [];
  const load: Load = async ([file], context = noCompileContext) => {
    loads.push(context);
    await until();
    const name = `${file?.path ?? ""} ${context}`;
    const found = { report: { ...report, errors: [] }, model: modelOf(name, readsContext) };
    return fails(context) ?? { ...found, modelLength };
  };
  const get = async (securityContext: JsonObject | undefined, build = "1") => {
    const model = await models.get({
      key: build,
      read: async () => [{ path: build, content: "" }],
      compiler: { load },
      caller: { securityContext, isEmbedded: false },
      report: (line) => lines.push(line),
    });
    return model.views[0]?.name;
  };
  return { get, loads, lines };
}

test("a model that does not read the context is compiled once for all", async () => {
  const { get, loads } = loader({ readsContext: false });
  for (const tenant of ["a", "b"]) expect(await get({ tenant })).toBe(`1 ${noCompileContext}`);
  expect(await get({ id: 2 ** 60 })).toBe(`1 ${noCompileContext}`);
  expect(loads).toEqual([noCompileContext]);
});

/** Returns whether models may read a context, whatever they do with it. */
const isReadable = (value: unknown) => !/\d{16}|e\+|[\uFDD0-\uFDEF]/u.test(JSON.stringify(value));

test("every caller gets the model of its context and build, in any order and speed", async () => {
  const context = fc.oneof(
    fc.dictionary(
      fc.constantFrom("a", "b", "__proto__", "1"),
      fc.constantFrom(1, "1", null, [1], {}),
    ),
    fc
      .jsonValue({ maxDepth: 3 })
      .filter(isReadable)
      .map((value) => ({ value })),
  );
  const call = fc.record({ context, build: fc.constantFrom("1", "2"), ms: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
      let at = 0;
      const until = () => new Promise((resolve) => setTimeout(resolve, calls[at++]?.ms ?? 0));
      const { get } = loader({ until, modelLength: limits.contextModelsLength / 3 });
      await Promise.all(
        calls.map(async ({ context: own, build }) => {
          const securityContext = own as JsonObject;
          const text = canonical({ securityContext });
          expect(await get(securityContext, build)).toBe(`${build} ${text}`);
        }),
      );
    }),
  );
});

test("simultaneous callers with equal contexts share a compilation", async () => {
  const { get, loads } = loader();
  await Promise.all([get({ a: 1, b: 2 }), get({ b: 2, a: 1 }), get(undefined), get({})]);
  expect(loads).toEqual([noCompileContext, '{"securityContext":{"a":1,"b":2}}']);
});

test("few models are kept, those that were used last, and large ones push out more", async () => {
  const small = loader();
  for (let id = 0; id <= limits.contextModels; id++) await small.get({ id });
  small.loads.length = 0;
  await small.get({ id: limits.contextModels });
  await small.get({ id: 1 });
  expect(small.loads).toEqual([]);
  await small.get({ id: 0 });
  expect(small.loads).toHaveLength(1);
  const large = loader({ modelLength: limits.contextModelsLength / 2 });
  for (const id of [1, 2, 3, 2, 1]) await large.get({ id });
  expect(large.loads.slice(1).map((text) => /\d/u.exec(text)?.[0])).toEqual(["1", "2", "3", "1"]);
});

test("errors for a context answer its callers only, once compiled, and reach the logs", async () => {
  const errors = [{ fileName: "model/a.js", line: 3, column: 7, message: "secret is undefined" }];
  const invalid = { report: { ...report, valid: false, errors }, model: undefined, modelLength: 0 };
  const { get, loads, lines } = loader({
    fails: (context) => {
      if (context.includes("busy")) throw new Failure("unavailable", "too many");
      return context.includes("bad") ? invalid : undefined;
    },
  });
  const message = expect.stringContaining(
    "error in model/a.js:3:7; developers find it in the logs",
  );
  for (const _ of [1, 2])
    await expect(get({ t: "bad" })).rejects.toMatchObject({ code: "invalid", message });
  expect(loads).toHaveLength(2);
  expect(await get({ t: "good" })).toContain("good");
  for (const _ of [1, 2]) await expect(get({ t: "busy" })).rejects.toThrow("too many");
  expect(loads).toHaveLength(5);
  expect(lines).toEqual([
    "the data model does not compile for a security context: model/a.js:3:7: secret is undefined",
  ]);
});

test("one context of an account compiles at a time, a bounded number waits, and other accounts do not", async () => {
  const { promise: free, resolve } = Promise.withResolvers<void>();
  let running = 0;
  const models = createBranchModels();
  const accountOf = (key: string, compile: () => Promise<void>) => {
    const load: Load = async (_, context) => {
      if (context !== undefined) await compile();
      const model = modelOf(`${key} ${context}`, true);
      return { report: { ...report, errors: [] }, model, modelLength: 1 };
    };
    const files = { key, compiler: { load }, read: async () => [], report: () => undefined };
    return (id: number) =>
      models.get({ ...files, caller: { securityContext: { id }, isEmbedded: false } });
  };
  const busy = accountOf("busy", async () => {
    running++;
    await free;
    running--;
  });
  const all = Array.from({ length: limits.contextCompilesWaiting + 1 }, (_, id) => busy(id));
  await vi.waitFor(() => expect(running).toBe(1));
  await expect(busy(-1)).rejects.toMatchObject({ code: "unavailable" });
  const quiet = accountOf("quiet", async () => undefined);
  expect((await quiet(1)).views).toMatchObject([{ name: 'quiet {"securityContext":{"id":1}}' }]);
  expect(running).toBe(1);
  resolve();
  expect(await Promise.all(all)).toHaveLength(limits.contextCompilesWaiting + 1);
});
