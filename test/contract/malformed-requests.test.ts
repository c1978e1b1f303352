// Tests requests that are refused before their operation is known: addresses, headers, encodings, and malformed bytes.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorBody } from "./refused-requests.ts";
import { operations } from "../../api/index.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { limits } from "../../core/limits/limits.ts";
import { bodyLimit } from "../../service/http/request/body-limit.ts";
import { sampled } from "../support/sampling.ts";
import { startService, type TestService } from "../support/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => service.close());

/** Sends raw bytes, and reads the answer until the server closes the connection. */
async function sendRaw(...chunks: readonly string[]): Promise<{ status: number; body: unknown }> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let got = "";
  socket.on("data", (bytes) => (got += bytes.toString("utf8")));
  socket.on("error", () => undefined);
  for (const chunk of chunks) socket.write(chunk);
  await once(socket, "close");
  const [head = "", ...rest] = got.split("\r\n\r\n");
  const text = rest.join("\r\n\r\n");
  return {
    status: Number(head.split(" ")[1]),
    body: text.startsWith("{") ? JSON.parse(text) : text,
  };
}

const requestText = (...lines: readonly string[]): string =>
  ["GET /api/v1/regions HTTP/1.1", "connection: close", ...lines, "", ""].join("\r\n");

describe("a request's head", () => {
  it.each([
    ["two hosts", ["host: a", "host: b"]],
    ["no host", []],
    ["two credentials", ["host: a", "authorization: Bearer x", "Authorization: Bearer y"]],
    ["two types of its body", ["host: a", "content-type: a/b", "content-type: application/json"]],
    ["two lengths", ["host: a", "content-length: 1", "content-length: 2"]],
    ["a length beside chunks", ["host: a", "content-length: 1", "transfer-encoding: chunked"]],
    ["what is no header", ["host: a", "nonsense"]],
    ["a header with a bare line feed", ["host: a", "x: a\nb: c\r"]],
  ])("with %s is refused", async (_, lines) => {
    const answer = await sendRaw(requestText(...lines));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ statusCode: 400, code: "invalid" });
  });

  it("that is too large is 431, and too long an address 414", async () => {
    const large = await sendRaw(requestText("host: a", `x: ${"x".repeat(limits.headBytes)}`));
    expect(large.body).toMatchObject({ statusCode: 431, code: "head_too_large" });
    const long = await service.send("GET", `/api/v1/users?search=${"x".repeat(limits.urlBytes)}`);
    expect([long.status, long.body]).toEqual([
      414,
      expect.objectContaining({ code: "uri_too_long" }),
    ]);
  });

  it("that is not HTTP gets the usual error body", async () => {
    const answer = await sendRaw("hello\r\n\r\n");
    expect(answer.body).toMatchObject({
      statusCode: 400,
      code: "invalid",
      error: expect.any(String),
    });
  });
});

describe("a request's body", () => {
  it.each([
    ["application/json; charset=iso-8859-1", {}],
    ['application/json; charset="utf-16"', {}],
    ["application/json", { "content-encoding": "gzip" }],
    ["text/plain", {}],
  ])("of type %s with %j is 415", async (type, more) => {
    const headers = { "content-type": type, ...more };
    const answer = await service.send("POST", "/api/v1/user-groups", {
      body: { name: "x" },
      headers,
    });
    expect(answer.body).toMatchObject({ statusCode: 415, code: "unsupported_media_type" });
  });

  it.each([
    "application/json; charset=UTF-8",
    'application/json;charset="utf8"',
    "application/merge-patch+json",
  ])("of type %s is taken", async (type) => {
    const body = { name: `as ${type}` };
    const headers = { "content-type": type, "content-encoding": "identity" };
    const answer = await service.send("POST", "/api/v1/user-groups", { body, headers });
    expect(answer.status).toBe(200);
  });
});

describe("the body of an operation", () => {
  // Long bodies cost the most here, and operations of one type share a parser. Tests the first of each type, and a
  // sample.
  const sortOf = (one: Operation): string =>
    [
      one.method,
      bodyLimit(one),
      one.protocol,
      one.verbatim,
      one.multipart,
      one.permission === "public",
    ].join(" ");
  const sorts = new Map(operations.toReversed().map((one) => [sortOf(one), one]));
  const taking = operations.filter(({ method }) => method !== "GET");
  const chosen = new Set([...sorts.values(), ...sampled(taking, 5)]);
  it.each(taking.filter((one) => chosen.has(one)).map((one) => [one.id, one] as const))(
    "%s may be as long as it needs to, and is 413 beyond",
    async (_, operation) => {
      const path = operation.path.replace(/\{\w+\}/g, "1");
      const most = bodyLimit(operation);
      const [fits, large] = [most, most + 1].map((bytes) => `{"a":"${"x".repeat(bytes - 8)}"}`);
      const refused = await service.send(operation.method, path, { raw: large ?? "" });
      expect(refused.body).toMatchObject(errorBody(operation, "too_large"));
      expect(refused.text).toContain(`${most} bytes`);
      const read = await service.send(operation.method, path, { raw: fits ?? "" });
      // Bodies that are stored verbatim can have any members. So can those of SCIM, which is disabled here.
      const unsigned = operation.permission === "public" ? [401] : [];
      const disabled = operation.protocol === "scim" ? [403] : [];
      const taken =
        operation.verbatim === true ? [200, 400, 404, ...unsigned] : [400, 404, ...disabled];
      expect(taken).toContain(read.status);
    },
  );

  it.each([
    ["createUserGroup", limits.flatBodyBytes],
    ["addRecipients", limits.bodyBytes],
    ["publishDashboard", limits.bodyBytes],
    ["exchangeSession", limits.shortBodyBytes],
    ["deleteUserGroup", limits.shortBodyBytes],
  ])("%s may have %d bytes", (id, bytes) => {
    const operation = operations.find((one) => one.id === id);
    expect(operation && bodyLimit(operation)).toBe(bytes);
  });
});

describe("a request's address", () => {
  it.each([
    ["?__proto__=1", "query.__proto__"],
    ["?constructor=1", "query.constructor"],
    ["?search=%ff", "percent-encode"],
    ["?search=%", "percent-encode"],
    ["?%ff=1", "percent-encode"],
    ["?search=a%00b", "null character"],
  ])("with %s is refused with the reason", async (query, why) => {
    const answer = await service.send("GET", `/api/v1/users${query}`);
    expect(answer.body).toMatchObject({ statusCode: 400, message: expect.stringContaining(why) });
  });

  it.each([
    "/api/v1/user-groups/%ff",
    "/api/v1/user-groups/%",
    "/api/v1/embed-tenants/%c3%28/groups",
  ])("%s is refused", async (path) => {
    const answer = await service.send("GET", path);
    expect(answer.body).toMatchObject({ statusCode: 400, code: "invalid" });
  });

  it("gets all of its errors in one response", async () => {
    const path = "/api/v1/user-attributes?first=0&offset=-1&type=tall&nonsense=1";
    const { body } = await service.send("GET", path);
    const { errors } = (body as { details: { errors: { path: string }[] } }).details;
    expect(errors.map((error) => error.path).toSorted()).toEqual([
      "query.first",
      "query.nonsense",
      "query.offset",
      "query.type",
    ]);
  });
});

describe("an answer", () => {
  it("of a page without items leads to no next one", async () => {
    await service.send("POST", "/api/v1/user-attributes", { body: { name: "a", type: "string" } });
    const { body } = await service.send("GET", "/api/v1/user-attributes?limit=0");
    expect(body).toMatchObject({
      items: [],
      pageInfo: { hasNextPage: false },
      pagination: { total: 1, limit: 0 },
    });
  });

  it("that refuses names no more than a bounded number of things", async () => {
    const groups = Array.from({ length: 900 }, (_, at) => `${"missing ".repeat(10)}${at}`);
    const body = { deploymentId: 1, externalId: "v", groups };
    const answer = await service.send("POST", "/api/v1/embed/generate-session", { body });
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(4 * limits.problemMessageCharacters);
    const { details } = answer.body as { details: { missing: string[]; missingTotal: number } };
    expect([details.missing.length, details.missingTotal]).toEqual([limits.problemItems, 900]);
  });
});
