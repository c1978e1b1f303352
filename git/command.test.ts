// Failures of Git commands: the reason is in the message, and no password is.
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { git } from "./command.ts";

const run = (ssh: string) => ({
  cwd: tmpdir(),
  env: { PATH: process.env["PATH"], GIT_SSH_COMMAND: `sh -c '${ssh}' --` },
});

it.each([
  ["echo Host key verification failed. >&2; exit 255", "Host key verification failed."],
  [
    "echo git@h.example: Permission denied \\(publickey\\). >&2; exit 255",
    "git@h.example: Permission denied (publickey).",
  ],
  ["exit 255", "fatal: Could not read from remote repository."],
])("quotes the reason of ssh: %s", async (ssh, reason) => {
  const listed = git(["ls-remote", "--", "ssh://git@h.example/x"], run(ssh));
  await expect(listed).rejects.toMatchObject({
    code: "unavailable",
    message: `git ls-remote failed: ${reason}`,
  });
});

it("quotes the reason of https, without the password", async () => {
  const listed = git(["ls-remote", "--", "https://user:hunter2@127.0.0.1:1/x"], run(""));
  const message = await listed.catch((error: unknown) => String(error));
  expect(message).toMatch(/unable to access .*: Failed to connect/u);
  expect(message).not.toContain("hunter2");
});
