// The customer's own storage: whatever the API takes for it can be wished for, within the same bounds.
import { describe, expect, it } from "vitest";
import { CustomerStorage } from "../api/deployments.ts";
import { desiredSpecSchema } from "../core/fields.ts";
import { variants, view } from "../core/schema.ts";
import { traitsOf } from "../core/traits.ts";
import { validator } from "../core/validate.ts";
import { deployment } from "./deployment.ts";
import { customerStorage } from "./deployment-storage.ts";

const members = Object.entries(CustomerStorage.properties);

describe("the customer's own storage", () => {
  it("has every member that the API has, each with its words", () => {
    expect(Object.keys(customerStorage.properties).toSorted()).toEqual(
      members.map(([name]) => name).toSorted(),
    );
    for (const part of Object.values(customerStorage.properties)) {
      expect(traitsOf(part).doc).toMatch(/^[A-Z].+\.$/);
    }
  });

  it("may have texts as long as the API takes them, and no longer", () => {
    const check = validator(desiredSpecSchema(deployment));
    for (const [name, schema] of members) {
      const [text] = variants(schema).filter((one) => view(one).type === "string");
      if (text === undefined) continue;
      const most = view(text).maxLength ?? 0;
      const wish = (length: number) => ({
        name: "production",
        region: "aws-us-east-1",
        cspsConfig: { enabled: true, storageProvider: "s3", [name]: "x".repeat(length) },
      });
      expect(check(wish(most))).toEqual([]);
      expect(check(wish(most + 1))).toHaveLength(1);
      expect(check(wish(0))).toHaveLength(1);
    }
  });
});
