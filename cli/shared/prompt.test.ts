// Tests for the command line that confirms.
import { describe, expect, it } from "vitest";
import { confirmationCommand } from "./prompt.ts";

describe("the command line that confirms", () => {
  it.each([
    [["apply"], undefined, "svc apply --yes"],
    [["apply", "ops", "--var", "a=b c"], undefined, "svc apply ops --var 'a=b c' --yes"],
    [["apply", "it's"], undefined, `svc apply 'it'\\''s' --yes`],
    [["apply", "--yes", "ops"], 3, "svc apply ops --yes --allow-deletes 3"],
    [["apply", "--allow-deletes", "2", "ops"], 3, "svc apply ops --yes --allow-deletes 3"],
    [["apply", "--allow-deletes=2", "-y", "--", "-"], 3, "svc apply --yes --allow-deletes 3 -- -"],
    [["apply", ""], undefined, "svc apply '' --yes"],
    [
      ["inventory", "move", "--renamed-from", "old"],
      undefined,
      "svc inventory move --renamed-from old --yes",
    ],
  ])("%j with a limit of %j deletes", (args, deletes, expected) => {
    expect(confirmationCommand(args, deletes)).toBe(expected);
  });
});
