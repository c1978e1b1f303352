// Opening a data folder of an earlier version migrates it and keeps its content.
import Database from "better-sqlite3";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadCatalogue } from "../accounts/version-catalogue.ts";
import { startServer } from "../server/server.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { embedAccess } from "./migrations/0029-embed-access.ts";
import { shownReports } from "./migrations/0068-shown-reports.ts";
import { reportWriters } from "./migrations/0069-report-writers.ts";
import { mailFingerprints } from "./migrations/0070-mail-fingerprints.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-migrate-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a store of the first version with one deployment. */
async function firstVersion(): Promise<void> {
  const file = join(folder, "account.db");
  const db = new Kysely<never>({
    dialect: sqliteDialect({ writer: new Database(file) }),
  });
  await accounts("sqlite").up(db);
  await db.destroy();
  const raw = new Database(file);
  const at = "2026-01-01T00:00:00.000Z";
  raw.exec(`
    create table migrations (name varchar(255) not null primary key, timestamp varchar(255) not null);
    create table migrations_lock (id varchar(255) not null primary key, is_locked integer not null default 0);
    insert into migrations_lock values ('migration_lock', 0);
    insert into migrations values ('0001-accounts', '${at}');
    insert into account values (1, 'embedded', 1, 1, 10, '${at}');
    insert into regions (name, is_public) values ('here', 1);
    insert into deployments (name, region, deployment_url, cloud_provider, target_platform, is_managed, creation_step, created_at)
      values ('old', 'here', 'https://old-1.here.svc.localhost', 'aws', 'aws', 1, 'ready', '${at}');`);
  raw.close();
}

describe("a data folder of the first version", () => {
  it("opens with its deployments on the newest version of the first channel", async () => {
    await firstVersion();
    writeFileSync(join(folder, "secret.key"), `${"k".repeat(43)}\n`);
    const server = await startServer({ data: folder });
    try {
      const row = await server.db.selectFrom("deployments").selectAll().executeTakeFirstOrThrow();
      const { version, channel } = loadCatalogue().newest("latest");
      expect(row).toMatchObject({
        name: "old",
        template: "single",
        release_channel: channel,
        version,
        version_hold: 0,
        template_variables: "{}",
      });
      expect(await server.db.selectFrom("versions_run").selectAll().execute()).toMatchObject([
        { version, release_channel: channel },
      ]);
    } finally {
      await server.close();
    }
  });
});

describe("a migration that fails halfway", () => {
  it("changes nothing, names its cause, and is repeated by the next start", async () => {
    await firstVersion();
    writeFileSync(join(folder, "secret.key"), `${"k".repeat(43)}\n`);
    const run = (sql: string): void => {
      const raw = new Database(join(folder, "account.db"));
      raw.exec(sql);
      raw.close();
    };
    // The migration of folders creates its table first, and then an index with this name.
    run("create table folders_by_deployment (id integer)");
    await expect(startServer({ data: folder })).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("folders_by_deployment") as string,
    });
    run("drop table folders_by_deployment");
    const server = await startServer({ data: folder });
    expect(await server.db.selectFrom("folders").selectAll().execute()).toEqual([]);
    await server.close();
  });
});

describe("a data folder with embedded dashboards", () => {
  it("keeps them visible to all embed tenants, and only those", async () => {
    await (await startServer({ data: folder })).close();
    const file = join(folder, "account.db");
    const raw = new Database(file);
    const at = "2026-01-01T00:00:00.000Z";
    raw.exec("drop table workbook_embed_access");
    const deployment = raw.prepare("select id from deployments").pluck().get();
    for (const [id, status, allowEmbed] of [
      [1, "published", 1],
      [2, "published", 0],
      [3, "draft", 1],
    ]) {
      raw
        .prepare(`insert into workbooks (id, deployment_id, name, meta, created_at, updated_at)
          values (?, ?, 'Sales', '{}', ?, ?)`)
        .run(id, deployment, at, at);
      raw
        .prepare(`insert into dashboards (workbook_id, deployment_id, status, public_id, allow_embed, config,
          version_number, created_at) values (?, ?, ?, ?, ?, '{}', 1, ?)`)
        .run(id, deployment, status, `dashboard-${id}`, allowEmbed, at);
    }
    raw.close();
    const db = new Kysely<never>({ dialect: sqliteDialect({ writer: new Database(file) }) });
    await embedAccess("sqlite").up(db);
    await db.destroy();
    const migrated = new Database(file, { readonly: true });
    const rows = migrated
      .prepare("select workbook_id, embed_tenant_id from workbook_embed_access")
      .all();
    migrated.close();
    expect(rows).toEqual([{ workbook_id: 1, embed_tenant_id: null }]);
  });
});

describe("a data folder of a build that lacked an intermediate migration", () => {
  it("is rejected and left unchanged", async () => {
    await (await startServer({ data: folder })).close();
    const file = join(folder, "account.db");
    const forget = new Database(file);
    forget.exec("delete from migrations where name like '0005-%'");
    forget.close();
    await expect(startServer({ data: folder })).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("in another order") as string,
      remedy: expect.stringContaining("Restore a backup") as string,
    });
    const raw = new Database(file, { readonly: true });
    const names = raw.prepare("select name from migrations where name like '0005-%'").all();
    raw.close();
    expect(names).toEqual([]);
  });
});

describe("dashboards of an earlier version", () => {
  it("keep showing the reports of their deployment that they name", async () => {
    const raw = new Database(":memory:");
    const widgets = [
      { type: "CHART", config: { reportId: 1 } },
      { type: "CHART", config: { report: "orders000002" } },
      { type: "CHART", config: { reportId: 3 } },
      { type: "TEXT" },
    ];
    raw.exec(`
      create table dashboards (id integer primary key, deployment_id integer, config text);
      create table reports (id integer primary key, deployment_id integer, public_id text);
      insert into dashboards values (1, 1, '${JSON.stringify({ widgets })}'), (2, 1, '{}');
      insert into reports values (1, 1, 'orders000001'), (2, 1, 'orders000002'), (3, 2, 'orders000003');`);
    const db = new Kysely<never>({ dialect: sqliteDialect({ writer: raw }) });
    await shownReports().up(db);
    expect(raw.prepare("select shown_reports, written_by from dashboards").all()).toEqual([
      { shown_reports: "[1,2]", written_by: null },
      { shown_reports: "[]", written_by: null },
    ]);
    await db.destroy();
  });
});

it("a dashboard of an earlier version keeps the reports that it shows, and has no writer of widgets", async () => {
  const raw = new Database(":memory:");
  raw.exec(`
    create table dashboards (id integer primary key, definition text not null, shown_reports text not null, written_by integer);
    insert into dashboards values (1, '{"widgets":[]}', '[1,2]', 7), (2, '{}', '[]', null);`);
  const db = new Kysely<never>({ dialect: sqliteDialect({ writer: raw }) });
  await reportWriters().up(db);
  expect(raw.prepare("select * from dashboards").all()).toEqual([
    { id: 1, definition: '{"widgets":[]}', shown_reports: "[1,2]", report_writers: "[]" },
    { id: 2, definition: "{}", shown_reports: "[]", report_writers: "[]" },
  ]);
  await db.destroy();
});

it("a delivery of an earlier version has no fingerprint, and counts as sent by its own request", async () => {
  const raw = new Database(":memory:");
  raw.exec(`
    create table notification_deliveries (id integer primary key, status text not null);
    insert into notification_deliveries values (1, 'sent'), (2, 'failed');`);
  const db = new Kysely<never>({ dialect: sqliteDialect({ writer: raw }) });
  await mailFingerprints().up(db);
  expect(raw.prepare("select * from notification_deliveries").all()).toEqual([
    { id: 1, status: "sent", fingerprint: null, was_sent_before: 0 },
    { id: 2, status: "failed", fingerprint: null, was_sent_before: 0 },
  ]);
  await db.destroy();
});
