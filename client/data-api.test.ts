// A query is sent again while the server answers `Continue wait`, with a bare token, at the address that the deployment names.
import { expect, it } from "vitest";
import {
  createTestClient,
  failureOf,
  respondJson,
  startStubServer,
} from "../test/support/stub-server.ts";
import { withDataApi } from "./data-api.ts";

const name = { deploymentId: 1, branchName: "feature/a" };
const query = { measures: ["a.count"] };

/** A server whose data API answers `waits` times with `Continue wait`. */
async function dataServer(waits: number) {
  let left = waits;
  const { url, seen } = await startStubServer((request, response) => {
    const { pathname } = new URL(request.url, "http://stub");
    if (pathname.endsWith("/token")) return respondJson(response, { svcApiToken: "data-token" });
    if (pathname.endsWith("/build-status")) {
      return respondJson(response, {
        deploymentId: 1,
        branchName: "feature/a",
        mode: "dev_mode",
        status: "built",
        buildJobId: "7",
      });
    }
    if (pathname === "/api/v1/deployments/1") {
      return respondJson(response, {
        id: 1,
        name: "sales",
        creationStep: "project",
        deploymentUrl: `http://${request.headers.host}/deployments/sales`,
      });
    }
    return respondJson(response, left-- > 0 ? { error: "Continue wait" } : { data: [{}] });
  });
  return { url, queries: () => seen.filter((one) => one.url.includes("/load")) };
}

it("repeats a query until it has data", async () => {
  const { url, queries } = await dataServer(2);
  const answer = await withDataApi(createTestClient(url), name, (api) => api.load(query));
  expect(answer).toEqual({ data: [{}] });
  const path = `/deployments/sales/dev-mode/feature%2Fa/svcjs-api/v1/load?query=${encodeURIComponent(JSON.stringify(query)).replaceAll("%20", "+")}`;
  expect(queries().map((one) => [one.method, one.url, one.headers.authorization])).toEqual(
    Array.from({ length: 3 }, () => ["GET", path, "data-token"]),
  );
});

it("ends with timeout at its limit, and with aborted when it is stopped", async () => {
  const { url, queries } = await dataServer(Infinity);
  const client = createTestClient(url);
  const late = withDataApi(client, name, (api) => api.load(query, { timeoutMs: 1 }));
  expect(await failureOf(late)).toMatchObject({ code: "timeout" });
  const before = queries().length;
  const signal = AbortSignal.timeout(10);
  const stopped = withDataApi(client, name, (api) => api.load(query, { signal }));
  expect(await failureOf(stopped)).toMatchObject({ code: "aborted" });
  expect(queries().length - before).toBeLessThan(5);
});
