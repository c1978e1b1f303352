// Tests data models and branches: which files are sent, what production keeps if a model is invalid, and changes of two
// actors.
import { chartTypes } from "../../core/spec/chart-config.ts";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { validateDataModelFiles } from "../../api/data-model.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { loadStack } from "../../reconciler/manifest/load.ts";
import { drift } from "../../reconciler/drift.ts";
import { startProxy, type Proxy } from "../support/fault-proxy.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { changeSummaries, type Doc, makeStack, type TestStack } from "../support/test-stack.ts";

let service: TestService;
let proxy: Proxy;
let stack: TestStack;
/** Whether the server has no operation that validates files. */
let isOlder = false;

/** Whether production serves no build. */
let isUnbuilt = false;

function alterAnswer({ path: at }: { readonly path: string }, body: JsonValue): JsonValue {
  if (isUnbuilt && at.endsWith("/check-query"))
    return { unknown: "the environment serves no build yet" };
  if (!isOlder || !isObject(body) || !at.endsWith("/api/v1/spec")) return body;
  const { [validateDataModelFiles.path]: _, ...paths } = body["paths"] as JsonObject;
  return { ...body, paths };
}

beforeEach(async () => {
  service = await startService();
  isOlder = false;
  isUnbuilt = false;
  proxy = await startProxy(service.url, alterAnswer);
  stack = await makeStack({ url: proxy.url, key: service.adminKey });
});
afterEach(async () => {
  await stack.dispose();
  await proxy.close();
  await service.close();
});

const deployment: Doc = {
  kind: "Deployment",
  name: "shop",
  spec: { name: "shop", region: "aws-us-east-1" },
};
const model = (files: JsonObject): Doc => ({
  kind: "DataModel",
  name: "shop",
  spec: { deployment: "shop", files },
});
const cube = (name: string, column = "status"): string =>
  `cubes:\n  - name: ${name}\n    sql_table: ${name}\n    dimensions:\n      - { name: ${column}, sql: ${column}, type: string }\n`;
const path = (name: string): string => `model/cubes/${name}.yml`;
const many = (count: number, column?: string): JsonObject =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [path(`c${at}`), cube(`c${at}`, column)]),
  );

async function deploymentId(): Promise<number> {
  const { body } = await service.send("GET", "/api/v1/deployments");
  return (body as { items: { id: number }[] }).items[0]?.id ?? 0;
}

async function get(place: string): Promise<JsonObject> {
  const { body } = await service.send(
    "GET",
    `/build/api/v1/deployments/${await deploymentId()}/${place}`,
  );
  return body as JsonObject;
}

/** Writes a file in the folder of the stack. */
async function writeInStack(file: string, content: string | Buffer): Promise<void> {
  const at = join(stack.folder, file);
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, content);
}

/** Replaces files of the deploy branch, as another client does. */
async function deployElsewhere(files: Record<string, string>): Promise<void> {
  const base = `/build/api/v1/deployments/${await deploymentId()}`;
  const send = async (method: string, at: string, body: JsonObject) => {
    const answer = await service.send(method, `${base}${at}`, { body });
    expect(answer.status).toBe(200);
    return answer.body as { branchName: string };
  };
  const { branchName } = await send("POST", "/dev-mode", { branchName: "main" });
  const contents = Object.entries(files).map(([at, content]) => ({ path: at, content }));
  await send("PUT", "/data-model/files", { files: contents, branchName });
  await send("POST", "/commit", { branchName, exitDevMode: true });
}

describe("a data model", () => {
  it("sends the files that changed, and reads no content that the manifest has", async () => {
    await stack.write([deployment, model(many(60))]);
    await stack.apply();
    await stack.write([deployment, model({ ...many(60), ...many(3, "state") })]);
    const { cost } = await stack.plan();
    proxy.arm();
    await stack.apply();
    expect(proxy.writes()).toHaveLength(cost.writeCalls);
    const sent = proxy.requests.filter(({ path: at }) => at.endsWith("/upload/files"));
    const three = 3 * Buffer.from(cube("c0", "state")).toString("base64").length;
    expect(sent).toMatchObject([{ bytes: expect.toSatisfy((bytes) => bytes < three + 400) }]);
    proxy.arm();
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    expect(proxy.requests.filter(({ path: at }) => at.includes("/data-model/files"))).toEqual([]);
    expect(await get("branches")).toMatchObject({ items: [{ name: "main" }] });
  });

  it("with errors is refused by the plan, with the file, line and column of each", async () => {
    const wrong = { [path("b")]: "cubes:\n  - nme: b\n", [path("c")]: "cubes:\n  - nme: c\n" };
    // Neither the deployment nor a model exists yet.
    await stack.write([deployment, model({ [path("orders")]: cube("orders"), ...wrong })]);
    const errors = async () =>
      (await stack.plan()).diagnostics
        .filter(({ severity }) => severity === "error")
        .map(({ code, summary, path: at }) => `${code} ${at} ${summary}`);
    const found = [
      expect.stringMatching(
        /^value-refused \/spec\/files\/model~1cubes~1b\.yml model\/cubes\/b\.yml:2:5: .*nme/u,
      ),
      expect.stringContaining("value-refused /spec/files/model~1cubes~1c.yml model/cubes/c.yml:2:"),
    ];
    expect(await errors()).toEqual(expect.arrayContaining(found));
    expect(proxy.writes()).toEqual([]);
    await stack.write([deployment, model({ [path("orders")]: cube("orders") })]);
    await stack.apply();
    const before = await get("data-model/file-hashes");
    // An unchanged file counts too: here the view's cube.
    const view =
      "views:\n  - name: sales\n    cubes:\n      - { join_path: orders, includes: [gone] }\n";
    await stack.write([
      deployment,
      model({ [path("orders")]: cube("orders"), "model/views/sales.yml": view }),
    ]);
    expect(await errors()).toEqual([
      expect.stringContaining("model/views/sales.yml:4:41: orders has no member gone"),
    ]);
    await expect(stack.apply()).rejects.toMatchObject({ code: "refused" });
    // Only the reference to the removed member is wrong.
    await stack.write([deployment, model({ "model/views/sales.yml": view })]);
    expect(await errors()).toEqual([expect.stringContaining("model/views/sales.yml:4:22: ")]);
    expect(await get("data-model/file-hashes")).toEqual(before);
    expect(await get("branches")).toMatchObject({ items: [{ name: "main" }] });
  });

  it("sends the changed files to be validated, and none if nothing changed", async () => {
    await stack.write([deployment, model({ ...many(60), "README.md": "one" })]);
    await stack.apply();
    const checks = () => proxy.requests.filter(({ path: at }) => at.endsWith("/validate"));
    proxy.arm();
    await stack.plan();
    expect(checks()).toEqual([]);
    await stack.write([
      deployment,
      model({ ...many(60), ...many(2, "state"), "README.md": "two" }),
    ]);
    proxy.arm();
    const { diagnostics, notChecked } = await stack.plan();
    expect([diagnostics, notChecked]).toEqual([[], []]);
    const two = Buffer.byteLength(JSON.stringify(many(2, "state")));
    expect(checks()).toMatchObject([{ bytes: expect.toSatisfy((bytes) => bytes < two + 200) }]);
  });

  it("is validated by the apply alone if the server cannot check files", async () => {
    await stack.write([deployment, model({ [path("orders")]: cube("orders") })]);
    await stack.apply();
    const before = await get("data-model/file-hashes");
    const wrong = { [path("orders")]: cube("orders"), [path("b")]: "cubes:\n  - nme: b\n" };
    await stack.write([deployment, model(wrong)]);
    isOlder = true;
    expect((await stack.plan()).notChecked).toContain(
      "the files of the data model of DataModel/shop (only an apply validates them on this server)",
    );
    const { outcomes } = await stack.apply();
    expect(outcomes).toMatchObject([{ result: "failed", failure: { code: "invalid" } }]);
    expect(outcomes[0]?.failure?.message).toContain("model/cubes/b.yml:2:5: ");
    expect(await get("data-model/file-hashes")).toEqual(before);
    expect(await get("branches")).toMatchObject({ items: [{ name: "main" }] });
  });

  it("shows which files another client changed, and where both did", async () => {
    const files = { [path("a")]: cube("a"), [path("b")]: cube("b") };
    await stack.write([deployment, model(files)]);
    await stack.apply();
    await deployElsewhere({ [path("a")]: cube("a", "state"), [path("c")]: cube("c") });
    const directions = async () =>
      Object.fromEntries(
        ((await stack.plan()).changes[0]?.fields ?? []).map((one) => [
          one.path.replaceAll("~1", "/"),
          one.direction,
        ]),
      );
    expect(await directions()).toEqual({
      "/files/model/cubes/a.yml": "drifted",
      "/files/model/cubes/c.yml": "drifted",
    });
    await stack.write([
      deployment,
      model({ [path("a")]: cube("a", "kind"), [path("b")]: cube("b", "kind") }),
    ]);
    expect(await directions()).toEqual({
      "/files/model/cubes/a.yml": "conflict",
      "/files/model/cubes/b.yml": "pending",
      "/files/model/cubes/c.yml": "drifted",
    });
  });

  it("is deleted in the run that renames its deployment", async () => {
    await stack.write([deployment, model(many(1))]);
    await stack.apply();
    await stack.write([{ ...deployment, spec: { ...deployment.spec, name: "store" } }]);
    await stack.apply();
    expect(await get("data-model/file-hashes")).toEqual({});
  });

  it("is stored in the inventory as fingerprints, without its texts", async () => {
    await stack.write([deployment, model({ [path("orders")]: cube("orders", "colour") })]);
    await stack.apply();
    const folder = join(stack.folder, ".svc");
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), "utf8"));
    const text = (await Promise.all(texts)).join("\n");
    expect(text).toContain("orders.yml");
    expect(text).not.toContain("colour");
  });

  it("is read from a folder, as svc deploy reads it", async () => {
    await writeInStack("shop/model/cubes/orders.yml", cube("orders"));
    await writeInStack("shop/docs/logo.png", Buffer.from([0x89, 0x50, 0xff]));
    await writeInStack("shop/.hidden/x.yml", "x");
    const files = { valueFrom: { folder: "shop" } };
    await stack.write([deployment, model(files)]);
    expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
    expect(Object.keys(await get("data-model/file-hashes"))).toEqual([
      "docs/logo.png",
      "model/cubes/orders.yml",
    ]);
    expect(changeSummaries((await stack.plan()).changes)).toEqual([]);
    await stack.write([deployment, model({ valueFrom: { folder: "../.." } })]);
    expect(await stack.diagnostics()).toMatchObject([
      { code: "source-not-allowed", path: "/spec/files" },
    ]);
    await writeInStack("shop/model/cubes/b.yml", "cubes:\n  - nme: b\n");
    await writeInStack("shop/seeds/parts.csv", "");
    await stack.write([deployment, model(files)]);
    expect((await stack.plan()).diagnostics).toMatchObject([
      { place: { file: join("shop", path("b")), line: 2, column: 5 }, summary: "name is required" },
      { summary: expect.stringContaining("nme is not a known field") },
      {
        place: { file: join("shop", "seeds/parts.csv"), line: 1, column: 1 },
        summary: "the seed file of the table parts cannot be read: it is empty; give it a header",
      },
    ]);
  });
});

describe("a report", () => {
  const report = (jsonQuery: string | null, sqlQuery?: string): Doc => ({
    kind: "Report",
    name: "states",
    spec: {
      deployment: "shop",
      publicId: "states000001",
      jsonQuery,
      ...(sqlQuery !== undefined && { sqlQuery }),
    },
  });
  const good = JSON.stringify({ dimensions: ["orders.status"] });
  const wrong = JSON.stringify({ dimensions: ["orders.statsu"] });
  const orders = model({ [path("orders")]: cube("orders") });
  const found = async () => {
    const { diagnostics, notChecked = [] } = await stack.plan();
    return {
      warnings: diagnostics.flatMap(({ code, path: at, summary }) =>
        code === "value-ineffective" ? [`${at} ${summary}`] : [],
      ),
      unknown: notChecked.filter((one) =>
        one.startsWith("the public ID and the query of Report/states"),
      ),
    };
  };

  it("whose query the data model cannot answer is a warning, of the manifests if they declare the model", async () => {
    await stack.write([deployment, orders, report(wrong)]);
    const { diagnostics: offline } = await loadStack(stack.options);
    expect(offline).toMatchObject([
      {
        code: "value-ineffective",
        severity: "warning",
        address: "Report/states",
        path: "/spec/jsonQuery",
        summary: "'statsu' not found for path 'orders.statsu'",
        remedy: "Did you mean orders.status?",
      },
    ]);
    const beside =
      "the public ID and the query of Report/states (the plan writes DataModel/shop too)";
    expect(await found()).toEqual({ warnings: [], unknown: [beside] });
    await stack.write([deployment, orders, report(good)]);
    await stack.apply();
    await service.accounts[0]?.runBuilds();
    proxy.arm();
    for (const query of [wrong, '{"dimensions":'] as const) {
      // The manifests do not declare the contents of the model.
      await stack.write(
        query === wrong ? [deployment, report(query)] : [deployment, orders, report(query)],
      );
      const why = query === wrong ? "'statsu' not found" : "as JSON";
      const warning = expect.stringMatching(new RegExp(`^/spec/jsonQuery .*${why}`, "u"));
      expect(await found()).toEqual({ warnings: [warning], unknown: [] });
    }
    await stack.write([deployment, report(null, "SELECT statsu FROM orders")]);
    const place = /^\/spec\/sqlQuery .*'statsu' not found/u;
    expect(await found()).toEqual({ warnings: [expect.stringMatching(place)], unknown: [] });
    await stack.write([deployment, orders, report(wrong)]);
    expect(await found()).toEqual({ warnings: [], unknown: [] });
    expect(proxy.writes()).toEqual([]);
    await stack.write([deployment, orders, report('{"dimensions":["orders.status"],"limit":5}')]);
    expect(await found()).toEqual({ warnings: [], unknown: [] });
  });
});

it("whose access policy names a group, role or attribute that neither the account nor the stack has gets a warning", async () => {
  await service.send("POST", "/api/v1/user-groups", { body: { name: "analysts" } });
  const text = `${cube("orders")}    accessPolicy:
      - group: analsts
        row_level:
          filters:
            - { member: status, operator: equals, values: ["{ userAttributes.regoin }"] }
      - { groups: [analysts, planned], member_level: { includes: "*" } }
      - { group: "*", conditions: [{ if: "{ userAttributes.region }" }] }
      - { role: Devloper }
      - { role: auditors }
      - { role: admin }
`;
  await stack.write([
    deployment,
    { kind: "UserGroup", name: "planned", spec: { name: "planned" } },
    { kind: "UserAttribute", name: "region", spec: { name: "region", type: "boolean" } },
    { kind: "Role", name: "auditors", spec: { name: "auditors", policies: [] } },
    model({ [path("orders")]: text, [path("other")]: cube("other") }),
  ]);
  const warnings = async () =>
    (await stack.plan()).diagnostics
      .filter(({ severity }) => severity === "warning")
      .map(({ path: at, summary, remedy }) => `${at} ${summary} | ${remedy?.split("?")[0]}`);
  const at = "/spec/files/model~1cubes~1orders.yml model/cubes/orders.yml";
  const missing = [
    `${at}:7:16: an access policy names the group analsts, which does not exist | Did you mean "analysts"`,
    `${at}:10:60: an access policy names the user attribute regoin, which does not exist | Did you mean "region"`,
    `${at}:13:17: an access policy names the role Devloper, which does not exist | Did you mean "Developer"`,
  ];
  expect(await warnings()).toEqual(missing);
  await stack.apply();
  // A plan without changes repeats them, and so does drift.
  expect(await warnings()).toEqual(missing);
  const drifted = await drift(stack.options);
  expect(drifted.ok && drifted.plan.diagnostics).toEqual((await stack.plan()).diagnostics);
  for (let index = 0; index < 11; index++) {
    const user = `/api/v1/embed-tenants/tenant-${index}/user`;
    await service.send("POST", user, { body: { externalId: "viewer" } });
  }
  // A policy names a group of an embed tenant with the tenant, so another group is the account's.
  expect(await warnings()).toEqual(missing.filter((one) => !one.includes("attribute")));
  const why = "one of 11 embed tenants may have them; a plan reads those of 10";
  expect((await stack.plan()).notChecked).toEqual([
    `the user attributes in the access policies of DataModel/shop (${why})`,
  ]);
});

it("whose link leads to a dashboard that neither the account nor the stack has gets a warning", async () => {
  const link = (slug: string) => `{ name: ${slug}, label: Open, dashboard: ${slug} }`;
  const links = ["custmer", "customer", "stored"].map(link).join(", ");
  const text = `${cube("orders")}      - { name: customer, sql: customer, type: string, links: [${links}] }\n`;
  const dashboard = (slug: string) => ({
    kind: "Workbook",
    name: slug,
    spec: { deployment: "shop", slug, name: slug },
  });
  await stack.write([deployment, dashboard("customer"), dashboard("stored")]);
  await stack.apply();
  await stack.write([deployment, model({ [path("orders")]: text }), dashboard("customer")]);
  const found = (await stack.plan()).diagnostics.map(({ summary }) => summary);
  expect(found).toEqual([
    "model/cubes/orders.yml:6:105: a link leads to the dashboard custmer, which does not exist",
  ]);
});

describe("a chart of a dashboard", () => {
  const place = (row: number) => ({ x: 0, y: 4 * row, w: 6, h: 4 });
  const workbook = (...configs: JsonObject[]): Doc => ({
    kind: "Workbook",
    name: "sales",
    spec: {
      deployment: "shop",
      slug: "sales",
      dashboard: {
        widgets: configs.map((config, at) => {
          return { id: `w${at}`, type: "CHART", position: place(at), config };
        }),
      },
    },
  });
  const good: Doc = {
    kind: "Report",
    name: "states",
    spec: {
      deployment: "shop",
      publicId: "states000001",
      jsonQuery: '{"dimensions":["orders.status"]}',
    },
  };
  const wrong = {
    chart: "line",
    query: { measures: ["ordrs.count"], dimensions: ["orders.status"] },
  };
  const orders = model({ [path("orders")]: cube("orders") });
  const listed =
    "`svc meta DEPLOYMENT` lists the cubes and views, and with the name of one its members.";
  const warnings = (diagnostics: readonly Diagnostic[]) =>
    diagnostics
      .filter(({ code }) => code === "value-ineffective")
      .map(({ address, path: at, summary, remedy }) =>
        [`${address} ${at} ${summary}`, remedy ?? []].flat().join(" | "),
      );
  const at = "Workbook/sales /spec/dashboard/widgets";

  it("with a member that the declared model lacks is a warning of the manifests", async () => {
    await stack.write([
      deployment,
      orders,
      workbook(wrong, { query: { dimensions: ["orders.status"] } }),
    ]);
    expect(warnings((await loadStack(stack.options)).diagnostics)).toEqual([
      `${at}/0/config/query/measures/0 'ordrs' not found for path 'ordrs.count' | Did you mean orders.count?`,
    ]);
    await stack.write([deployment, workbook({ query: { dimensions: ["any.thing"] } })]);
    expect(warnings((await loadStack(stack.options)).diagnostics)).toEqual([]);
  });

  it("of an unknown type, with an option that it does not use, or outside the grid is an error of the manifests", async () => {
    const query = { measures: ["orders.count"] };
    const declared = workbook(
      { chart: "dial", query },
      { chart: "pie", stacking: "stacked", query },
      { querry: query, titel: "Orders", size: 3 },
      { query, table: { rows: 3 }, title: "Orders", titel: "All orders" },
      { query },
      { query },
    );
    const { widgets } = declared.spec["dashboard"] as { readonly widgets: JsonObject[] };
    Object.assign(widgets[4] ?? {}, { position: { x: 9, y: 16, w: 4, h: 4 } });
    Object.assign(widgets[5] ?? {}, { position: { x: 0, y: 0, w: 6, h: 1 } });
    const filter = { member: "orders.status", defualt: "paid" };
    const position = { x: 0, y: 40, w: 3, h: 2 };
    widgets.push({ id: "w6", type: "FILTER", position, config: filter });
    Object.assign(declared.spec["dashboard"] as object, {
      theme: { mode: "darkk", primaryColour: "#0a7d5c" },
    });
    await stack.write([deployment, declared]);
    const errors = (await loadStack(stack.options)).diagnostics.map(
      ({ severity, path: found, summary, remedy }) =>
        [`${severity} ${found} ${summary}`, remedy ?? []].flat().join(" | "),
    );
    const named = (index: number, member: string) =>
      `error /spec/dashboard/widgets/${index}/${member.replace(".", "/")} "spec.dashboard.widgets[${index}].${member}" of widget w${index}`;
    const themed = (member: string) =>
      `error /spec/dashboard/theme/${member} "spec.dashboard.theme.${member}"`;
    expect(errors.toSorted()).toEqual(
      [
        `${named(0, "config.chart")} is not a type of chart | Use one of ${chartTypes.join(", ")}.`,
        `${named(1, "config.stacking")} has no effect on a pie chart | It is for bar or area.`,
        `${named(2, "config.querry")} is not an option of a chart | Did you mean "query"?`,
        `${named(2, "config.titel")} is not an option of a chart | Did you mean "title"?`,
        `${named(2, "config.size")} must be a member such as orders.amount: 3`,
        `${named(3, "config.table")} is not an option of a chart`,
        `${named(3, "config.titel")} is not an option of a chart`,
        `${named(4, "position")} ends at column 13 of 12 | Choose x and w whose sum is at most 12.`,
        `${named(5, "position")} covers widget w0 | Move one of them.`,
        `${named(6, "config.defualt")} is not an option of a FILTER | Did you mean "default"?`,
        `${themed("mode")} must be light, dark or auto: "darkk"`,
        `${themed("primaryColour")} is not a member of a theme | Did you mean "primaryColor"?`,
      ].toSorted(),
    );
    await expect(stack.plan()).rejects.toThrow(/of widget w0 is not a type of chart/);
  });

  it("without a text, or with a misspelled one, is a warning for a text widget", async () => {
    const widgets = [{ markdown: "Sales" }, { txt: "Sales" }, { text: " " }, undefined].map(
      (config, index) => {
        return { id: `t${index}`, type: "TEXT", position: place(index), ...(config && { config }) };
      },
    );
    const { spec } = workbook();
    await stack.write([deployment, { ...workbook(), spec: { ...spec, dashboard: { widgets } } }]);
    expect(warnings((await loadStack(stack.options)).diagnostics)).toEqual([
      `${at}/1/config/txt txt is not a known field of a text widget | Did you mean "text"?`,
      `${at}/2/config the widget has no text, so the server shows nothing | Add a \`text\`.`,
      `${at}/3 the widget has no text, so the server shows nothing | Add a \`text\`.`,
    ]);
  });

  it("with a field that queries do not have, or members of another kind or in an order, is one too", async () => {
    const measures = `${cube("orders")}    measures:\n      - { name: count, type: count }\n`;
    const files = model({ [path("orders")]: measures });
    const query = {
      measures: ["orders.status"],
      dimensions: ["orders.count"],
      filtrs: [],
      filters: [{ or: [{ member: "orders.cuont", operater: "set" }] }],
      order: { "orders.cont": "asc", "orders.count": "up" },
    };
    await stack.write([
      deployment,
      files,
      workbook({ query }, { query: { order: [["no.n", "asc"]] } }),
    ]);
    const found = [
      `${at}/0/config/query/measures/0 orders.status is a dimension, not a measure | ${listed}`,
      `${at}/0/config/query/dimensions/0 orders.count is a measure, not a dimension | ${listed}`,
      `${at}/0/config/query/filtrs query.filtrs is not a known field | Did you mean "filters"?`,
      `${at}/0/config/query/filters/0/or/0/member 'cuont' not found for path 'orders.cuont' | Did you mean orders.count?`,
      `${at}/0/config/query/filters/0/or/0/operater query.filters[0].or[0].operater is not a known field | Did you mean "operator"?`,
      `${at}/0/config/query/order/orders.cont 'cont' not found for path 'orders.cont' | Did you mean orders.count?`,
      `${at}/0/config/query/order/orders.count query.order["orders.count"] must be one of "asc", "desc"`,
      `${at}/1/config/query/order/0/0 'no' not found for path 'no.n' | ${listed}`,
    ];
    // No plan is needed, so that the first one has them, and those where neither changed.
    expect(warnings((await loadStack(stack.options)).diagnostics)).toEqual(found);
    await stack.apply();
    await service.accounts[0]?.runBuilds();
    const more = { query: { ...query, limit: 5 } };
    await stack.write([deployment, files, workbook(more)]);
    expect(warnings((await stack.plan()).diagnostics)).toEqual([]);
  });

  it("has the same warnings with a declared data model as with the one of the server", async () => {
    const timed = `${cube("orders")}      - { name: at, sql: at, type: time }
      - { name: id, sql: id, type: number, primary_key: true }
    measures:
      - { name: count, type: count }
`;
    const declared = model({ [path("orders")]: timed });
    const measures = ["orders.count"];
    const at2 = (granularity: string) => [{ dimension: "orders.at", granularity }];
    const charts: readonly JsonObject[] = [
      { query: { measures } },
      { query: { measures, timeDimensions: at2("weeks") } },
      { query: { measures, dimensions: ["orders.at.fortnight"] } },
      { query: { measures, dimensions: ["orders.status.day"] } },
      { chart: "bar" },
      { query: { measures }, title: "Orders" },
      { query: { measures, filters: [{ member: "orders.statsu", operator: "set" }] } },
      { query: { measures, timeDimensions: at2("week") } },
      { query: { mesures: measures } },
      { query: [{ measures: ["orders.cuont"] }] },
    ];
    const dashboard = workbook(...charts);
    const controls: readonly (readonly [string, JsonObject])[] = [
      ["FILTER", { member: "orders.status" }],
      ["FILTER", { member: "orders.statsu" }],
      ["FILTER", { member: "orders.id" }],
      ["TIME_GRAIN", { member: "orders.at", options: ["day", "mnth"] }],
      ["FIELD", { member: "orders.status", options: ["orders.count", "orders.statsu"] }],
    ];
    const filters = controls.map(([type, config], index) => ({
      id: `f${index}`,
      type,
      position: place(charts.length + index),
      config,
    }));
    const chart = { id: "none", type: "CHART", position: place(charts.length + filters.length) };
    const widgets = (dashboard.spec["dashboard"] as JsonObject)["widgets"] as JsonObject[];
    widgets.push(...filters, chart);
    const found = async () => {
      const manifests = (await loadStack(stack.options)).diagnostics;
      return warnings([...manifests, ...(await stack.plan()).diagnostics]).toSorted();
    };
    const nothing =
      "the chart has no query and no report, so the server shows nothing | Add a `query`, or a `report` with the public ID of a report.";
    const expected = [
      `1/config/query/timeDimensions/0/granularity Granularity "weeks" does not exist in dimension orders.at | Did you mean week?`,
      `2/config/query/dimensions/0 Granularity "fortnight" does not exist in dimension orders.at | ${listed}`,
      `3/config/query/dimensions/0 orders.status is of type string and has no granularity | ${listed}`,
      `4/config ${nothing}`,
      `6/config/query/filters/0/member 'statsu' not found for path 'orders.statsu' | Did you mean orders.status?`,
      `8/config/query/mesures query.mesures is not a known field | Did you mean "measures"?`,
      `9/config/query a chart takes one query, not a list of queries | Write the one query without the list.`,
      `11/config/member 'statsu' not found for path 'orders.statsu' | Did you mean orders.status?`,
      `12/config/member orders.id is hidden: it, its cube or its view is not public, as primary keys by default | ${listed}`,
      `13/config/options/1 Granularity "mnth" does not exist in dimension orders.at | Did you mean month?`,
      `14/config/options/1 'statsu' not found for path 'orders.statsu' | Did you mean orders.status?`,
      `15 ${nothing}`,
    ].map((one) => `${at}/${one}`);
    await stack.write([deployment, declared, dashboard]);
    expect(await found()).toEqual(expected.toSorted());
    expect((await stack.plan()).notChecked).toContain(
      "the queries of the dashboard of Workbook/sales (the plan writes DataModel/shop too)",
    );
    await stack.write([deployment, declared]);
    await stack.apply();
    await service.accounts[0]?.runBuilds();
    await stack.write([deployment, dashboard]);
    expect(await found()).toEqual(expected.toSorted());
  });

  it("with a report that neither the stack nor a new deployment has is a warning of the plan", async () => {
    const named = workbook({ report: "states000002" }, { report: "states000001" });
    const query = { query: { dimensions: ["orders.status"] } };
    await stack.write([deployment, good, named]);
    const { diagnostics, notChecked } = await stack.plan();
    expect(warnings(diagnostics)).toEqual([
      `${at}/0/config/report deployment shop has no report states000002 | Did you mean "states000001"?`,
    ]);
    expect(notChecked?.join()).not.toContain("Workbook");
    await stack.write([deployment, workbook(query)]);
    expect((await stack.plan()).notChecked).toContain(
      "the queries of the dashboard of Workbook/sales (its deployment does not exist yet)",
    );
    await stack.write([deployment]);
    await stack.apply();
    await stack.write([deployment, workbook(query)]);
    isUnbuilt = true;
    expect((await stack.plan()).notChecked).toContain(
      "the queries of the dashboard of Workbook/sales (the environment serves no build yet)",
    );
  });

  it("with a report or a member that the server lacks is a warning of the plan", async () => {
    await stack.write([deployment, orders, good]);
    await stack.apply();
    await service.accounts[0]?.runBuilds();
    const { query, ...rest } = wrong;
    const dimensions = [...query.dimensions, "orders.statsu"];
    const wronger = { ...rest, query: { ...query, dimensions } };
    await stack.write([
      deployment,
      good,
      workbook(wronger, { report: "states000002" }, { report: "states000001" }),
    ]);
    const { diagnostics } = await stack.plan();
    expect(warnings(diagnostics)).toEqual([
      `${at}/0/config/query/measures/0 'ordrs' not found for path 'ordrs.count' | Did you mean orders.count?`,
      `${at}/0/config/query/dimensions/1 'statsu' not found for path 'orders.statsu' | Did you mean orders.status?`,
      `${at}/1/config/report deployment shop has no report states000002 | Did you mean "states000001"?`,
    ]);
  });
});

it("a widget with the ID of an earlier one is an error of the manifests, at its own place", async () => {
  const widgets = ["a", "b", "a"].map((id) => ({
    id,
    type: "TEXT",
    position: { x: 0, y: 0, w: 0, h: 0 },
  }));
  const spec = { deployment: "shop", slug: "sales", dashboard: { widgets } };
  await stack.write([deployment, { kind: "Workbook", name: "sales", spec }]);
  const text = await readFile(join(stack.folder, "documents.yaml"), "utf8");
  const [, line = ""] = text.split("\n---\n");
  expect((await loadStack(stack.options)).diagnostics).toMatchObject([
    {
      code: "out-of-bounds",
      severity: "error",
      path: "/spec/dashboard/widgets/2/id",
      place: { line: 3, column: line.lastIndexOf('"a"') + 1 },
      summary: '"spec.dashboard.widgets[2].id" must differ from widgets[0].id: "a"',
    },
  ]);
});

describe("an apply of a data model while others work", () => {
  const files = (column: string) => ({ [path("orders")]: cube("orders", column) });
  const branchNames = async () =>
    ((await get("branches")) as { items: { name: string }[] }).items
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("dev-"));
  const failures = async (more?: Parameters<TestStack["apply"]>[0]) =>
    (await stack.apply(more)).outcomes.map(({ failure }) => failure?.code);
  /** Calls `act` before the first request of the apply whose path ends with `end`. */
  const before = (end: string, act: () => Promise<void>): void => {
    let isDone = false;
    const hook = async (): Promise<"pass"> => {
      const at = proxy.requests.at(-1)?.path ?? "";
      const isPlan = at === validateDataModelFiles.path;
      if (isDone || isPlan || at.split("?")[0]?.endsWith(end) !== true) return "pass";
      isDone = true;
      await act();
      return "pass";
    };
    proxy.armAnyCall(1, hook, 1000);
  };
  beforeEach(async () => {
    await stack.write([deployment, model(files("a"))]);
    await stack.apply();
    await stack.write([deployment, model(files("b"))]);
  });

  it("fails if the deploy branch changes after the validation began", async () => {
    before("/validate", () => deployElsewhere({ [path("other")]: cube("other") }));
    expect(await failures()).toEqual(["conflict"]);
    expect(Object.keys(await get("data-model/file-hashes"))).toEqual([
      "model/cubes/orders.yml",
      "model/cubes/other.yml",
    ]);
    expect(await branchNames()).toEqual(["main"]);
  });

  it("fails if another apply of the same files was faster", async () => {
    before("/upload/finish", () => deployElsewhere(files("b")));
    expect(await failures()).toEqual(["conflict"]);
    expect(await branchNames()).toEqual(["main"]);
  });

  it("reports a merge without effect as a conflict", async () => {
    before("/merge-to-default", () => deployElsewhere(files("b")));
    expect(await failures()).toEqual(["conflict"]);
  });

  it("does not take a deleted branch for a deleted model", async () => {
    await stack.write([deployment]);
    before("/upload/finish", async () => {
      const names = (await branchNames()).filter((name) => name !== "main");
      const at = `/build/api/v1/deployments/${await deploymentId()}/branches?branchName=${String(names[0])}`;
      expect((await service.send("DELETE", at)).status).toBe(200);
    });
    expect(await failures()).toEqual(["conflict"]);
    expect(Object.keys(await get("data-model/file-hashes"))).toEqual(["model/cubes/orders.yml"]);
  });

  it("removes its branch when it is canceled", async () => {
    const canceled = new AbortController();
    before("/upload/start", async () => canceled.abort());
    await stack.apply({ signal: canceled.signal }).catch(() => undefined);
    expect(canceled.signal.aborted).toBe(true);
    expect(await branchNames()).toEqual(["main"]);
  });
});

it("a folder with a secret, the inventory or the Stack's manifest is refused by its name", async () => {
  await writeInStack("shop/model/cubes/orders.yml", cube("orders"));
  const key = (file: string) =>
    `apiVersion: svc/v1\nkind: ApiKey\nmetadata: { name: ci }\nspec: { name: ci }\nsecretTo: { file: ${file} }\n`;
  const found = async (folder: string, sink: string) => {
    await stack.write([deployment, model({ valueFrom: { folder } })]);
    await writeInStack("key.yaml", key(sink));
    return (await stack.diagnostics()).map(({ code, summary }) => `${code} ${summary}`);
  };
  expect(await found("shop", "shop/keys/ci")).toEqual([
    'source-not-allowed the folder "shop" would upload the secret of ApiKey/ci, shop/keys/ci',
  ]);
  expect(await found("shop", "shop/.keys/ci")).toEqual([]);
  expect(await found("shop", "shop-keys/ci")).toEqual([]);
  expect(await found(".", ".keys/ci")).toEqual([
    expect.stringContaining("would upload the manifest of the Stack, stack.yaml"),
  ]);
  await symlink("shop", join(stack.folder, "link"));
  expect(await found("shop", "link/ci")).toEqual([
    expect.stringContaining("would upload the secret of ApiKey/ci, link/ci"),
  ]);
});

it("a branch is created from another branch of the stack", async () => {
  const branch = (name: string, more: JsonObject = {}): Doc => ({
    kind: "Branch",
    name,
    spec: { deployment: "shop", name, ...more },
  });
  await stack.write([branch("fix", { from: "release" }), branch("release"), deployment]);
  expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
  const { items } = (await get("branches")) as { items: JsonObject[] };
  expect(items.map(({ name, parentBranch }) => [name, parentBranch])).toEqual([
    ["fix", "release"],
    ["release", "main"],
    ["main", undefined],
  ]);
  // When someone deletes a branch, its children move to its parent. They keep their commits.
  const branchPath = `/build/api/v1/deployments/${await deploymentId()}/branches?branchName=release`;
  expect((await service.send("DELETE", branchPath)).status).toBe(200);
  expect(changeSummaries((await stack.plan()).changes)).toEqual(["create Branch/release"]);
  await stack.write([branch("fix"), deployment]);
  expect(changeSummaries((await stack.plan()).changes)).toEqual([
    "none Branch/fix",
    "forget Branch/release",
  ]);
  await stack.write([branch("fix", { from: "other" }), branch("other"), deployment]);
  expect(changeSummaries((await stack.apply()).residual)).toEqual([]);
  const { items: kept } = (await get("branches")) as { items: JsonObject[] };
  const idOf = (list: JsonObject[]) => list.find(({ name }) => name === "fix")?.["id"];
  expect(idOf(kept)).toBe(idOf(items));
});
