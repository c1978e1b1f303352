// The command line and the reconciler load nothing of Terraform and Pulumi: not when they start, and not later.
import { describe, expect, it } from "vitest";
import { resolveImport, sources } from "./repository-files.ts";

const engines =
  /^(?:@pulumi\/|@grpc\/|google-protobuf|protobufjs|@msgpack\/|cdktf$|cdktn$|constructs$)/;

describe("engines", () => {
  it("are loaded by nothing that the command line or the reconciler leads to", () => {
    const byPath = new Map(sources().map((source) => [source.path, source]));
    const waiting = [...byPath.keys()].filter(
      (path) => /^(?:cli|reconciler)\//.test(path) && !path.endsWith(".test.ts"),
    );
    expect(waiting.length).toBeGreaterThan(50);
    const seen = new Set<string>();
    const found: string[] = [];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      for (const { specifier, line } of byPath.get(path)?.imports ?? []) {
        const target = resolveImport(path, specifier);
        if (target !== undefined) waiting.push(target);
        else if (engines.test(specifier)) found.push(`${path}:${line}: loads ${specifier}`);
      }
    }
    expect(found).toEqual([]);
    expect([...seen].filter((path) => path.startsWith("provider/"))).toEqual([]);
  });
});
