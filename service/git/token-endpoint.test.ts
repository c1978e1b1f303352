// Tests which answers of a provider a client may retry.
import { expect, it } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { failureOf, respondJson, startStubServer } from "../../test/support/stub-server.ts";
import { createTokenEndpoints } from "./token-endpoint.ts";

const endpoints = createTokenEndpoints({ folders: [], privateHosts: ["127.0.0.1"] });

it("refuses an answer that is too long, since the next one is as long", async () => {
  const long = "x".repeat(limits.oauthAnswerBytes);
  const { url, server } = await startStubServer((_, response) => respondJson(response, { long }));
  expect(await failureOf(endpoints.get(url))).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("answers too much"),
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await failureOf(endpoints.get(url))).toMatchObject({ code: "unavailable" });
});
