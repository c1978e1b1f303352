// The wait for a build, against a server that reports one status after another.
import { expect, test } from "vitest";
import {
  respondJson,
  createTestClient,
  failureOf,
  startStubServer,
} from "../../../test/support/stub-server.ts";
import { buildFailureText, waitForBuild } from "./build-wait.ts";

/** Waits at a server whose statuses follow each other; the last one stays. */
async function waited(
  statuses: readonly (string | object)[],
  { graceMs = 60_000, timeoutMs = 30_000 } = {},
) {
  const { url } = await startStubServer(({ url: path }, response) => {
    if (path.includes("/logs")) return respondJson(response, { items: [], pageInfo: noMore });
    const status = statuses[Math.min(at++, statuses.length - 1)];
    const more = typeof status === "string" ? { status } : status;
    respondJson(response, { deploymentId: 1, branchName: "main", mode: "dev_mode", ...more });
  });
  let at = 0;
  const shown: string[] = [];
  const status = await waitForBuild(createTestClient(url), {
    deploymentId: 1,
    branchName: "main",
    timeoutMs,
    graceMs,
    isNew: false,
    signal: new AbortController().signal,
    statusLine: { show: (text) => shown.push(text), note: () => undefined, clear: () => undefined },
  });
  return { status, shown };
}
const noMore = { hasNextPage: false, hasPreviousPage: false };

test("a build that has not begun is waited for, and a status that the client does not know is progress", async () => {
  const { status, shown } = await waited(["none", "stopped", "provisioning", "warmup", "built"]);
  expect(status.status).toBe("built");
  expect(shown.map((text) => text.replace(/ … .*/u, ""))).toEqual([
    "main: none",
    "main: stopped",
    "main: provisioning",
    "main: warmup",
  ]);
});

test("a branch that stays without a build ends the wait after the grace", async () => {
  const { status } = await waited(["none"], { graceMs: 100 });
  expect(buildFailureText(status)).toBe("the branch main has no build: none");
});

test("an unknown branch is an error, and one that no environment serves ends the wait", async () => {
  const unknown = await failureOf(waited([{ status: "building", errorText: "Bad branch" }]));
  expect([unknown.code, unknown.message]).toEqual(["not_found", 'there is no branch "main"']);
  const { status } = await waited([{ status: "building", errorText: "Branch is not active" }]);
  expect(buildFailureText(status)).toContain("no environment serves the branch main");
});

test("a failed build has a reason in one line, and a long one is a timeout", async () => {
  const { status } = await waited([{ status: "failed", errorText: "a.yml:1:1: bad\nmore" }]);
  expect(buildFailureText(status)).toBe("the build of main failed: a.yml:1:1: bad");
  const late = await failureOf(waited(["building"], { timeoutMs: 100 }));
  expect(late.code).toBe("timeout");
});
