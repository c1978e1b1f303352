// The version catalogue: the built-in data is complete, an operator's file extends it, and an invalid file is rejected.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releaseChannels } from "../../api/deployments.ts";
import shipped from "./platform-versions.json" with { type: "json" };
import { loadCatalogue, versionRank } from "./version-catalogue.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-versions-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const released = "2026-01-31";

function file(content: unknown): string {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("the version catalogue", () => {
  it("has a newest version in every channel", () => {
    const catalogue = loadCatalogue();
    for (const channel of releaseChannels) {
      expect(catalogue.newest(channel)).toMatchObject({ channel, version: expect.any(String) });
    }
  });

  it("has every version on latest before it is on release, and the newest on both", () => {
    const releasedOn = (channel: string) =>
      new Map(
        shipped.versions
          .filter((one) => one.channel === channel)
          .map(({ version, released: date }) => [version, date]),
      );
    const [latest, release] = [releasedOn("latest"), releasedOn("release")];
    const early = [...release].filter(([version, date]) => (latest.get(version) ?? date) >= date);
    expect(early).toEqual([]);
    const onBoth = [...release.keys()].filter((version) => latest.has(version));
    expect(onBoth.length).toBeGreaterThanOrEqual(2);
    const catalogue = loadCatalogue();
    expect(catalogue.newest("release").version).toBe(catalogue.newest("latest").version);
  });

  it("has a version from the day of its release", () => {
    let today = "2026-05-01";
    const versions = [
      { version: "20.0.1", channel: "latest", released: "2026-05-02" },
      { version: "20.0.1", channel: "release", released: "2026-06-01" },
      { version: "20.0.2", channel: "release", released: "2026-06-02" },
    ];
    const catalogue = loadCatalogue(file({ versions }), () => Date.parse(today));
    const heads = () => releaseChannels.map((channel) => catalogue.newest(channel).version);
    const [shippedLatest, shippedRelease] = heads();
    today = "2026-05-02";
    expect(heads()).toEqual(["20.0.1", shippedRelease]);
    expect(shippedLatest).not.toBe("20.0.1");
    today = "2026-06-01";
    expect(heads()).toEqual(["20.0.1", "20.0.1"]);
    const old = { version: "20.0.0", channel: "release" } as const;
    expect(catalogue.newestPatch(old)).toEqual({ version: "20.0.1", channel: "release" });
    today = "1999-12-31";
    expect(heads()).toEqual(["1.0.0", "1.0.3"]);
  });

  it("is extended by the operator's file, whose image replaces the built-in one", () => {
    const versions = [
      { version: "20.0.9", channel: "release", released },
      { version: "20.0.10", channel: "release", released },
    ];
    const catalogue = loadCatalogue(file({ image: "registry/own", versions }));
    expect(catalogue.image).toBe("registry/own");
    expect(catalogue.newest("release").version).toBe("20.0.10");
    expect(catalogue.newest("latest")).toEqual(loadCatalogue().newest("latest"));
    expect(catalogue.newestPatch({ version: "20.0.9", channel: "release" }).version).toBe(
      "20.0.10",
    );
    expect(catalogue.newestPatch({ version: "20.0.9", channel: "latest" }).version).toBe("20.0.9");
    expect(catalogue.newestPatch({ version: "20.0.11", channel: "release" }).version).toBe(
      "20.0.11",
    );
  });

  it.each([
    ["is truncated: it ends at line 1, column 2 (byte 2)", "{"],
    ["is not valid JSON: invalid symbol at line 1, column 2 (byte 2)", "# versions\n{}"],
    ["is not a valid version catalogue", []],
    ["/versions/0/version", { versions: [{ version: "1.2", channel: "release", released }] }],
    ["/versions/0/channel", { versions: [{ version: "1.2.3", channel: "beta", released }] }],
    ["/versions/0", { versions: [{ version: "1.2.3", channel: "release" }] }],
    ["/image", { image: "UPPER CASE", versions: [] }],
  ])("is rejected if %s", (message, content) => {
    expect(() => loadCatalogue(file(content))).toThrow(message);
  });

  it("is rejected if the file does not exist", () => {
    expect(() => loadCatalogue(join(folder, "none.json"))).toThrow("cannot be read");
  });

  it("orders versions by number, each with its own rank", () => {
    const ranks = ["0.0.0", "0.0.1", "0.1.0", "0.9.999", "0.10.0", "1.0.0", "999.999.999"].flatMap(
      (version) => releaseChannels.map((channel) => versionRank({ version, channel })),
    );
    expect(ranks).toEqual([...new Set(ranks)].toSorted((left, right) => left - right));
    expect(ranks[0]).toBeGreaterThan(0);
  });
});
