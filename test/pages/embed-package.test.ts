// The package svc-embed, as hosts install it.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFolder } from "../golden/run-cli.ts";

describe("svc-embed", () => {
  const folder = makeFolder({});
  beforeAll(async () => {
    const script = join(import.meta.dirname, "../../scripts/bundle-embed.mjs");
    await promisify(execFile)(process.execPath, [script, folder.path]);
  });
  afterAll(() => folder.remove());

  it.each(["index.js", "svc-embed.js"])("takes at most 4 kB to load as %s", (name) => {
    const bytes = gzipSync(readFileSync(join(folder.path, name)), { level: 9 }).length;
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThanOrEqual(4096);
  });

  it("loads where a server renders pages, which has no elements", async () => {
    const module = (await import(pathToFileURL(join(folder.path, "index.js")).href)) as object;
    expect(Object.keys(module).toSorted()).toEqual(["SvcDashboard", "embedDashboard"]);
  });

  it("has types that name no other package", () => {
    const files = readdirSync(folder.path).filter((name) => name.endsWith(".d.ts"));
    expect(files).toContain("index.d.ts");
    const imports = files.flatMap((name) => {
      const text = readFileSync(join(folder.path, name), "utf8");
      return [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? "");
    });
    expect(
      imports.filter((from) => !files.includes(from.replace(/^\.\/(.*)\.js$/, "$1.d.ts"))),
    ).toEqual([]);
  });
});
