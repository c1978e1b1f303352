// Files of a remote: a failed Git command must not look like a missing folder.
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { listFiles } from "./files.ts";

it("reports a Git command that was stopped, also below a folder", async () => {
  const run = { cwd: tmpdir(), env: { PATH: process.env["PATH"] }, signal: AbortSignal.abort() };
  const listed = listFiles({ url: "", run }, "0".repeat(40), "model");
  await expect(listed).rejects.toMatchObject({ code: "aborted" });
});
