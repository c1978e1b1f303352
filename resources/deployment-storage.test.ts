// Customer-provided storage: specs accept the fields of the API, within the same limits.
import { describe, expect, it } from "vitest";
import { CustomerStorage } from "../api/deployments.ts";
import { desiredSpecSchema } from "../core/kind/fields.ts";
import { variants, view } from "../core/schema/schema.ts";
import { traitsOf } from "../core/schema/traits.ts";
import { validator } from "../core/schema/validate.ts";
import { deployment } from "./deployment.ts";
import { customerStorage } from "./deployment-storage.ts";

const members = Object.entries(CustomerStorage.properties);

describe("customer-provided storage", () => {
  it("has every field of the API, with a description", () => {
    expect(Object.keys(customerStorage.properties).toSorted()).toEqual(
      members.map(([name]) => name).toSorted(),
    );
    for (const part of Object.values(customerStorage.properties)) {
      expect(traitsOf(part).doc).toMatch(/^[A-Z].+\.$/);
    }
  });

  it("has the maximum lengths of the API", () => {
    const check = validator(desiredSpecSchema(deployment));
    for (const [name, schema] of members) {
      const [text] = variants(schema).filter((one) => view(one).type === "string");
      if (text === undefined) continue;
      const most = view(text).maxLength ?? 0;
      const specOf = (length: number) => ({
        name: "production",
        region: "aws-us-east-1",
        cspsConfig: { enabled: true, storageProvider: "s3", [name]: "x".repeat(length) },
      });
      expect(check(specOf(most))).toEqual([]);
      expect(check(specOf(most + 1))).toHaveLength(1);
      expect(check(specOf(0))).toHaveLength(1);
    }
  });
});
