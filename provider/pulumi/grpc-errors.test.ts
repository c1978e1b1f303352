// Refusals of single properties, as Pulumi's engine shows them.
import { status } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { serviceError } from "./grpc-errors.ts";

it("names refused properties by their paths, a line each", () => {
  const complaints = [
    { path: "/release/version", message: "is not on the list" },
    { path: "/filters/0/a.b", message: "is unknown" },
    { path: "", message: "body.x: is missing" },
  ];
  expect(
    serviceError(new Failure("invalid", "all of it", { validationErrors: complaints })),
  ).toEqual({
    code: status.INVALID_ARGUMENT,
    details:
      'release.version: is not on the list\nfilters[0]["a.b"]: is unknown\nbody.x: is missing',
  });
});
