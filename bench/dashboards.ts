// A server with a data model of orders, and dashboards that every embed tenant may view.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type BareClient, bareClient } from "./bare-client.ts";
import { serve, type Served } from "./server.ts";

const deployment = "/api/v1/deployments/1";
const upload = "/build/api/v1/deployments/1/data-model/upload";
const path = "model/orders.yml";
const rows = `SELECT range AS id, range % 400 AS store, 'region ' || range % 30 AS region, range % 500 AS amount FROM range(20000)`;
const members = `
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: region, sql: region, type: string }
    measures:
      - { name: count, type: count }
      - { name: revenue, type: sum, sql: amount }`;
/** The same orders twice: all, and those of the store of the viewer. */
const model = `cubes:
  - name: orders
    sql: "${rows}"${members}
  - name: own_orders
    sql: "SELECT * FROM (${rows}) WHERE {SECURITY_CONTEXT.store.filter('store')}"${members}
`;

/** A query of at most as many regions as `limit`. */
export function regionQuery(limit: number, cube: "orders" | "own_orders" = "orders"): object {
  return { measures: [`${cube}.revenue`], dimensions: [`${cube}.region`], limit };
}

/** Returns charts in rows of some columns, each of four rows of the grid. */
export function chartWidgets(count: number, configOf: (at: number) => object, columns = 4) {
  const w = 12 / columns;
  return Array.from({ length: count }, (_, at) => ({
    id: `chart-${at}`,
    type: "CHART",
    position: { x: (at % columns) * w, y: Math.floor(at / columns) * 4, w, h: 4 },
    config: { title: `Chart ${at}`, ...configOf(at) },
  }));
}

/** The published dashboards of a server. */
export interface Dashboards extends Pick<BareClient, "send"> {
  readonly server: Served;
  /** Publishes a dashboard, and returns its IDs. */
  publish(widgets: readonly object[]): Promise<{ readonly id: number; readonly publicId: string }>;
  stop(): Promise<void>;
}

/** Starts a server on a fresh data folder, or with other options, and uploads the data model. */
export async function serveDashboards(options?: readonly string[]): Promise<Dashboards> {
  const server = await serve(options);
  const client = bareClient(server);
  const post = async <Answer>(to: string, body: object): Promise<Answer> =>
    (await client.send({ method: "POST", path: to, body })) as Answer;
  const stop = async (): Promise<void> => {
    await client.close();
    await server.stop();
  };
  try {
    const { transaction } = await post<{ transaction: { id: string } }>(`${upload}/start`, {});
    await uploadFile(server, transaction);
    const hash = createHash("sha1").update(model).digest("hex");
    await post(`${upload}/finish`, { transaction, files: { [path]: { hash } } });
    await buildEnded(client);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    server,
    send: (request) => client.send(request),
    publish: async (widgets) => {
      const { id: workbookId } = await post<{ id: number }>(`${deployment}/workbooks`, {
        name: "Sales",
      });
      const workbook = `${deployment}/workbooks/${workbookId}`;
      const access = { allEmbedUsers: true, action: "read", allowEmbed: true };
      const config = { title: "Sales", widgets };
      const published = await post<{ id: number; publicId: string }>(`${workbook}/publish`, {
        workbookId,
        config,
      });
      await client.send({ method: "PUT", path: `${workbook}/embed-access`, body: access });
      return published;
    },
    stop,
  };
}

async function uploadFile({ url, apiKey }: Served, transaction: object): Promise<void> {
  const form = new FormData();
  form.set("transaction", JSON.stringify(transaction));
  form.set("fileName", path);
  form.set("file", new Blob([model]), "file");
  const headers = { authorization: `Bearer ${apiKey}` };
  const { ok, status } = await fetch(`${url}${upload}/file`, {
    method: "POST",
    headers,
    body: form,
  });
  if (!ok) throw new Error(`the data model was not uploaded: ${status}`);
}

async function buildEnded(client: BareClient): Promise<void> {
  for (;;) {
    const answer = await client.send({ method: "GET", path: `${deployment}/build-status` });
    const { status } = answer as { status: string };
    if (status === "built") return;
    if (status !== "building") throw new Error(`the build is ${status}`);
    await sleep(50);
  }
}
