// The accounts file: its content, and errors with their positions.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFailure } from "../../core/errors.ts";
import { readAccountsFile } from "./accounts-file.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-accounts-file-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string) {
  const path = join(folder, "accounts.yaml");
  writeFileSync(path, text);
  return readAccountsFile(path);
}

function errorMessages(text: string): readonly string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    if (!isFailure(error, "usage")) throw error;
    return error.message.split("\n").map((line) => line.slice(folder.length + 1));
  }
}

describe("an accounts file", () => {
  it("names accounts with their domains and settings, as YAML or JSON", () => {
    const expected = {
      host: "svc.example.com",
      accounts: [
        {
          name: "acme-inc",
          domains: ["analytics.acme.example", "xn--bcher-kva.example"],
          settings: { useCreatorMode: false, externalUserLimit: 5, personalKeys: true },
          rateLimit: 90_000,
        },
        { name: "northwind", domains: [], settings: {} },
      ],
    };
    const yaml = `
host: svc.example.com
accounts:
  acme-inc:
    domains: [analytics.acme.example, bücher.example]
    creatorMode: false
    rateLimit: 90000
    externalUsers: 5
    personalKeys: true
  northwind:
`;
    expect(read(yaml)).toEqual(expected);
    const account = {
      domains: ["analytics.acme.example", "Bücher.example"],
      creatorMode: false,
      rateLimit: 90_000,
      externalUsers: 5,
      personalKeys: true,
    };
    const json = { host: "svc.example.com", accounts: { "acme-inc": account, northwind: {} } };
    expect(read(JSON.stringify(json))).toEqual(expected);
  });

  it.each([
    ["", ["accounts.yaml:1:1: the file must be"]],
    ["host: [", ["accounts.yaml:1:8: "]],
    ["host: a.example\n", ["accounts.yaml:1:1: accounts is required"]],
    ["host: a.example\naccounts: {}\n", ["accounts.yaml:2:1: accounts must"]],
    [
      "host: https://a.example\naccounts:\n  acme:\n  Big-One:\n",
      [
        "accounts.yaml:1:1: host must be a host",
        "accounts.yaml:3:3: accounts.acme is not a valid account name",
        "accounts.yaml:4:3: accounts.Big-One is not a valid",
      ],
    ],
    [
      "host: a.example\naccounts:\n  first:\n    creatormode: true\n    externalUsers: -1\n",
      [
        "accounts.yaml:4:5: accounts.first.creatormode is not a known field",
        "accounts.yaml:5:5: accounts.first.externalUsers must",
      ],
    ],
    [
      "host: a.example\naccounts:\n  first: { domains: [x.example, 'y.example:80'] }\n  second: { domains: [x.example, first.a.example] }\n",
      [
        "accounts.yaml:3:33: accounts.first.domains.1 must be a host",
        "accounts.yaml:4:23: accounts.second.domains.0 is already a host of the account first",
        "accounts.yaml:4:34: accounts.second.domains.1 is already a host of the account first",
      ],
    ],
    ["host: a.example\naccounts:\n  first: {}\n  first: {}\n", ["accounts.yaml:4:3: "]],
  ])("with the content %j is rejected with every error", (text, beginnings) => {
    const lines = errorMessages(text);
    expect(lines.map((line, at) => line.slice(0, beginnings[at]?.length ?? 0))).toEqual(beginnings);
  });

  it("that does not exist is reported", () => {
    expect(() => readAccountsFile(join(folder, "none.yaml"))).toThrow(/cannot be read/);
  });
});
