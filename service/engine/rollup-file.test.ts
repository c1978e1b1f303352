// The limits of the files of rollups.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { openRollupWriter, writeRollupFile } from "./rollup-file.ts";

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

test("long texts reach the limits of bytes and memory before they are many rows", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-rollup-file-"));
  const rows = Array.from({ length: 1000 }, () => [randomBytes(20_000).toString("hex")]);
  const write = async (rollupBytes: number, parts: number) => {
    const columns = [{ member: "notes.text", type: "string" }];
    const file = join(folder, String(rollupBytes));
    const writer = await openRollupWriter(file, columns, { ...limits, rollupBytes });
    try {
      for (let part = 0; part < parts; part++) await writer.add(rows);
    } finally {
      writer.close();
    }
  };
  await expect(write(10_000_000, 1)).rejects.toThrow("more than 10000000 bytes");
  await expect(write(1_000_000_000, 20)).rejects.toThrow("more than 256 MB in memory");
  rmSync(folder, { recursive: true });
});

test("a value that DuckDB does not have is a failure that names no file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-rollup-file-"));
  const columns = [{ member: "orders.at", type: "time" }];
  const write = async (file: string, value: string) => {
    const writer = await openRollupWriter(file, columns);
    writer.setTypes(["timestamp"]);
    await writer.add([[value]]);
    await writer.finish().finally(() => writer.close());
  };
  const failure = await write(join(folder, "times"), "0044-03-15 00:00:00 BC").catch((e) => e);
  expect(failure).toMatchObject({ code: "invalid", message: expect.stringContaining("BC") });
  const gone = await write(join(folder, "none", "times"), "2026-01-01").catch((e) => e);
  expect(gone).toMatchObject({ code: "invalid", message: expect.not.stringContaining(folder) });
  rmSync(folder, { recursive: true });
});
