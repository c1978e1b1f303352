// Creates that mint a secret: whoever created the object gets it, once, and a lost answer is told as what it is.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Type } from "typebox";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient } from "../client/client.ts";
import { defineKind, observed, type Subject } from "../core/kind.ts";
import { defineOperation } from "../core/operation.ts";
import { Secret } from "../core/secret.ts";
import { field } from "../core/traits.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createReader } from "./reader.ts";
import type { Result } from "./tally.ts";

const common = {
  area: "tickets",
  path: "/api/v1/tickets",
  source: "proposed",
  access: "admin",
  scope: "account",
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
const observe = observed({
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
    mints: { name: "code", doc: "What opens the door." },
  },
  (way) => ({
    observe,
    create: [
      way.each(createTicket, ({ spec: { name } }) => ({ body: { name } }), {
        covers: ["name"],
        minted: ({ code }) => code,
      }),
    ],
    update: [
      way.each(paintTicket, ({ spec: { colour = "" } }) => ({ body: { colour } }), {
        covers: ["colour"],
      }),
    ],
    delete: [],
  }),
);

let made: { id: number; name: string }[];
let drops: boolean;
let stop: () => Promise<void>;
let create: (...subjects: Subject[]) => Promise<readonly Result[]>;

beforeEach(async () => {
  [made, drops] = [[], false];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (request.method === "PUT") return void response.writeHead(409).end("{}");
      const row = { id: made.length + 1, name: "" };
      if (request.method === "POST") {
        made.push(Object.assign(row, JSON.parse(text)));
        if (drops) return void response.destroy();
      }
      const body = request.method === "POST" ? { ...row, code: `sesame-${row.id}` } : made;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ url, credential: new Secret("sk-x"), attempts: 1 });
  const reader = createReader(client.reader);
  const lifecycle = createLifecycle({
    client,
    offer: { has: () => true, takesKey: () => false },
    reader,
  });
  create = (...subjects) => lifecycle.create(ticket, subjects);
  stop = async () => {
    await client.close();
    server.close();
  };
});
afterEach(() => stop());

const wish = (name: string, more: object = {}): Subject => ({
  spec: { name, ...more },
  live: undefined,
  changed: new Set(["name", ...Object.keys(more)]),
});
const secretOf = (result: Result | undefined) => result?.minted?.reveal();

it("gives each its own secret, which no text shows", async () => {
  const results = await create(wish("a"), wish("b"));
  expect(new Set(results.map(secretOf))).toEqual(new Set(["sesame-1", "sesame-2"]));
  expect(JSON.stringify(results)).not.toContain("sesame");
});

it("gives it also where what follows the create failed", async () => {
  const [result] = await create(wish("a", { colour: "red" }));
  expect(result).toMatchObject({ ok: false, made: true });
  expect(secretOf(result)).toBe("sesame-1");
});

it("fails where the object was made and the answer lost, although the object is there", async () => {
  drops = true;
  const [result] = await create(wish("a"));
  expect(made).toHaveLength(1);
  expect(result).toMatchObject({ ok: false, made: true, failure: { code: "unknown_outcome" } });
  expect(secretOf(result)).toBeUndefined();
});

it("cannot be declared for some of the creates only", () => {
  const half = { ...declared, key: ["name"], scope: [], examples: [] };
  expect(() =>
    defineKind(half, () => ({ observe, create: ticket.life.create, update: [], delete: [] })),
  ).toThrow("mints a secret in some of its creates only");
});
