// Tests a server whose disk is full, on a file system of its own. Skipped where none can be mounted.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer } from "../../service/server/server.ts";

let folder = "";
let isMounted = false;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], { stdio: "ignore" });
    isMounted = true;
  } catch {
    // Only root can mount.
  }
});
afterAll(() => {
  if (isMounted) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
});

it("is not ready while its disk is full", async (on) => {
  on.skip(!isMounted, "no file system can be mounted");
  let now = 0;
  const server = await startServer({ data: join(folder, "data"), monotonicNow: () => now });
  try {
    const ready = async () => {
      now += 60_000;
      const { status, headers } = await fetch(`${server.url}/readyz`);
      return [status, headers.get("retry-after")];
    };
    expect(await ready()).toEqual([200, null]);
    const filler = join(folder, "filler");
    expect(() => writeFileSync(filler, Buffer.alloc(33 * 1024 * 1024))).toThrow("ENOSPC");
    expect(await ready()).toEqual([503, "1"]);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    rmSync(filler);
    expect(await ready()).toEqual([200, null]);
  } finally {
    await server.close();
  }
});
