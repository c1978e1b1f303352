// Lifecycle and reader with throw-away kinds against a real server that can be made to fail.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../client/client.ts";
import type { Offer } from "../client/offer.ts";
import type { Client } from "../client/types.ts";
import { Failure } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { defineKind, type Given, type Kind, observed, type Subject } from "../core/kind.ts";
import { defineOperation, type Operation } from "../core/operation.ts";
import { Secret } from "../core/secret.ts";
import { field } from "../core/traits.ts";
import { createLifecycle, estimate, type Lifecycle } from "./lifecycle.ts";
import { observe } from "./observe.ts";
import { createReader, type SharedReader } from "./reader.ts";
import type { Result } from "./tally.ts";

const common = { area: "widgets", source: "proposed", access: "admin", scope: "account" } as const;
const shelfPath = Type.Object({ shelf: Type.String() });
const widgetPath = Type.Object({ shelf: Type.String(), id: Type.Integer() });
const Widget = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  size: Type.Optional(Type.Integer()),
  colour: Type.Optional(Type.String()),
});
const base = "/api/v1/shelves/{shelf}/widgets";
const read = { ...common, method: "GET", effect: "read" } as const;
const write = { ...common, effect: "write" } as const;

const listWidgets = defineOperation({
  ...read,
  id: "listWidgets",
  path: base,
  summary: "List widgets",
  params: shelfPath,
  answer: Widget,
  list: "cursor",
});
const listMakers = defineOperation({
  ...read,
  area: "makers",
  id: "listMakers",
  path: "/api/v1/makers",
  summary: "List makers",
  answer: Type.Object({ id: Type.Integer() }),
  list: "array",
});
const getWidget = defineOperation({
  ...read,
  id: "getWidget",
  path: `${base}/{id}`,
  summary: "Get a widget",
  params: widgetPath,
  answer: Widget,
});
const createWidget = defineOperation({
  ...write,
  id: "createWidget",
  method: "POST",
  path: base,
  summary: "Create a widget",
  params: shelfPath,
  body: Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }),
  answer: Widget,
});
const defineWidgets = defineOperation({
  ...write,
  id: "defineWidgets",
  method: "POST",
  path: "/api/v1/definitions",
  summary: "Define widgets",
  repeatable: true,
  body: Type.Object({
    shelf: Type.String(),
    maker: Type.Integer(),
    widgets: Type.Array(Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) })),
  }),
});
const resizeWidget = defineOperation({
  ...write,
  id: "resizeWidget",
  method: "PATCH",
  path: `${base}/{id}`,
  summary: "Resize a widget",
  params: widgetPath,
  body: Type.Object({ size: Type.Union([Type.Integer(), Type.Null()]) }),
  answer: Widget,
});
const paintWidget = defineOperation({
  ...write,
  id: "paintWidget",
  method: "PUT",
  path: `${base}/{id}/colour`,
  summary: "Paint a widget",
  params: widgetPath,
  body: Type.Object({ colour: Type.String() }),
  answer: Widget,
});
const deleteWidget = defineOperation({
  ...write,
  id: "deleteWidget",
  method: "DELETE",
  path: `${base}/{id}`,
  summary: "Delete a widget",
  params: widgetPath,
});

const maker: Given<number> = {
  operation: listMakers,
  read: async (reader) => (await reader.all(listMakers, {}))[0]?.id,
  missing: "defining widgets needs a maker: create one first",
};

const Spec = Type.Object({
  shelf: field(Type.String(), { doc: "Shelf." }),
  name: field(Type.String(), { doc: "Name." }),
  size: Type.Optional(field(Type.Integer(), { doc: "Size.", whenOmitted: "clear" })),
  colour: Type.Optional(field(Type.String(), { doc: "Colour." })),
});

function kindOf(definedInBulk: boolean): Kind {
  return defineKind(
    {
      name: "Widget",
      plural: "widgets",
      doc: "A widget.",
      shape: "item",
      key: ["shelf", "name"],
      scope: ["shelf"],
      spec: Spec,
      status: Type.Object({ id: Type.Integer() }),
      examples: [],
    },
    (way) => {
      const at = ({
        spec,
        live,
      }: {
        spec: { shelf: string };
        live: { id: string | undefined } | undefined;
      }) => ({
        params: { shelf: spec.shelf, id: Number(live?.id) },
      });
      return {
        observe: observed({
          cost: "perParent",
          needs: [listWidgets],
          read: async (reader, scope) => {
            const shelf = scope["shelf"] ?? "";
            const items = await reader.all(listWidgets, { params: { shelf } });
            return items.map(({ id, ...spec }) => ({
              id: String(id),
              spec: { shelf, ...spec },
              status: { id },
            }));
          },
        }),
        create: [
          definedInBulk
            ? way.together(
                defineWidgets,
                { by: ["shelf"], max: 8, given: maker, covers: ["shelf", "name", "size"] },
                (subjects, fact) => ({
                  body: {
                    shelf: subjects[0]?.spec.shelf ?? "",
                    maker: fact,
                    widgets: subjects.map(({ spec: { name, size } }) =>
                      size === undefined ? { name } : { name, size },
                    ),
                  },
                }),
              )
            : way.each(
                createWidget,
                ({ spec: { shelf, name, size } }) => ({
                  params: { shelf },
                  body: size === undefined ? { name } : { name, size },
                }),
                { covers: ["shelf", "name", "size"] },
              ),
        ],
        update: [
          way.each(resizeWidget, (one) => ({ ...at(one), body: { size: one.spec.size ?? null } }), {
            covers: ["size"],
          }),
          way.each(
            paintWidget,
            (one) => ({ ...at(one), body: { colour: one.spec.colour ?? "" } }),
            {
              covers: ["colour"],
            },
          ),
        ],
        delete: [way.each(deleteWidget, at)],
      };
    },
  );
}

const single = kindOf(false);
const bulk = kindOf(true);

interface Row {
  readonly id: number;
  readonly shelf: string;
  readonly name: string;
  size?: number | null;
  colour?: string;
}

/** What the next requests meet: a status answered instead of the work, or after it. */
type Fault = (method: string, path: string) => "drop" | "drop-after" | number | undefined;

let rows: Row[];
let makers: { id: number }[];
let calls: string[];
let fault: Fault;
let client: Client;
let reader: SharedReader;
let lifecycle: Lifecycle;
let stop: () => Promise<void>;
const everything: Offer = { has: () => true, takesKey: () => false };
const lacking = (...operations: Operation[]): Offer => ({
  has: ({ path, method }) => !operations.some((one) => one.path === path && one.method === method),
  takesKey: () => false,
});

beforeEach(async () => {
  [rows, makers, calls, fault] = [[], [{ id: 7 }], [], () => undefined];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const path = url.split("?")[0] ?? "";
      calls.push(`${method} ${path}`);
      const met = fault(method, path);
      if (met === "drop") return void response.destroy();
      if (typeof met === "number") return answer(response, met, { error: "refused" });
      const [status, body] = work(
        method,
        path,
        text === "" ? {} : (JSON.parse(text) as JsonObject),
      );
      if (met === "drop-after") return void response.destroy();
      answer(response, status, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createClient({ url, credential: new Secret("sk-x"), attempts: 2 });
  reader = createReader(client.reader);
  lifecycle = createLifecycle({ client, offer: everything, reader });
  stop = async () => {
    await client.close();
    server.close();
  };
});

afterEach(() => stop());

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(status === 204 ? undefined : JSON.stringify(body));
}

function work(method: string, path: string, body: JsonObject): [number, unknown] {
  if (path.endsWith("/makers")) return [200, makers];
  if (path.endsWith("/definitions")) return define(body);
  const [, shelf = "", id] = /shelves\/([^/]+)\/widgets\/?(\d+)?/.exec(path) ?? [];
  const row = rows.find((one) => one.id === Number(id) && one.shelf === shelf);
  if (id === undefined) return method === "GET" ? list(shelf) : make(shelf, body);
  if (row === undefined) return [404, { error: "no such widget" }];
  if (method === "DELETE") rows = rows.filter((one) => one !== row);
  else Object.assign(row, body);
  return method === "DELETE" ? [204, undefined] : [200, shown(row)];
}

function list(shelf: string): [number, unknown] {
  if (shelf === "gone") return [404, { error: "no such shelf" }];
  const items = rows.filter((row) => row.shelf === shelf).map(shown);
  return [200, { items, pageInfo: { hasNextPage: false, hasPreviousPage: false } }];
}

function make(shelf: string, body: JsonObject): [number, unknown] {
  if (rows.some((row) => row.shelf === shelf && row.name === body["name"])) {
    return [409, { error: "the name is taken" }];
  }
  const row = { id: rows.length + 1, shelf, ...body } as Row;
  rows.push(row);
  return [200, shown(row)];
}

function define({ shelf, widgets }: JsonObject): [number, unknown] {
  const wanted = widgets as readonly { readonly name: string }[];
  if (wanted.some(({ name }) => name.startsWith("bad"))) return [400, { error: "a bad name" }];
  for (const widget of wanted) make(shelf as string, widget);
  return [204, undefined];
}

function shown({ shelf: _, size, ...row }: Row): unknown {
  return size === null || size === undefined ? row : { ...row, size };
}

function subject(spec: JsonObject, live?: Row): Subject {
  return {
    spec,
    live: live && { id: String(live.id), spec: {}, status: {} },
    changed: new Set(Object.keys(spec)),
  };
}

function wish(name: string, more: JsonObject = {}): Subject {
  return subject({ shelf: "a", name, ...more });
}

function codes(results: readonly Result[]): string[] {
  return results.map((result) => (result.ok ? "ok" : result.failure.code));
}

function writes(): string[] {
  return calls.filter((call) => !call.startsWith("GET"));
}

describe("creating", () => {
  it("makes each object, and sets on what it then sees what the create could not", async () => {
    const told: number[] = [];
    const results = await lifecycle.create(
      single,
      [
        wish("x", { colour: "red" }),
        wish("y", { size: 2 }),
        wish("z", { colour: "blue", size: 3 }),
      ],
      { onResult: (index) => told.push(index) },
    );
    expect(codes(results)).toEqual(["ok", "ok", "ok"]);
    expect(told[0]).toBe(1);
    expect(new Set(told)).toEqual(new Set([0, 1, 2]));
    expect(rows).toMatchObject([
      { name: "x", colour: "red" },
      { name: "y", size: 2 },
      { name: "z", size: 3, colour: "blue" },
    ]);
    expect(calls).toHaveLength(3 + 1 + 2);
  });

  it("shares calls as the way says, and reads the fact once a run", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
    const subjects = [...names.map((name) => wish(name)), subject({ shelf: "b", name: "other" })];
    expect(codes(await lifecycle.create(bulk, subjects)).every((code) => code === "ok")).toBe(true);
    await lifecycle.create(bulk, [wish("later")]);
    expect(rows).toHaveLength(22);
    expect(writes()).toHaveLength(3 + 1 + 1);
    expect(calls.filter((call) => call === "GET /api/v1/makers")).toHaveLength(1);
  });

  it("keeps one bad object from failing its neighbours", async () => {
    const subjects = ["a", "b", "bad", "c", "d", "e", "f", "g"].map((name) => wish(name));
    const results = await lifecycle.create(bulk, subjects);
    expect(codes(results)).toEqual(["ok", "ok", "invalid", "ok", "ok", "ok", "ok", "ok"]);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  });

  it("tells a fact that is missing, and asks for it again later", async () => {
    makers = [];
    const [result] = await lifecycle.create(bulk, [wish("x")]);
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "not_offered", message: `${maker.missing}.` },
    });
    makers = [{ id: 1 }];
    expect(codes(await lifecycle.create(bulk, [wish("x")]))).toEqual(["ok"]);
  });

  it("leaves a taken name to the caller", async () => {
    await lifecycle.create(single, [wish("x")]);
    expect(codes(await lifecycle.create(single, [wish("x"), wish("y")]))).toEqual([
      "conflict",
      "ok",
    ]);
  });

  it("looks up what became of a create whose answer was lost, and never makes it twice", async () => {
    fault = (method) => (method === "POST" ? "drop-after" : undefined);
    const made = await lifecycle.create(single, [wish("x"), wish("y", { colour: "red" })]);
    expect(codes(made)).toEqual(["ok", "ok"]);
    expect(rows).toMatchObject([{ name: "x" }, { name: "y", colour: "red" }]);
    fault = (method) => (method === "POST" ? "drop" : undefined);
    expect(codes(await lifecycle.create(single, [wish("z")]))).toEqual(["unknown_outcome"]);
    expect(rows).toHaveLength(2);
  });

  it("says what it does not know when it cannot look it up either", async () => {
    fault = (method) => (method === "POST" ? "drop-after" : 403);
    expect(codes(await lifecycle.create(single, [wish("x")]))).toEqual(["unknown_outcome"]);
  });

  it("fails for what the server cannot do, before writing anything", async () => {
    const without = createLifecycle({ client, offer: lacking(paintWidget), reader });
    const results = await without.create(single, [wish("x", { colour: "red" }), wish("y")]);
    expect(codes(results)).toEqual(["not_offered", "ok"]);
    const none = createLifecycle({ client, offer: lacking(createWidget), reader });
    const [result] = await none.create(single, [wish("z")]);
    expect(result).toMatchObject({
      failure: { message: `Cannot create Widget: this server does not offer POST ${base}.` },
    });
    expect(rows.map(({ name }) => name)).toEqual(["y"]);
  });

  it("stops between calls, and calls no more once nobody is let in", async () => {
    const stopping = new AbortController();
    const subjects = Array.from({ length: 40 }, (_, index) => wish(`w${index}`));
    const results = await lifecycle.create(single, subjects, {
      signal: stopping.signal,
      onResult: () => stopping.abort(),
    });
    const done = codes(results).filter((code) => code === "ok").length;
    expect(done).toBe(rows.length);
    expect(done).toBeLessThanOrEqual(2 * client.concurrency);
    expect(new Set(codes(results))).toEqual(new Set(["ok", "aborted"]));

    calls = [];
    fault = () => 401;
    const another = createLifecycle({ client, offer: everything, reader });
    const locked = await another.create(single, subjects);
    expect(new Set(codes(locked))).toEqual(new Set(["unauthenticated", "aborted"]));
    expect(calls.length).toBeLessThanOrEqual(client.concurrency);
    calls = [];
    expect(codes(await another.create(bulk, subjects))).toEqual(subjects.map(() => "aborted"));
    expect(calls).toEqual([]);
  });

  it("lets a fault of the program through", async () => {
    const broken: Kind = {
      ...single,
      life: {
        ...single.life,
        create: single.life.create.map((way) => ({
          ...way,
          input: () => {
            throw new TypeError("a bug");
          },
        })),
      },
    };
    await expect(lifecycle.create(broken, [wish("x"), wish("y")])).rejects.toThrow("a bug");
    expect(calls).toEqual([]);
  });
});

describe("updating and deleting", () => {
  beforeEach(async () => {
    await lifecycle.create(single, [wish("x", { size: 1 }), wish("y")]);
    calls = [];
  });

  const changed = (name: string, spec: JsonObject, fields: string[]): Subject => ({
    ...subject(
      { shelf: "a", name, ...spec },
      rows.find((row) => row.name === name),
    ),
    changed: new Set(fields),
  });

  it("writes with every way that is needed and with no other", async () => {
    const results = await lifecycle.update(single, [
      changed("x", { size: null, colour: "red" }, ["size", "colour"]),
      changed("y", { colour: "blue" }, ["colour"]),
      changed("y", {}, []),
    ]);
    expect(codes(results)).toEqual(["ok", "ok", "ok"]);
    expect(rows).toMatchObject([{ size: null, colour: "red" }, { colour: "blue" }]);
    expect(calls.filter((call) => call.startsWith("PATCH"))).toHaveLength(1);
    expect(calls).toHaveLength(3);
  });

  it("goes on with nothing of an object whose first write failed", async () => {
    fault = (method) => (method === "PATCH" ? 403 : undefined);
    const results = await lifecycle.update(single, [
      changed("x", { size: 9, colour: "red" }, ["size", "colour"]),
      changed("y", { colour: "blue" }, ["colour"]),
    ]);
    expect(codes(results)).toEqual(["forbidden", "ok"]);
    expect(rows[0]).not.toHaveProperty("colour");
  });

  it("tells which fields this server cannot change", async () => {
    const without = createLifecycle({ client, offer: lacking(paintWidget), reader });
    const [result] = await without.update(single, [changed("x", { colour: "red" }, ["colour"])]);
    expect(result).toMatchObject({
      failure: {
        code: "not_offered",
        message: `This server cannot set colour of Widget. It would take PUT ${base}/{id}/colour.`,
      },
    });
  });

  it("takes what is gone already for deleted", async () => {
    const subjects = rows.map((row) => subject({ shelf: "a", name: row.name }, row));
    rows = rows.slice(1);
    expect(codes(await lifecycle.delete(single, subjects))).toEqual(["ok", "ok"]);
    expect(rows).toEqual([]);
  });

  it("leaves an update of what is gone to the caller", async () => {
    const subjects = [changed("x", { size: 3 }, ["size"])];
    rows = [];
    expect(codes(await lifecycle.update(single, subjects))).toEqual(["not_found"]);
  });
});

describe("an estimate", () => {
  it("counts what carrying out then calls", async () => {
    const create = [
      wish("x", { colour: "red" }),
      wish("y"),
      subject({ shelf: "b", name: "z", colour: "blue" }),
    ];
    const many = Array.from({ length: 20 }, (_, index) => wish(`w${index}`));
    const tasks = [
      { kind: single, verb: "create", subjects: create },
      { kind: bulk, verb: "create", subjects: many },
    ] as const;
    const cost = estimate(everything, tasks);
    expect(calls).toEqual([]);
    for (const { kind, subjects } of tasks) await lifecycle.create(kind, subjects);
    expect(cost).toEqual({ readCalls: 2 + 1, writeCalls: 3 + 2 + 3 });
    expect(writes()).toHaveLength(cost.writeCalls);
    expect(calls.length - writes().length).toBe(cost.readCalls);
  });

  it("counts nothing for what cannot be carried out", () => {
    const tasks = [{ kind: bulk, verb: "create", subjects: [wish("x")] }] as const;
    expect(estimate(lacking(listMakers), tasks)).toEqual({ readCalls: 0, writeCalls: 0 });
  });
});

describe("the reader", () => {
  it("asks once, shares the answer with whoever asks meanwhile, and forgets when told", async () => {
    const ask = () => reader.all(listWidgets, { params: { shelf: "a" } });
    await Promise.all([ask(), ask(), reader.all(listWidgets, { params: { shelf: "b" } })]);
    await ask();
    expect(calls).toHaveLength(2);
    reader.invalidate([listMakers]);
    await ask();
    expect(calls).toHaveLength(2);
    reader.invalidate([listWidgets]);
    await ask();
    expect(calls).toHaveLength(3);
  });

  it("finds nothing under a parent that is not there, and no object that is not there", async () => {
    expect(await reader.all(listWidgets, { params: { shelf: "gone" } })).toEqual([]);
    expect(await reader.one(getWidget, { params: { shelf: "a", id: 9 } })).toBeUndefined();
    fault = () => 404;
    await expect(reader.all(listMakers, {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("keeps no failure", async () => {
    fault = () => 403;
    await expect(reader.all(listMakers, {})).rejects.toBeInstanceOf(Failure);
    fault = () => undefined;
    expect(await reader.all(listMakers, {})).toEqual([{ id: 7 }]);
  });

  it("is taken by type for reading only", () => {
    const input = { params: { shelf: "a" }, body: { name: "x" } };
    // @ts-expect-error a writing operation does not fit
    const wrongly = (): unknown => reader.one(createWidget, input);
    expect(wrongly).toBeTypeOf("function");
  });
});

describe("observing", () => {
  const interest = new Set<string>();

  it("sees the collections by key and by id", async () => {
    rows = [
      { id: 1, shelf: "a", name: "x" },
      { id: 2, shelf: "b", name: "x" },
    ];
    const scopes = [{ shelf: "a" }, { shelf: "b" }, { shelf: "gone" }];
    const seen = await observe(single, scopes, { reader, interest });
    expect([...seen.byKey.keys()].toSorted()).toEqual(["a/x", "b/x"]);
    expect(seen.byId.get("2")?.spec).toEqual({ shelf: "b", name: "x" });
    expect(seen.ambiguous.size).toBe(0);
  });

  it("tells two objects of one key with their ids, and takes one that is listed twice for one", async () => {
    rows = [
      { id: 1, shelf: "a", name: "x" },
      { id: 2, shelf: "a", name: "x" },
      { id: 3, shelf: "a", name: "x" },
      { id: 4, shelf: "a", name: "y" },
      { id: 4, shelf: "a", name: "y" },
    ];
    const seen = await observe(single, [{ shelf: "a" }], { reader, interest });
    expect([...seen.byKey.keys()]).toEqual(["a/y"]);
    expect([...seen.ambiguous]).toEqual([["a/x", ["1", "2", "3"]]]);
  });

  it("stops when told to, and does not take a failure for an empty world", async () => {
    const stopped = observe(single, [{ shelf: "a" }], {
      reader,
      interest,
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    fault = () => 403;
    const refused = observe(single, [{ shelf: "a" }], { reader, interest });
    await expect(refused).rejects.toMatchObject({ code: "forbidden" });
  });
});
