// Tests logs and pods: lines of builds, requests and failed queries by environment, and how many lines are kept.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { addLogLines } from "../../service/areas/logs/log-lines.ts";
import { createRequestLog } from "../../service/data-plane/request-log.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { type ModelService, orders, startModelService } from "./data-model-service.ts";

let service: ModelService;
let dev: string;
beforeEach(async () => {
  service = await startModelService();
  dev = await service.enter();
});
afterEach(() => service.close());

const deployment = "/api/v1/deployments/1";
type Line = Readonly<Record<"pod" | "container" | "date" | "message", string>>;

/** Returns lines, the oldest first. */
async function lines(query = ""): Promise<readonly Line[]> {
  const { items } = await service.done("GET", `${deployment}/logs${query}`);
  return (items as Line[]).toReversed();
}
const messages = async (query = "") => (await lines(query)).map(({ message }) => message);

/** Stores lines of the production environment. */
const add = (texts: readonly string[]) =>
  inTransaction(service.db, (tx) =>
    addLogLines(tx, [{ branchId: 1, container: "svcjs-server", at: new Date(), messages: texts }]),
  );

describe("the logs of a deployment", () => {
  it("client area Other, logs: have each build with its errors, by pod, container and source", async () => {
    await service.put(orders().replace("sql_table", "sql_tabel"));
    expect(await service.buildEnded(dev)).toMatchObject({ status: "failed" });
    await service.put(orders());
    const { buildJobId } = await service.buildEnded(dev);
    const found = await lines("?source=dev&container=svcjs-server");
    expect(found.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^build \d+: started, version \d+\.\d+\.\d+$/u),
        expect.stringMatching(/^build \d+: model\/cubes\/orders\.yml:\d+:\d+: .*sql_tabel/u),
        expect.stringMatching(/^build \d+: failed$/u),
        `build ${String(buildJobId)}: built`,
      ]),
    );
    const pod = found[0]?.pod ?? "";
    expect(pod).toMatch(/^development-\d+$/u);
    expect(await messages(`?pod=${pod}`)).toEqual(found.map(({ message }) => message));
    expect(await messages("?source=production")).toEqual([]);
    expect(await messages("?container=vector")).toEqual([]);
    const at = found[0]?.date ?? "";
    expect(await messages(`?until=${at}`)).toEqual([]);
    expect(await messages(`?since=${at}`)).toEqual(found.map(({ message }) => message));
  });

  it("have requests to the data API, and why queries failed, without their values", async () => {
    await service.put(orders());
    await service.buildEnded(dev);
    const { svcApiToken } = await service.done("POST", `${deployment}/token`, {});
    const query = encodeURIComponent(JSON.stringify({ measures: ["orders.gone"] }));
    const address = `${service.url}/deployments/main/dev-mode/${dev}`;
    const headers = { authorization: String(svcApiToken) };
    for (const path of [`/svcjs-api/v1/load?query=${query}`, "/livez"]) {
      await (await fetch(`${address}${path}`, { headers })).text();
    }
    await vi.waitFor(
      async () =>
        expect((await lines()).slice(-2)).toMatchObject([
          { container: "svcjs-server", message: expect.stringContaining("orders.gone") },
          {
            container: "api-proxy",
            message: expect.stringMatching(/^GET \/svcjs-api\/v1\/load 400 \d+ ms$/u),
          },
        ]),
      { timeout: 60_000, interval: 50 },
    );
  });

  it("keep the newest lines, each of a bounded length", async () => {
    await add(Array.from({ length: limits.logLinesKept }, (_, at) => `line ${at}`));
    await add(["x".repeat(limits.logLineLength + 1), "last"]);
    const { count } = await service.db
      .selectFrom("log_lines")
      .select((eb) => eb.fn.countAll().as("count"))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(limits.logLinesKept);
    const page = await service.done("GET", `${deployment}/logs?first=2`);
    expect((page["items"] as Line[]).map(({ message }) => message.length)).toEqual([
      4,
      limits.logLineLength,
    ]);
    await add(["a null character: \0"]);
    expect(await messages("?first=1")).toEqual(["a null character: \ufffd"]);
  });

  it("count the requests whose lines were dropped", async () => {
    const errors: unknown[] = [];
    const log = createRequestLog((error) => errors.push(error));
    const line = (text: string) =>
      log.add(service.db, {
        branchId: 1,
        container: "api-proxy",
        at: new Date(),
        messages: [text],
      });
    for (let at = 0; at < limits.logLinesWaiting + 3; at++) line(`request ${at}`);
    await log.close();
    const found = await messages("?container=api-proxy");
    expect([found.length, found[0]]).toEqual([
      limits.logLinesWaiting + 1,
      "3 earlier lines were dropped",
    ]);
    expect(errors).toEqual([]);
    // Lines of a branch that was deleted meanwhile are dropped.
    log.add(service.db, { branchId: 999, container: "api-proxy", at: new Date(), messages: ["x"] });
    await log.close();
    expect(await messages("?container=api-proxy")).toHaveLength(limits.logLinesWaiting + 1);
  });
});

it("a pod is an environment, and ready once it serves a build", async () => {
  await service.buildEnded(dev);
  await service.done("POST", "/build/api/v1/deployments", {
    name: "empty",
    region: "aws-us-east-1",
    creationMethod: "github",
  });
  const containers = ["svcjs-server", "api-proxy"];
  const pods = async (id: number) =>
    (await service.done("GET", `/api/v1/deployments/${id}/pods`))["items"];
  expect(await pods(1)).toMatchObject([
    { type: "development", status: "Running", ready: true, restartCount: 0, containers },
    { name: "production-1", type: "production", ready: true },
  ]);
  expect(await pods(2)).toMatchObject([{ type: "production", status: "Pending", ready: false }]);
});
