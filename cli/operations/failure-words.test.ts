// Messages of the server in the words of the command line.
import { expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { failureInWords } from "./failure-words.ts";
import type { Member } from "./members.ts";

const member = (name: string, label: string): Member =>
  ({ name, label, part: "params", type: "text", value: undefined }) as unknown as Member;

function inWords(message: string): string {
  const members = { arguments: [member("deployment", "deployment"), member("folderId", "folder")] };
  const given = { members: { ...members, flags: [] }, line: { values: [] }, request: {} };
  const said = failureInWords(new Failure("invalid", message), given as never);
  return (said as Failure).message;
}

it("names arguments in place of members", () => {
  expect(inWords("params.deployment must not be empty; folderId must be a number")).toBe(
    "<deployment> must not be empty; <folder> must be a number",
  );
});

it("leaves the parameters of a path as they are", () => {
  const message =
    "Set variables (PUT /deployments/{deployment}/folders/{folderId}): no response arrived";
  expect(inWords(message)).toBe(message);
});
