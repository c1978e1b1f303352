// Remotes: the time that a caller waits, and the removal of temporary folders of a killed server.
import { existsSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { limits } from "../../core/limits/limits.ts";
import { createRemotes, removeLeftFolders } from "./remote.ts";

it("removes only old folders", async () => {
  const [old, used] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "svc-git-remote-")));
  const hours = Date.now() / 1000 - 2 * 3600;
  utimesSync(old ?? "", hours, hours);
  await removeLeftFolders();
  expect([old, used].map((folder) => existsSync(folder ?? ""))).toEqual([false, true]);
  rmSync(used ?? "", { recursive: true });
});

it("waits for a free place no longer than the limit, and stops with its caller", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-remote-test-"));
  const remotes = createRemotes({ folders: [folder], privateHosts: [] });
  const access = {
    url: folder,
    username: "",
    token: undefined,
    privateKey: undefined,
    knownHosts: undefined,
  };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const occupied = vi.fn(() => released);
  // A repository has one operation at a time.
  const places = Array.from({ length: limits.gitOperations.perHost }, () => {
    const url = mkdtempSync(join(folder, "repository-"));
    return remotes.open({ ...access, url }, undefined, () => occupied());
  });
  await vi.waitFor(() => expect(occupied).toHaveBeenCalledTimes(places.length), 20_000);
  const work = vi.fn(async () => undefined);
  const stopped = remotes.open(access, AbortSignal.timeout(50), work);
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.timeout(50));
  const late = remotes.open(access, undefined, work);
  await expect(late).rejects.toMatchObject({ code: "unavailable" });
  expect(timeout).toHaveBeenCalledWith(limits.gitSyncMs);
  timeout.mockRestore();
  release();
  await Promise.all(places);
  expect(work).not.toHaveBeenCalled();
  rmSync(folder, { recursive: true });
});
