// Tests for the command line that confirms.
import { describe, expect, it } from "vitest";
import { confirmationCommand } from "./prompt.ts";

describe("the command line that confirms", () => {
  it.each([
    [["apply"], undefined, "svc apply --yes"],
    [["apply", "ops", "--var", "a=b c"], undefined, "svc apply ops --var 'a=b c' --yes"],
    [["apply", "it's"], undefined, `svc apply 'it'\\''s' --yes`],
    [["apply", "--yes", "ops"], { deletes: 3 }, "svc apply ops --yes --allow-deletes 3"],
    [
      ["apply", "--allow-deletes", "2", "ops"],
      { deletes: 3 },
      "svc apply ops --yes --allow-deletes 3",
    ],
    [
      ["apply", "--allow-deletes=2", "-y", "--", "-"],
      { deletes: 3 },
      "svc apply --yes --allow-deletes 3 -- -",
    ],
    [["apply", ""], undefined, "svc apply '' --yes"],
    [
      ["undo", "1", "--on-conflict", "fail", "--on-conflict=fail"],
      { deletes: 3, conflicts: ["UserGroup/one"] },
      "svc undo 1 --yes --allow-deletes 3 --on-conflict overwrite",
    ],
    [
      ["inventory", "move", "--renamed-from", "old"],
      undefined,
      "svc inventory move --renamed-from old --yes",
    ],
  ])("%j confirming %j", (args, confirmed, expected) => {
    expect(confirmationCommand(args, confirmed)).toBe(expected);
  });
});
