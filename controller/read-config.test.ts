// The configuration of a controller: all errors with their places, and no file that a source could change.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../core/limits/limits.ts";
import { connectionOf } from "./config.ts";
import { readControllerConfig } from "./read-config.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc-controller-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function read(text: string, name = "controller.yaml") {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return () => readControllerConfig(file);
}

const from = (git: string, more = "") =>
  `state: s\nsources:\n  - { name: a, git: { ${git} }${more} }\n`;

describe("a configuration", () => {
  it("plans every five minutes unless it says otherwise", () => {
    const [source] = read("state: s\nsources:\n  - { name: a, folder: stacks/a }\n")().sources;
    expect(source).toMatchObject({
      mode: "plan",
      folder: join(home, "stacks/a"),
      intervalMs: 300_000,
      jitterMs: 30_000,
      retry: { firstMs: 30_000, maxMs: 900_000 },
      grants: { maxDeletes: 0, environment: [], file: join(home, "controller.yaml") },
      failOn: "error",
    });
  });

  it("has more than a hundred sources, and a bound on their number", () => {
    const sources = (count: number): string => {
      const lines = Array.from(
        { length: count },
        (_, at) => `  - { name: s${at}, folder: s${at} }`,
      );
      return `state: s\nsources:\n${lines.join("\n")}\n`;
    };
    expect(read(sources(250))().sources).toHaveLength(250);
    const tooMany = read(sources(limits.controllerSources + 1));
    expect(tooMany).toThrow(/"sources" must have at most 1000 items/);
  });

  it("reports all errors with line, column and suggestion", () => {
    const text =
      "state: s\nsources:\n  - name: a\n    folder: x\n    intervall: 5m\n    mode: aply\n";
    expect(read(text)).toThrow(/controller\.yaml is not a valid configuration of a controller/);
    expect(read(text)).toThrow(
      /5:5: .*"sources\[0\]\.intervall" is not a known field \(Did you mean "interval"\?/,
    );
    expect(read(text)).toThrow(
      /6:11: .*must be one of .*"apply".*: "aply" \(Did you mean "apply"\?/,
    );
    expect(read("")).toThrow("is empty");
  });

  it.each([
    ["name: a", "has either git or a folder"],
    ["name: a, folder: x, git: { url: /srv/x }", "has either git or a folder"],
    ["name: a, folder: x, interval: 0s", "interval"],
    ["name: a, folder: x, retry: { first: 1h, max: 1m }", "longest pause is shorter"],
    ["name: a, folder: x, webhook: {}", "either an environment variable or a file"],
    ["name: a, folder: x, webhook: { env: A, file: b }", "either an environment variable"],
    [
      "name: a, folder: x, grants: { commands: [[sops, -d]] }",
      "Grant the files that it may decrypt",
    ],
    [
      "name: a, folder: x, suspend: { reason: r, owner: o, expires: 2027-13-01 }",
      "date does not exist",
    ],
  ])("is refused: %s", (text, why) => {
    expect(read(`state: s\nsources:\n  - { ${text} }\n`)).toThrow(why);
  });

  it.each([
    ["url: 'ext::sh -c x'", "not a supported repository URL"],
    ["url: 'file:///srv/x'", "not a supported repository URL"],
    ["url: '--upload-pack=x'", "not a supported repository URL"],
    ["url: 'https://u:hunter2@h/x'", "contains credentials"],
    ["url: 'https://hunter2@h/x'", "contains credentials"],
    ["url: 'http://h.example/x', token: { env: A }", "over https only"],
    ["url: 'http://h.example/x'", "Use https or ssh"],
    ["url: 'http://localhost.h.example/x'", "Use https or ssh"],
    ["url: 'https://h/x', branch: a, ref: refs/tags/v1", "both branch and ref"],
    ["url: 'https://h/x', branch: '-x'", "not a valid branch name"],
    ["url: '/srv/x', ca: ca.pem", "apply to https only"],
    ["url: 'https://h/x', knownHosts: hosts", "apply to ssh only"],
    ["url: 'https://h/x', path: ../y", "outside of the repository"],
  ])("refuses a repository: %s", (git, why) => {
    expect(read(from(git))).toThrow(why);
    expect(read(from(git))).not.toThrow("hunter2");
  });

  it("allows one source to apply a stack to a server", () => {
    const two = (one: string, other: string) =>
      read(`state: s\nsources:\n  - { name: a, ${one} }\n  - { name: b, ${other} }\n`);
    const apply = "folder: x, mode: apply";
    expect(two(`${apply}, stack: b`, apply)).toThrow(/4:13: the source a applies a stack of this/);
    expect(two(`${apply}, stack: c`, `${apply}, stack: c`)).toThrow("each would revert the other");
    expect(two(`${apply}, stack: b`, "folder: x")).not.toThrow();
    const onto = (url: string) => `server: { url: '${url}', apiKey: { env: A } }`;
    const target = onto("https://one.example");
    expect(two(`${apply}, ${target}`, `${apply}, stack: a, ${target}`)).toThrow("revert the other");
    const elsewhere = onto("https://two.example");
    expect(two(`${apply}, ${target}`, `${apply}, stack: a, ${elsewhere}`)).not.toThrow();
    expect(two(apply, apply)().sources.map(({ stack }) => stack)).toEqual(["a", "b"]);
  });

  it("is refused if a source could change it, also by a link", () => {
    const inside = "state: ../s\nsources:\n  - { name: a, folder: . }\n";
    expect(read(inside, "stack/controller.yaml")).toThrow("change its own grants");
    const above = "state: /nowhere/s\nsources:\n  - { name: a, git: { url: ../ } }\n";
    expect(read(above, "repository/ops/controller.yaml")).toThrow("change its own grants");
    mkdirSync(join(home, "real"));
    symlinkSync(join(home, "real"), join(home, "stack/linked"));
    const linked = "state: ../../s\nsources:\n  - { name: a, folder: .. }\n";
    expect(read(linked, "stack/linked/controller.yaml")).toThrow("change its own grants");
    expect(read("state: .\nsources:\n  - { name: a, folder: x }\n")).toThrow(
      "inside the state folder",
    );
    expect(read("state: x/s\nsources:\n  - { name: a, folder: x }\n")).toThrow(
      "Use separate folders",
    );
  });

  it("has the same digest of a source wherever its files are", () => {
    const text = (state: string, stack: string) =>
      `state: ${state}\nsources:\n  - { name: a, folder: x, stack: ${stack}, grants: { maxDeletes: 1 } }\n`;
    const digestOf = (...file: Parameters<typeof read>) => read(...file)().sources[0]?.digest;
    const digest = digestOf(text("s", "a"));
    expect(digestOf(text("t", "a"), "other/file.yaml")).toBe(digest);
    expect(digestOf(text("s", "b"))).not.toBe(digest);
  });

  it("may have no jitter", () => {
    const text = "state: s\nsources:\n  - { name: a, folder: x, jitter: 0s }\n";
    expect(read(text)().sources[0]?.jitterMs).toBe(0);
  });

  it("shows no credential of a URL in an error", () => {
    const server = "{ url: 'http://ops:password@h:1' }";
    const wrong = read(`state: s\nsources:\n  - { name: a, folder: x, server: ${server} }\n`);
    expect(wrong).toThrow('"sources[0].server.url" must be an origin');
    expect(wrong).toThrow('"http://h:1"');
    expect(wrong).not.toThrow("password");
  });

  it("has one credential for a server, read for each reconciliation", async () => {
    const of = (server: string) =>
      read(
        `state: s\nsources:\n  - { name: a, folder: x, server: { url: 'https://h'${server} } }\n`,
      );
    expect(of("")).toThrow("either an API key or an OIDC token");
    expect(of(", apiKey: { env: A }, oidcToken: { env: B }")).toThrow("either an API key");
    const [source] = of(", oidcToken: { env: JOB }")().sources;
    if (source === undefined) throw new Error("there is a source");
    const { credential, renewCredential } = connectionOf(source, {});
    expect(credential).toBeUndefined();
    const options = { signal: new AbortController().signal, attempts: 1, retryFirstMs: 1 };
    await expect(renewCredential?.(undefined, options)).rejects.toThrow("JOB contains no secret");
  });

  it("reads secrets from the environment or files", () => {
    const [source] = read(
      "state: s\nsources:\n  - { name: a, folder: x, server: { url: 'https://h', apiKey: { env: KEY } } }\n",
    )().sources;
    if (source === undefined) throw new Error("there is a source");
    expect(connectionOf(source, { KEY: "k" }).credential?.reveal()).toBe("k");
    expect(() => connectionOf(source, {})).toThrow("KEY contains no secret");
    const server = {
      url: "https://h",
      apiKey: { file: "/nowhere/key" },
      oidcToken: undefined,
      scheme: undefined,
    };
    expect(() => connectionOf({ ...source, server }, {})).toThrow(
      "/nowhere/key contains no secret",
    );
  });
});
