// Grants files: defaults, and errors that the schema cannot express.
import { expect, it } from "vitest";
import { noGrants } from "../operator/grants.ts";
import { grantsErrors, grantsFromFile } from "./grants-file.ts";

const pathsOf = (commands: NonNullable<Parameters<typeof grantsErrors>[0]["commands"]>) =>
  grantsErrors({ commands }).map(({ path }) => path);

it("grants what the file states and nothing else, and knows where the file is", () => {
  expect(
    grantsFromFile({ $schema: "x", files: ["/run/secrets/"] }, "/etc/svc/grants.yaml"),
  ).toEqual({
    ...noGrants,
    files: ["/run/secrets/"],
    file: "/etc/svc/grants.yaml",
  });
});

it("refuses a command whose program a manifest would choose", () => {
  expect(pathsOf(["*", ["*", "show"], ["pass", "show", "*"], "pass"])).toEqual([
    "/commands/0",
    "/commands/1/0",
  ]);
});

it.each([
  ["sops", "sops: [FILE or FOLDER/]"],
  ["/usr/bin/age", "age: [{ identity: KEY, files: [FILE or FOLDER/] }]"],
])("refuses %s as a command line, and names the grant by files", (program, form) => {
  expect(grantsErrors({ commands: [[program, "*"]] })).toMatchObject([
    { path: "/commands/0", remedy: expect.stringContaining(form) },
  ]);
});

it("reports an invalid window at its place", () => {
  const windows = [
    { effect: "allow", schedule: "0 9 * * *", duration: "1h", timeZone: "Mars/Base", reason: "x" },
  ] as const;
  expect(grantsErrors({ windows: [...windows] })).toMatchObject([{ path: "/windows/0/timeZone" }]);
});
