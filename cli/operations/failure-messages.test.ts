// Messages of the server in the words of the command line.
import { expect, it } from "vitest";
import { listFolders } from "../../api/folders.ts";
import { Failure } from "../../core/errors.ts";
import { failureInWords } from "./failure-messages.ts";
import type { Member } from "./members.ts";

function member(name: string, label: string): Member {
  return {
    name,
    label,
    part: "params",
    type: "text",
    isList: false,
    choices: undefined,
    isRequired: true,
    lookup: undefined,
    doc: "",
    value: undefined,
    sameAs: undefined,
    requiredUnless: undefined,
  };
}

function inWords(message: string): unknown {
  const members = {
    arguments: [member("deployment", "deployment"), member("folderId", "folder")],
    flags: [],
    dataOnly: [],
    requiredData: [],
    fromPath: [],
  };
  const given = {
    members,
    commandLine: { values: [] },
    request: { params: {}, query: {}, body: undefined },
  };
  const result = failureInWords(new Failure("invalid", message), given);
  return result instanceof Failure ? result.message : result;
}

it("names arguments in place of members", () => {
  expect(inWords("params.deployment must not be empty; folderId must be a number")).toBe(
    "<deployment> must not be empty; <folder> must be a number",
  );
});

it("names the list of the folder where the deployment has the same ID", () => {
  const named = (name: string, listCommand: string) => ({
    ...member(name, name),
    lookup: { label: name.replace("Id", ""), list: listFolders, listCommand, names: ["name"] },
  });
  const members = {
    arguments: [named("deploymentId", "deployments list"), named("folderId", "folders list")],
    flags: [],
    dataOnly: [],
    requiredData: [],
    fromPath: [],
  };
  const request = { params: { deploymentId: 7, folderId: 7 }, query: {}, body: undefined };
  const remedyOf = (message: string) =>
    failureInWords(new Failure("not_found", message), {
      members,
      commandLine: { values: ["7", "7"] },
      request,
    });
  expect(remedyOf("the deployment has no folder 7")).toMatchObject({
    remedy: "`svc folders list 7` lists what exists.",
  });
  expect(remedyOf("the deployment has no folder 77")).toMatchObject({ remedy: undefined });
});

it("leaves the parameters of a path as they are", () => {
  const message =
    "Set variables (PUT /deployments/{deployment}/folders/{folderId}): no response arrived";
  expect(inWords(message)).toBe(message);
});
