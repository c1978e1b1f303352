// Tests for searching an OpenAPI document.
import { describe, expect, it } from "vitest";
import { filterSpec, operationsIn } from "./openapi.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const spec = {
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  servers: [{ url: "/" }],
  security: [{ bearer: [] }],
  tags: [{ name: "left out" }],
  paths: {
    "/api/v1/ships": {
      parameters: [{ $ref: "#/components/parameters/First" }],
      get: { operationId: "listShips", summary: "List ships", responses: { "200": ref("Ships") } },
      post: { operationId: "createShip", summary: "Launch a ship", requestBody: ref("Ship") },
    },
    "/api/v1/ports": { get: { operationId: "listPorts", summary: "List ports" } },
  },
  components: {
    schemas: {
      Ships: { items: ref("Ship") },
      Ship: { properties: { sister: ref("Ship"), home: ref("Port~1Quay") } },
      "Port/Quay": { type: "string" },
      Unused: { type: "string" },
    },
    parameters: { First: { name: "first", in: "query" } },
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
  },
};

describe("operations that match a text", () => {
  it.each([
    ["GET /api", ["GET /api/v1/ships", "GET /api/v1/ports"]],
    ["SHIPS", ["GET /api/v1/ships", "POST /api/v1/ships"]],
    ["launch", ["POST /api/v1/ships"]],
    ["listports", ["GET /api/v1/ports"]],
    ["delete", []],
    [undefined, ["GET /api/v1/ships", "POST /api/v1/ships", "GET /api/v1/ports"]],
  ])("%s", (pattern, expected) => {
    const found = operationsIn(spec, pattern).map(({ method, path }) => `${method} ${path}`);
    expect(found).toEqual(expected);
  });

  it("is empty for other documents", () => {
    expect(operationsIn({ paths: [1], components: null })).toEqual([]);
  });
});

describe("part of an OpenAPI document", () => {
  const part = filterSpec(spec, operationsIn(spec, "listShips"));

  it("keeps info and security schemes", () => {
    const { openapi, info, servers, security } = spec;
    expect(part).toMatchObject({ openapi, info, servers, security });
    expect(part["tags"]).toBeUndefined();
    expect(part["components"]).toMatchObject({
      securitySchemes: spec.components.securitySchemes,
    });
  });

  it("contains only the selected operations, with the parameters of their path", () => {
    const { parameters, get } = spec.paths["/api/v1/ships"];
    expect(part["paths"]).toEqual({ "/api/v1/ships": { parameters, get } });
  });

  it("contains the referenced components, also in cycles", () => {
    const { Unused: _, ...schemas } = spec.components.schemas;
    const { parameters, securitySchemes } = spec.components;
    expect(part["components"]).toEqual({ schemas, parameters, securitySchemes });
  });
});
