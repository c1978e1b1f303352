// Tests that the service reads or returns everything that the store keeps.
import { expect, it } from "vitest";
import { sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";
import { operations } from "../../api/index.ts";
import { recordedSettings } from "../../scripts/recorded-settings.ts";
import { memberOf, passedColumns, unreadColumns } from "./store-columns.ts";

it("every column is read", () => {
  expect(unreadColumns(sources())).toEqual([]);
});

/** Columns that the service writes for readers of its responses. */
const reported = new Set([
  "AccountTable.audit_log_changed_at",
  "FolderTable.updated_by",
  "GitConnectionTable.synced_at",
  "NotificationDeliveryTable.sent_at",
  "RegionTable.is_public",
  "ReportTable.refreshed_at",
  "ScimIntegrationTable.token_prefix",
  "UploadTable.file_bytes",
  "UploadTable.file_count",
  "UserOAuthTokenTable.last_error",
]);

/** Columns that the service reads under the name of a member. */
const readAsMember = new Set([
  "AccountTable.external_user_limit",
  "AccountTable.oidc_enabled",
  "AccountTable.use_creator_mode",
  // The page of the dashboard shows the widget's title with the thread.
  "DashboardCommentTable.widget_id",
]);

it("every column that is only stored and returned is a setting that is declared as only recorded", () => {
  const recorded = new Set(
    recordedSettings(operations).map(([path = ""]) => path.replaceAll("`", "").split(".").at(-1)),
  );
  const passed = passedColumns(
    sources().filter(({ path }) => path !== "service/areas/audit-logs/audited-tables.ts"),
  );
  const isListed = (column: string) => reported.has(column) || readAsMember.has(column);
  const undeclared = passed.filter(
    (column) => !isListed(column) && !recorded.has(memberOf(column.split(".")[1] ?? "")),
  );
  expect(undeclared).toEqual([]);
  expect([...reported, ...readAsMember].filter((column) => !passed.includes(column))).toEqual([]);
});

it("a column that is only passed between the store and the API is found", () => {
  const columns = ["shown_as", "picked", "changed_to", "asked", "renamed", "typed"];
  const all = [
    parseSource(
      "service/store/schema.ts",
      `interface ThingTable { ${columns.map((name) => `${name}: string;`).join(" ")} }`,
    ),
    parseSource(
      "service/areas/things.ts",
      `type Some = Pick<Row, "typed">;
       const show = (row) => ({ shownAs: fromJson(row.shown_as), picked: row.picked, other: row.renamed });
       const change = (body) => ({ changed_to: body.changedTo });
       db.selectFrom("things").where("asked", "=", 1).select(["picked"]);`,
    ),
  ];
  expect(passedColumns(all)).toEqual([
    "ThingTable.shown_as",
    "ThingTable.picked",
    "ThingTable.changed_to",
    "ThingTable.typed",
  ]);
});

it("a column that is only written, or read by a migration or a test alone, is found", () => {
  const columns = ["kept", "taken", "chosen", "bound", "raw", "written", "short", "old"];
  const members = columns.map((name) => `${name}: string;`).join(" ");
  const all = [
    parseSource("service/store/schema.ts", `interface ThingTable { ${members} }`),
    parseSource(
      "service/areas/things.ts",
      `const { taken } = row; f(row.kept); type Row = { old: string };
       db.select("things.chosen as name").where(sql\`raw = 1\`); const { bound: other } = row;
       db.insert({ kept: 1, taken: 1, written: 1, short });`,
    ),
    parseSource("service/store/migrations/0001.ts", "f(row.old);"),
    parseSource("service/areas/things.test.ts", "f(row.old);"),
  ];
  expect(unreadColumns(all)).toEqual([
    "ThingTable.written: nothing reads this column",
    "ThingTable.short: nothing reads this column",
    "ThingTable.old: nothing reads this column",
  ]);
});
