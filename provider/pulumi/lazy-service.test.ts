// Tests that the service that is loaded on demand has the requests of the generated one.
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { expect, it } from "vitest";
import { lazyService } from "./lazy-service.ts";

it("has each request of the generated service without a stream, under the same path", () => {
  const { definition } = lazyService(() => Promise.reject(new Error("unused")));
  const generated = Object.entries(ResourceProviderService)
    .filter(([, { requestStream, responseStream }]) => !requestStream && !responseStream)
    .map(([name, { path }]) => [name, path]);
  expect(Object.entries(definition).map(([name, { path }]) => [name, path])).toEqual(generated);
});
