// Tests which options of a component are passed on and which are reported as ignored.
import provider from "@pulumi/pulumi/proto/provider_pb.js";
import structs from "google-protobuf/google/protobuf/struct_pb.js";
import { expect, it } from "vitest";
import { registrationRequest } from "./monitor.ts";
import { ignoredOptions } from "./ignored-options.ts";

const { ConstructRequest } = provider;

it("lists each option that has no effect", () => {
  const request = new ConstructRequest()
    .setAdditionalsecretoutputsList(["tenant"])
    .setCustomtimeouts(new ConstructRequest.CustomTimeouts().setDelete("5m0s"))
    .setDeletebeforereplace(true)
    .setIgnorechangesList(["groups"])
    .setReplaceonchangesList(["tenant"])
    .setReplaceWithList(["urn:pulumi:dev::test::svc:index:EmbedTenant::acme"])
    .setReplacementTrigger(new structs.Value().setNumberValue(1));
  expect(ignoredOptions(request)).toEqual([
    "additionalSecretOutputs",
    "customTimeouts",
    "deleteBeforeReplace",
    "ignoreChanges",
    "replaceOnChanges",
    "replaceWith",
    "replacementTrigger",
  ]);
});

it("lists neither supported options nor empty ones", () => {
  const request = new ConstructRequest()
    .setProtect(true)
    .setRetainondelete(true)
    .setDeletedwith("urn")
    .setDependenciesList(["urn"])
    .setDeletebeforereplace(false)
    .setCustomtimeouts(new ConstructRequest.CustomTimeouts().setCreate("0s"))
    .setResourceHooks(new ConstructRequest.ResourceHooksBinding().setAfterUpdateList(["hook"]));
  expect(ignoredOptions(request)).toEqual([]);
});

it("passes hooks to the component and not to its objects", () => {
  const lists = {
    beforeCreateList: ["a"],
    afterCreateList: ["b"],
    beforeUpdateList: ["c"],
    afterUpdateList: ["d"],
    beforeDeleteList: ["e"],
    afterDeleteList: ["f"],
    onErrorList: ["g"],
  };
  const request = new ConstructRequest().setResourceHooks(
    new ConstructRequest.ResourceHooksBinding()
      .setBeforeCreateList(["a"])
      .setAfterCreateList(["b"])
      .setBeforeUpdateList(["c"])
      .setAfterUpdateList(["d"])
      .setBeforeDeleteList(["e"])
      .setAfterDeleteList(["f"])
      .setOnErrorList(["g"]),
  );
  const registered = (custom: boolean) =>
    registrationRequest(
      request,
      {
        type: "svc:index:EmbedTenantSetup",
        name: "acme",
        parent: "",
        custom,
        inputs: {},
        dependencies: [],
        propertyDependencies: {},
      },
      "1.2.3",
    );
  expect(registered(false).getHooks()?.toObject()).toEqual(lists);
  expect(registered(true).getHooks()).toBeUndefined();
});
