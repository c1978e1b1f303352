// The store keeps nothing that nothing reads.
import { expect, it } from "vitest";
import { sources } from "./repository-files.ts";
import { parseSource } from "./source.ts";
import { unreadColumns } from "./store-columns.ts";

it("every column is read", () => {
  expect(unreadColumns(sources())).toEqual([]);
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
