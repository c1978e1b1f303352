// The configuration of a controller: every mistake with its place, and none that a source could write for itself.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectionOf, readControllerConfig } from "./config.ts";

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
  it("says much by saying little", () => {
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

  it("is told every mistake at once, with line, column and what was probably meant", () => {
    const text =
      "state: s\nsources:\n  - name: a\n    folder: x\n    intervall: 5m\n    mode: aply\n";
    expect(read(text)).toThrow(/controller\.yaml is no configuration of a controller/);
    expect(read(text)).toThrow(/5:5: .*no field "intervall" \(Did you mean "interval"\?/);
    expect(read(text)).toThrow(/6:11: .*cannot be "aply" \(Did you mean "apply"\?/);
    expect(read("")).toThrow("is empty");
  });

  it.each([
    ["name: a", "either git or a folder"],
    ["name: a, folder: x, git: { url: /srv/x }", "either git or a folder"],
    ["name: a, folder: x, interval: 0s", "interval"],
    ["name: a, folder: x, retry: { first: 1h, max: 1m }", "longest pause is shorter"],
    ["name: a, folder: x, webhook: {}", "either in an environment variable or in a file"],
    ["name: a, folder: x, webhook: { env: A, file: b }", "either in an environment variable"],
    ["name: a, folder: x, grants: { commands: [[sops, -d]] }", "Grant what it may decrypt"],
    ["name: a, folder: x, suspend: { reason: r, owner: o, expires: 2027-13-01 }", "no such day"],
  ])("is refused: %s", (text, why) => {
    expect(read(`state: s\nsources:\n  - { ${text} }\n`)).toThrow(why);
  });

  it.each([
    ["url: 'ext::sh -c x'", "no address"],
    ["url: 'file:///srv/x'", "no address"],
    ["url: '--upload-pack=x'", "no address"],
    ["url: 'https://u:hunter2@h/x'", "holds credentials"],
    ["url: 'https://hunter2@h/x'", "holds credentials"],
    ["url: 'http://h.example/x', token: { env: A }", "over https alone"],
    ["url: 'http://h.example/x'", "Use https or ssh"],
    ["url: 'http://localhost.h.example/x'", "Use https or ssh"],
    ["url: 'https://h/x', branch: a, ref: refs/tags/v1", "a branch and a ref"],
    ["url: 'https://h/x', branch: '-x'", "no name of a branch"],
    ["url: 'https://h/x', path: ../y", "leaves the repository"],
  ])("does not fetch from anywhere: %s", (git, why) => {
    expect(read(from(git))).toThrow(why);
    expect(read(from(git))).not.toThrow("hunter2");
  });

  it("lets one source alone apply a stack to a server", () => {
    const two = (one: string, other: string) =>
      read(`state: s\nsources:\n  - { name: a, ${one} }\n  - { name: b, ${other} }\n`);
    const apply = "folder: x, mode: apply";
    expect(two(`${apply}, stack: b`, apply)).toThrow(/4:13: the source a applies a stack of this/);
    expect(two(`${apply}, stack: c`, `${apply}, stack: c`)).toThrow("each would undo the other");
    expect(two(`${apply}, stack: b`, "folder: x")).not.toThrow();
    const onto = (url: string) => `server: { url: '${url}', apiKey: { env: A } }`;
    const there = onto("https://one.example");
    expect(two(`${apply}, ${there}`, `${apply}, stack: a, ${there}`)).toThrow("undo the other");
    const elsewhere = onto("https://two.example");
    expect(two(`${apply}, ${there}`, `${apply}, stack: a, ${elsewhere}`)).not.toThrow();
    expect(two(apply, apply)().sources.map(({ stack }) => stack)).toEqual(["a", "b"]);
  });

  it("is refused where a source could change it, itself or by a link", () => {
    const inside = "state: ../s\nsources:\n  - { name: a, folder: . }\n";
    expect(read(inside, "stack/controller.yaml")).toThrow("grants to themselves");
    const above = "state: /nowhere/s\nsources:\n  - { name: a, git: { url: ../ } }\n";
    expect(read(above, "repository/ops/controller.yaml")).toThrow("grants to themselves");
    mkdirSync(join(home, "real"));
    symlinkSync(join(home, "real"), join(home, "stack/linked"));
    const linked = "state: ../../s\nsources:\n  - { name: a, folder: .. }\n";
    expect(read(linked, "stack/linked/controller.yaml")).toThrow("grants to themselves");
    expect(read("state: .\nsources:\n  - { name: a, folder: x }\n")).toThrow("controller's state");
    expect(read("state: x/s\nsources:\n  - { name: a, folder: x }\n")).toThrow("Keep them apart");
  });

  it("may have no jitter", () => {
    const text = "state: s\nsources:\n  - { name: a, folder: x, jitter: 0s }\n";
    expect(read(text)().sources[0]?.jitterMs).toBe(0);
  });

  it("names secrets and holds none", () => {
    const [source] = read(
      "state: s\nsources:\n  - { name: a, folder: x, server: { url: 'https://h', apiKey: { env: KEY } } }\n",
    )().sources;
    if (source === undefined) throw new Error("there is a source");
    expect(connectionOf(source, { KEY: "k" }).credential.reveal()).toBe("k");
    expect(() => connectionOf(source, {})).toThrow("KEY holds no secret");
    const server = { url: "https://h", apiKey: { file: "/nowhere/key" }, scheme: undefined };
    expect(() => connectionOf({ ...source, server }, {})).toThrow("/nowhere/key holds no secret");
  });
});
