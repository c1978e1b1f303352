// Tests that the command line and the reconciler load nothing of Terraform and Pulumi, at the start or later.
import { describe, expect, it } from "vitest";
import { reachablePaths, resolveImport, sources } from "./repository-files.ts";

const engines =
  /^(?:@pulumi\/|@grpc\/|google-protobuf|protobufjs|@msgpack\/|cdktf$|cdktn$|constructs$)/;

describe("engines", () => {
  it("are loaded by nothing that the command line or the reconciler leads to", () => {
    const start = sources()
      .map(({ path }) => path)
      .filter((path) => /^(?:cli|reconciler)\//.test(path) && !path.endsWith(".test.ts"));
    expect(start.length).toBeGreaterThan(50);
    const found: string[] = [];
    const reached = reachablePaths(start, ({ path, imports }) =>
      imports.flatMap(({ specifier, line }) => {
        const target = resolveImport(path, specifier);
        if (target !== undefined) return [target];
        if (engines.test(specifier)) found.push(`${path}:${line}: loads ${specifier}`);
        return [];
      }),
    );
    expect(found).toEqual([]);
    expect([...reached].filter((path) => path.startsWith("provider/"))).toEqual([]);
  });
});
