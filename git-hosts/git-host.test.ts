// Tests the calls of Git hosts at servers that know those calls only: statuses, comments that are replaced, and refusals.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureFrom } from "../core/errors.ts";
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import {
  type GitHostServer,
  hostRepository as repository,
  hostToken,
  startGitHost,
} from "../test/support/git-host-server.ts";
import { commentBody, commentMarker } from "./comment.ts";
import { gitHostTypes } from "./dialects.ts";
import { isTransient, openGitHost } from "./git-host.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const never = new AbortController().signal;
const marker = commentMarker("plan");
let server: GitHostServer;

describe.each(gitHostTypes)("a host of the type %s", (type) => {
  beforeEach(async () => {
    server = await startGitHost(type);
  });
  afterEach(async () => {
    await server.close();
    expect(server.unknown).toEqual([]);
  });
  const open = (token = hostToken) =>
    openGitHost({ type, api: `${server.api}/`, repository, token: new Secret(token) });
  const status = { commit, context: "svc/northwind", description: "x".repeat(300) };

  it("shows the status of a commit, with as much of its description as fits", async () => {
    const link = "https://gitops.example.com/#/northwind";
    await open().setStatus({ ...status, state: "pending", link }, never);
    await open().setStatus({ ...status, state: "pending", link }, never);
    await open().setStatus({ ...status, state: "failure" }, never);
    const failure = type === "gitlab" ? "failed" : "failure";
    expect(server.statuses[0]).toMatchObject({ sha: commit, state: "pending", target_url: link });
    expect(server.statuses.at(-1)).toMatchObject({ state: failure, context: "svc/northwind" });
    expect(server.statuses[0]?.description).toMatch(/^x{100,}…$/u);
  });

  it("has one comment of a name, among many of people who quote or copy it", async () => {
    for (let id = 1; id <= 120; id++)
      server.comments.push({ id, author: 3, body: `${id > 100 ? "" : "> "}${marker}` });
    expect(await open().upsertComment({ request: 7, marker, body: "first" }, never)).toBe(false);
    expect(await open().upsertComment({ request: 7, marker, body: "second" }, never)).toBe(true);
    const ours = server.comments.slice(120);
    expect(server.comments[119]?.body).toBe(marker);
    expect(ours.map(({ body }) => body)).toEqual([`${marker}\nsecond`]);
    const other = commentMarker("drift");
    expect(await open().upsertComment({ request: 7, marker: other, body: "" }, never)).toBe(false);
  });

  it("refuses a wrong token and an unknown commit for good, and is asked again after the rest", async () => {
    const set = (token?: string) =>
      failureFrom(() => open(token).setStatus({ ...status, state: "success" }, never));
    const wrong = await set("wrong");
    expect(wrong).toMatchObject({ code: "unauthenticated" });
    expect(wrong?.message).toContain("Bad credentials");
    expect(wrong?.message).not.toContain("wrong");
    server.disturbances.push(
      { status: 422, body: { message: `No commit found\u001b[2J for ${"y".repeat(10_000)}` } },
      { status: 503 },
      { status: 429, headers: { "retry-after": "7" } },
      { status: 403, headers: { "retry-after": "9" } },
      { status: 302, headers: { location: "/elsewhere" } },
      { status: 403 },
    );
    const failures = [];
    for (let count = 0; count < 6; count++) failures.push(await set());
    const facts = failures.map((one) => [one?.code, one?.retryAfter, one && isTransient(one)]);
    expect(facts).toEqual([
      ["invalid", undefined, false],
      ["unavailable", undefined, true],
      ["rate_limited", 7, true],
      ["rate_limited", 9, true],
      ["unavailable", undefined, true],
      ["forbidden", undefined, false],
    ]);
    expect(failures[0]?.message).toMatch(/No commit found/u);
    expect(failures[0]?.message).not.toContain("\u001b");
    expect(failures[0]?.message.length).toBeLessThan(limits.messageCharacters + 200);
    expect(server.requests).not.toContain("POST /elsewhere");
  });

  it("is left when it does not answer, or the run is stopped", async () => {
    server.disturbances.push("hang");
    const stop = new AbortController();
    const waiting = failureFrom(() =>
      open().setStatus({ ...status, state: "success" }, stop.signal),
    );
    while (server.requests.length === 0) await new Promise(setImmediate);
    stop.abort();
    expect(await waiting).toMatchObject({ code: "aborted" });
    await server.close();
    const gone = await failureFrom(() => open().setStatus({ ...status, state: "success" }, never));
    expect(gone).toMatchObject({ code: "unreachable" });
  });

  it("lists nothing that could be taken for a comment of another form", async () => {
    const viewer = { data: { viewer: { databaseId: 41 } } };
    const us = { status: 200, body: type === "github" ? viewer : { id: 41 } };
    server.disturbances.push(us, { status: 200, body: { items: [] } });
    const body = { request: 7, marker, body: "" };
    expect(await failureFrom(() => open().upsertComment(body, never))).toMatchObject({
      code: "unexpected_answer",
    });
    const ours = { id: "../1", body: marker, user: { id: 41 }, author: { id: 41 } };
    server.disturbances.push(us, { status: 200, body: [ours, null, 3] });
    expect(await open().upsertComment(body, never)).toBe(false);
    server.disturbances.push({ status: 200, body: {} });
    expect(await failureFrom(() => open().upsertComment(body, never))).toMatchObject({
      message: "the host does not name the user of the token",
    });
  });
});

it("sends a token to https only, and to no repository outside of the API", () => {
  const options = { type: "gitea", repository, token: new Secret("x") } as const;
  expect(() => openGitHost({ ...options, api: "http://git.example.com" })).toThrow("https");
  expect(() => openGitHost(options)).toThrow("needs the address");
  for (const wrong of ["../admin?x=", "a//b", "a/b#c", ""]) {
    expect(() =>
      openGitHost({ ...options, api: "https://x.example", repository: wrong }),
    ).toThrow();
  }
});

describe("the comment of several stacks", () => {
  const report = (stack: string, size: number) =>
    `<!-- svc plan ${stack} -->\n### Plan \`${stack}\`\n\n${"z".repeat(size)}\n`;

  it("has all reports if they fit, also those of one file", () => {
    const all = commentBody([`${report("a", 5)}\n${report("b", 5)}`, report("c", 5)], 65_000);
    expect(all.match(/### Plan/gu)).toHaveLength(3);
    expect(all).not.toContain("left out");
  });

  it("names the reports that do not fit, and is never longer than the host accepts", () => {
    const files = ["a", "b", "c"].map((name) => report(name, 400));
    const cut = commentBody(files, 800);
    expect(cut).toMatch(/z{400}[^]*too long[^]*### Plan `b` \(left out\)[^]*`c` \(left out\)/u);
    for (let most = 200; most < 2000; most += 7) {
      expect(commentBody(files, most).length).toBeLessThanOrEqual(most);
    }
  });
});
