// Tests the statuses of validation errors, which Pulumi's engine prints.
import { status } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { serviceError } from "./grpc-errors.ts";

it("prints each validation error on its own line with its property path", () => {
  const validationErrors = [
    { path: "/release/version", message: "is not on the list" },
    { path: "/filters/0/a.b", message: "is unknown" },
    { path: "", message: "body.x: is missing" },
  ];
  expect(serviceError(new Failure("invalid", "all of it", { validationErrors }))).toEqual({
    code: status.INVALID_ARGUMENT,
    details:
      'release.version: is not on the list\nfilters[0]["a.b"]: is unknown\nbody.x: is missing',
  });
});
