// Tests that no committed file names a folder of a particular machine, and that the check detects violations.
import { describe, expect, it } from "vitest";
import { machinePathProblems } from "./machine-paths.ts";
import { files, read } from "./repository-files.ts";

const text =
  /\.(?:ts|mjs|js|json|ya?ml|md|txt|sh|tf|toml|html|css|sql|golden|snap)$|\/run$|^[^.]+$/;

describe("machine paths", () => {
  it("appear in no file", () => {
    const some = files().filter((path) => text.test(path) && path !== "package-lock.json");
    expect(some.flatMap((path) => machinePathProblems(path, read(path)))).toEqual([]);
  });

  it.each(["root", "work", "home/jo", "Users/Jo"])("are found: %s", (folder) => {
    expect(machinePathProblems("a.md", `see\n"/${folder}/notes.md"`)).toHaveLength(1);
    expect(machinePathProblems("a.md", `cd /${folder}`)).toHaveLength(1);
  });

  it.each([
    "/api/v1/workbooks",
    "/rooted/x",
    "{id}/work",
    "https://example.com/work/x",
    "a/root/b",
  ])("are not seen in %s", (safe) => {
    expect(machinePathProblems("a.md", safe)).toEqual([]);
  });
});
