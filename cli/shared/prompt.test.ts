// Tests for the command line that confirms.
import { describe, expect, it } from "vitest";
import { confirmationCommand } from "./prompt.ts";

describe("the command line that confirms", () => {
  it.each([
    [["apply"], undefined, "svc apply --yes"],
    [["apply", "ops", "--var", "a=b c"], undefined, "svc apply --yes ops --var 'a=b c'"],
    [["apply", "it's"], undefined, `svc apply --yes 'it'\\''s'`],
    [["apply", "--yes", "ops"], 3, "svc apply --yes --allow-deletes 3 ops"],
    [["apply", "--allow-deletes", "2", "ops"], 3, "svc apply --yes --allow-deletes 3 ops"],
    [["apply", "--allow-deletes=2", "-y", "--", "-"], 3, "svc apply --yes --allow-deletes 3 -- -"],
    [["apply", ""], undefined, "svc apply --yes ''"],
  ])("%j with a limit of %j deletes", (args, deletes, expected) => {
    expect(confirmationCommand(args, deletes)).toBe(expected);
  });
});
