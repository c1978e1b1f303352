// Tests the content of an inventory entry: the readable part, fingerprints of the rest, and when they still match.
import { describe, expect, it } from "vitest";
import { fingerprints, house, town } from "../../test/support/plan-fixtures.ts";
import { Secret } from "../../core/secret.ts";
import { fingerprintsWith } from "../../core/spec/fingerprints.ts";
import { entryFor, matchesEntry } from "./entry.ts";

const spec = { name: "a", motto: "onward", code: "secret" };
const recorded = {
  kind: town,
  name: "a",
  spec,
  id: "1",
  fingerprints,
  pending: false,
  appliedAt: "now",
};
const entry = entryFor(recorded);
const how = { kind: town, observed: { id: "1", spec: {}, status: {} }, fingerprints };

describe("an entry", () => {
  it("holds what can be read, and never a secret", () => {
    expect(entry).toMatchObject({
      key: "a",
      scope: {},
      lastApplied: { name: "a", motto: "onward" },
    });
    expect(Object.keys(entry.fingerprints)).toEqual(["code"]);
    expect(JSON.stringify(entry)).not.toContain("secret");
  });

  it("is valid for just that spec and that object", () => {
    expect(matchesEntry(entry, spec, how)).toBe(true);
    expect(matchesEntry(entry, { ...spec, motto: "upward" }, how)).toBe(false);
    expect(matchesEntry(entry, { ...spec, code: "other" }, how)).toBe(false);
    expect(matchesEntry(entry, spec, { ...how, observed: { ...how.observed, id: "2" } })).toBe(
      false,
    );
  });

  it("is not valid under another key, which its secrets are marked with", () => {
    const other = fingerprintsWith("salt", new Secret("other"));
    expect(matchesEntry(entry, spec, { ...how, fingerprints: other })).toBe(false);
  });

  it("is not valid under another salt, which marks what cannot be read back and is no secret", () => {
    const home = { town: "a", name: "b", twin: "c" };
    const housed = entryFor({ ...recorded, kind: house, spec: home });
    const where = { ...how, kind: house };
    expect(matchesEntry(housed, home, where)).toBe(true);
    const other = fingerprintsWith("pepper", new Secret("key"));
    expect(matchesEntry(housed, home, { ...where, fingerprints: other })).toBe(false);
    // Secrets are marked without the salt, so that a saved plan can be checked before there is an inventory.
    expect(matchesEntry(entry, spec, { ...how, fingerprints: other })).toBe(true);
  });

  it("whose write was only begun is valid for nothing", () => {
    expect(matchesEntry({ ...entry, pending: true }, spec, how)).toBe(false);
  });
});
