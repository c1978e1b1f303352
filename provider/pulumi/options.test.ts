// Options of a component that come to nothing are told by name, and no others.
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import structs from "google-protobuf/google/protobuf/struct_pb.js";
import { expect, it } from "vitest";
import { idleOptions } from "./options.ts";

const { ConstructRequest } = provider;

it("tells each option that nothing heeds", () => {
  const request = new ConstructRequest()
    .setAdditionalsecretoutputsList(["tenant"])
    .setCustomtimeouts(new ConstructRequest.CustomTimeouts().setDelete("5m0s"))
    .setDeletebeforereplace(true)
    .setResourceHooks(new ConstructRequest.ResourceHooksBinding().setAfterUpdateList(["hook"]))
    .setIgnorechangesList(["groups"])
    .setReplaceonchangesList(["tenant"])
    .setReplaceWithList(["urn:pulumi:dev::test::svc:index:EmbedTenant::acme"])
    .setReplacementTrigger(new structs.Value().setNumberValue(1));
  expect(idleOptions(request)).toEqual([
    "additionalSecretOutputs",
    "customTimeouts",
    "deleteBeforeReplace",
    "hooks",
    "ignoreChanges",
    "replaceOnChanges",
    "replaceWith",
    "replacementTrigger",
  ]);
});

it("tells nothing of what is heeded, nor of options that say nothing", () => {
  const request = new ConstructRequest()
    .setProtect(true)
    .setRetainondelete(true)
    .setDeletedwith("urn")
    .setDependenciesList(["urn"])
    .setDeletebeforereplace(false)
    .setCustomtimeouts(new ConstructRequest.CustomTimeouts().setCreate("0s"))
    .setResourceHooks(new ConstructRequest.ResourceHooksBinding());
  expect(idleOptions(request)).toEqual([]);
});
