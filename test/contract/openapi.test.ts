// What a server says of itself is OpenAPI 3.1, in the opinion of a validator that is not ours.
import { Validator } from "@seriousme/openapi-schema-validator";
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
