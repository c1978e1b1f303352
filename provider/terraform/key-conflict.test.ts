// Tests the message of a create whose key another object has.
import { expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { userAttribute } from "../../resources/user-attribute.ts";
import { explainKeyConflict } from "./key-conflict.ts";

it("begins with the import, and says of a replacement when it applies", () => {
  const remedy = "Import it with the id region, or choose another key for this resource.";
  const failure = new Failure("conflict", "UserAttribute region already exists.", { remedy });
  expect(explainKeyConflict(userAttribute, failure).remedy?.split(/(?<=\.) /u)).toEqual([
    remedy,
    "If a resource with create_before_destroy replaces that object, as for a change of type, both cannot have the same name: remove create_before_destroy from its lifecycle and from the resources that depend on it.",
  ]);
});
