// Creates that generate a secret: the caller gets it once, and a lost response is reported as an unknown outcome.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../client/client.ts";
import { defineKind, defineObserve, type Kind, type ObjectWrite } from "../core/kind/kind.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { Secret } from "../core/secret.ts";
import { field } from "../core/schema/traits.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createCachedReader } from "./reader.ts";
import type { Result } from "./results.ts";

const common = {
  area: "tickets",
  path: "/api/v1/tickets",
  source: "proposed",
  permission: { action: "All", scope: "account" },
} as const;
const Ticket = Type.Object({ id: Type.Integer(), name: Type.String() });
const listTickets = defineOperation({
  ...common,
  id: "listTickets",
  method: "GET",
  summary: "List tickets",
  effect: "read",
  answer: Ticket,
  list: "array",
});
const createTicket = defineOperation({
  ...common,
  id: "createTicket",
  method: "POST",
  summary: "Make a ticket",
  effect: "write",
  body: Type.Object({ name: Type.String() }),
  answer: Type.Object({ ...Ticket.properties, code: Type.String() }),
});
const paintTicket = defineOperation({
  ...common,
  id: "paintTicket",
  method: "PUT",
  summary: "Paint a ticket",
  effect: "write",
  body: Type.Object({ colour: Type.String() }),
});

const spec = Type.Object({
  name: field(Type.String(), { doc: "Name." }),
  colour: Type.Optional(field(Type.String(), { doc: "Colour." })),
});

const declared = {
  name: "Ticket",
  plural: "tickets",
  doc: "A ticket.",
  shape: "item",
  key: ["name"],
  scope: [],
  spec,
  status: Type.Object({}),
  examples: [],
} as const;
const observe = defineObserve({
  cost: "list",
  needs: [listTickets],
  read: async (reader) =>
    (await reader.all(listTickets, {})).map(({ id, name }) => ({
      id: String(id),
      spec: { name },
      status: {},
    })),
});
const ticket = defineKind(
  {
    ...declared,
    key: ["name"],
    scope: [],
    examples: [],
    generatedSecret: { name: "code", doc: "What opens the door." },
  },
  (binding) => ({
    observe,
    create: [
      binding.perObject(createTicket, ({ spec: { name } }) => ({ body: { name } }), {
        covers: ["name"],
        extractSecret: ({ code }) => code,
      }),
    ],
    update: [
      binding.perObject(paintTicket, ({ spec: { colour = "" } }) => ({ body: { colour } }), {
        covers: ["colour"],
      }),
    ],
    delete: [],
  }),
);

let createdTickets: { id: number; name: string }[];
let dropsAnswers: boolean;
let stop: () => Promise<void>;
let lifecycle: Lifecycle;
let create: (...subjects: ObjectWrite[]) => Promise<readonly Result[]>;

beforeEach(async () => {
  [createdTickets, dropsAnswers] = [[], false];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (request.method === "PUT") return void response.writeHead(409).end("{}");
      const row = { id: createdTickets.length + 1, name: "" };
      if (request.method === "POST") {
        createdTickets.push(Object.assign(row, JSON.parse(text)));
        if (dropsAnswers) return void response.destroy();
      }
      const body =
        request.method === "POST" ? { ...row, code: `sesame-${row.id}` } : createdTickets;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, credential: new Secret("sk-x"), attempts: 1 });
  const reader = createCachedReader(client.reader);
  lifecycle = createLifecycle({
    client,
    discovery: { has: () => true, takesIdempotencyKey: () => false, takesQuery: () => false },
    reader,
  });
  create = (...subjects) => lifecycle.create(ticket, subjects);
  stop = async () => {
    await client.close();
    server.close();
  };
});
afterEach(() => stop());

const ticketWrite = (name: string, more: object = {}): ObjectWrite => ({
  spec: { name, ...more },
  live: undefined,
  changed: new Set(["name", ...Object.keys(more)]),
});
const secretOf = (result: Result | undefined) => result?.generatedSecret?.reveal();

it("returns a secret for each object, which no text shows", async () => {
  const results = await create(ticketWrite("a"), ticketWrite("b"));
  expect(new Set(results.map(secretOf))).toEqual(new Set(["sesame-1", "sesame-2"]));
  expect(JSON.stringify(results)).not.toContain("sesame");
});

it("returns the secret when the update after the create fails", async () => {
  const [result] = await create(ticketWrite("a", { colour: "red" }));
  expect(result).toMatchObject({ ok: false, created: true });
  expect(secretOf(result)).toBe("sesame-1");
});

it("fails when the response of a create is lost, although the object exists", async () => {
  dropsAnswers = true;
  const [result] = await create(ticketWrite("a"));
  expect(createdTickets).toHaveLength(1);
  expect(result).toMatchObject({ ok: false, created: true, failure: { code: "unknown_outcome" } });
  expect(secretOf(result)).toBeUndefined();
});

describe("a create that the server refuses if its object exists, and whose response is lost", () => {
  const refusing: Kind = {
    ...ticket,
    bindings: {
      ...ticket.bindings,
      create: ticket.bindings.create.map((one) => ({ ...one, refusesExisting: true })),
    },
  };
  const rotation = () => "rotate a";

  it.each([
    ["is to be deleted if it is ours", undefined, /^If it is yours, its code is lost: delete it/u],
    [
      "can be rotated if it is ours",
      rotation,
      /^If it is yours, .*adopt or import it.*`rotate a`/u,
    ],
  ])("leaves an object that %s", async (_, rotate, remedy) => {
    const generatedSecret = {
      name: "code",
      doc: "What opens the door.",
      ...(rotate && { rotation: rotate }),
    };
    dropsAnswers = true;
    const [result] = await lifecycle.create({ ...refusing, generatedSecret }, [ticketWrite("a")]);
    expect(result).toMatchObject({
      created: false,
      isOwnerUncertain: true,
      failure: {
        code: "conflict",
        message: expect.stringContaining("The object exists now, and may belong to another client"),
        remedy: expect.stringMatching(remedy),
      },
    });
    expect(result?.ok === false && result.failure.remedy).toMatch(/choose another name\.$/u);
  });
});

it("must be declared for every create", () => {
  const half = { ...declared, key: ["name"], scope: [], examples: [] };
  expect(() =>
    defineKind(half, () => ({ observe, create: ticket.bindings.create, update: [], delete: [] })),
  ).toThrow("must extract its generated secret in every create binding");
});
