// The limits of the files of rollups.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { writeRollupFile } from "./rollup-file.ts";

test("rows have limits of their number and bytes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-rollup-file-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const write = async (name: string, bounds: object) =>
    writeRollupFile(
      await connection.stream("SELECT range AS id, md5(range::TEXT) FROM range(300000)"),
      join(folder, name),
      { rollupRows: 300_000, rollupBytes: 100_000_000, ...bounds },
    );
  await write("all", {});
  await expect(write("rows", { rollupRows: 299_999 })).rejects.toThrow("more than 299999 rows");
  await expect(write("bytes", { rollupBytes: 100_000 })).rejects.toThrow("more than 100000 bytes");
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});
