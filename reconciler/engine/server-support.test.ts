// Tests the changes that a plan refuses because the server does not offer them.
import { describe, expect, it } from "vitest";
import { capability } from "../../core/kind/capability.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { clearTowns, desiredObject, town } from "../../test/support/plan-fixtures.ts";
import { sampleChange, sampleField } from "../../test/support/sample-plans.ts";
import type { Change } from "../model/index.ts";
import { missingText, unsupportedErrors } from "./server-support.ts";

const ulm = desiredObject(town, "ulm", { spec: { name: "ulm", motto: "m" } });
const [write] = town.bindings.create.map(({ operation }) => operation);

/** The errors on a server that offers everything but these operations. */
function errors(
  change: Partial<Change> & Pick<Change, "action">,
  missing: readonly unknown[],
  kind: Kind = town,
) {
  const { action, ...more } = change;
  const offered = capability(kind, (one) => !missing.includes(one));
  return unsupportedErrors(sampleChange(action, ulm.address, more), ulm, offered).map(
    ({ code, address, place, summary }) => ({ code, address, place, summary }),
  );
}

describe("a change", () => {
  it.each(["create", "replace", "update", "adopt"] as const)(
    "that is supported has no error: %s",
    (action) => {
      expect(errors({ action, fields: [sampleField({ path: "/motto" })] }, [])).toEqual([]);
    },
  );

  it("names the operation that is missing, and the document", () => {
    expect(errors({ action: "create" }, [write])).toEqual([
      {
        code: "not-supported",
        address: "Town/ulm",
        place: { file: "test.yaml", line: 1, column: 1 },
        summary: "Town/ulm cannot be created on this server: it does not offer POST /towns",
      },
    ]);
  });

  it("has an error for each verb of a replacement", () => {
    expect(errors({ action: "replace" }, [write]).map(({ summary }) => summary)).toEqual([
      "Town/ulm cannot be replaced on this server: it does not offer POST /towns",
      "Town/ulm cannot be replaced on this server: it does not offer POST /towns",
    ]);
  });

  it("names the fields that an update cannot change", () => {
    const cleared = sampleField({ path: "/motto", reason: "cleared" });
    expect(errors({ action: "update", fields: [cleared] }, [clearTowns])).toMatchObject([
      { summary: "Town/ulm cannot be updated on this server: motto: it does not offer PUT /towns" },
    ]);
  });

  it("that writes nothing needs no operation", () => {
    expect(errors({ action: "orphan" }, [write, clearTowns])).toEqual([]);
  });
});

it("gives the API's own reason before the operations", () => {
  const missing = write === undefined ? [] : [write];
  expect(missingText({ missing, reason: "keys are made by hand" })).toBe("keys are made by hand");
  expect(missingText({ missing, reason: undefined })).toBe("it does not offer POST /towns");
  expect(missingText({ missing: [], reason: undefined })).toBe("the API has no operation for it");
});
