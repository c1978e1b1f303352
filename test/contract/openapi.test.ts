// Validates the OpenAPI 3.1 document of the server with an independent validator.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { surfaces } from "../../service/server/server.ts";
import { startService } from "../support/test-service.ts";

type Document = Record<string, unknown>;

const problemsOf = async (document: Document): Promise<unknown> => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  return valid ? [] : errors;
};

describe.each(surfaces)("the description of the surface %s", (surface) => {
  it("is valid, and would not be with a member that OpenAPI does not know", async () => {
    const service = await startService({ surface });
    const { body } = await service.send("GET", "/api/v1/spec");
    await service.close();
    const document = body as Document;
    expect(await problemsOf(document)).toEqual([]);
    expect(await problemsOf({ ...document, path: {} })).not.toEqual([]);
    const [path] = Object.keys(document["paths"] as object);
    const broken = { ...document, paths: { [path ?? ""]: { get: { responses: [] } } } };
    expect(await problemsOf(broken)).not.toEqual([]);
  });
});

describe("a rule that only the service checks", () => {
  /** Requests that the document refuses, by operation. The service also refuses them. */
  const refused: readonly (readonly [method: string, path: string, body: object])[] = [
    ["POST", "/api/v1/deployments/{deploymentId}/notifications/{id}/recipients", recipient({})],
    [
      "POST",
      "/api/v1/deployments/{deploymentId}/notifications/{id}/recipients",
      recipient({ userId: 1, email: "ann@example.com" }),
    ],
    [
      "POST",
      "/api/v1/deployments/{deploymentId}/notifications/{id}/recipients",
      recipient({ userId: 1, externalId: "ann" }),
    ],
    [
      "POST",
      "/api/v1/deployments/{deploymentId}/notifications/{id}/recipients",
      recipient({ type: "EMBED_USER", externalId: "ann" }),
    ],
    [
      "POST",
      "/api/v1/embed/generate-session",
      { deploymentId: 1, externalId: "a", timezone: "+1" },
    ],
    ["PUT", "/api/v1/app-config", { embedding: { timezone: "" } }],
    [
      "POST",
      "/build/api/v1/deployments/{deploymentId}/git/connect",
      { remoteUrl: "ftp://git.example.com/a.git" },
    ],
    [
      "PUT",
      "/api/v1/deployments/{deploymentId}/transform-integration",
      { repoUrl: "https://git.example.com/a b", projectRoot: "", manifestPath: "m" },
    ],
    ["POST", "/api/scim/v2/Users", {}],
    ["POST", "/api/scim/v2/Users", { userName: " ann" }],
    ["POST", "/api/scim/v2/Groups", { displayName: "system:all" }],
    ["PATCH", "/api/scim/v2/Users/{id}", { Operations: [{ op: "move", value: 1 }] }],
    ["PATCH", "/api/scim/v2/Users/{id}", { Operations: [{ op: "remove" }] }],
    ["POST", "/api/scim/v2/Bulk", { Operations: [] }],
    ["POST", "/api/scim/v2/Bulk", { Operations: [{ method: "POST", path: "/Users", data: {} }] }],
    ["POST", "/api/scim/v2/Bulk", { Operations: [{ method: "PUT" }] }],
  ];

  it("is in the description, and refused by both", async () => {
    const service = await startService();
    await service.send("PUT", "/api/v1/tenant/settings", { body: { scimEnabled: true } });
    const provisioned = await service.send("POST", "/api/scim/v2/Users", {
      body: { userName: "ann" },
    });
    const { id: userId } = provisioned.body as { id: string };
    const { body } = await service.send("GET", "/api/v1/spec");
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(body as Document, "document");
    const outcomes = [];
    for (const [method, path, sent] of refused) {
      const at = `#/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}/requestBody/content`;
      const isScim = path.startsWith("/api/scim/");
      const type = isScim ? "application~1scim+json" : "application~1json";
      const isDescribed = ajv.validate({ $ref: encodeURI(`document${at}/${type}/schema`) }, sent);
      const id = isScim ? userId : "1";
      const { status } = await service.send(method, path.replaceAll(/\{\w+\}/gu, id), {
        body: sent,
      });
      outcomes.push([method, path, sent, isDescribed, status]);
    }
    await service.close();
    expect(outcomes).toEqual(refused.map((one) => [...one, false, 400]));
  });
});

function recipient(members: object): object {
  return { recipients: [{ type: "USER", ...members }] };
}
