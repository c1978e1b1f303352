// Validation of external IDs: a plan rejects what the service would change or reject.
import { describe, expect, it } from "vitest";
import { desiredSpecSchema } from "../core/kind/fields.ts";
import { validator } from "../core/schema/validate.ts";
import { embedUser } from "./embed-user.ts";

function isAllowed(externalId: string): boolean {
  const check = validator(desiredSpecSchema(embedUser));
  return check({ embedTenant: "acme", externalId }).length === 0;
}

describe("an external id", () => {
  it.each(["jane", "jane.doe@acme.example", "ärger", "δοκιμή", "жук", "日本", "a b", "ß"])(
    "may be %s",
    (id) => {
      expect(isAllowed(id)).toBe(true);
    },
  );

  it.each(["Jane", "jAne", "Ärger", "Δοκιμή", "Жук", "jané É", "İ", "ǅ", "Ａ", " jane", "jane "])(
    "may not be %j, which has capitals or white space at its ends",
    (id) => {
      expect(isAllowed(id)).toBe(false);
    },
  );
});
