// Tests that folders are deleted from the innermost to the outermost, whatever their order in the documents.
import { expect, it } from "vitest";
import { startService } from "../support/test-service.ts";
import { makeStack } from "../support/test-stack.ts";

it("are deleted before the folders that they are in", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  const folder = (name: string, parent?: string) => ({
    kind: "Folder",
    name,
    spec: { deployment: { external: "main" }, name, ...(parent !== undefined && { parent }) },
  });
  try {
    await stack.write([folder("b", "m"), folder("m", "z"), folder("a"), folder("z", "a")]);
    await stack.apply();
    await stack.write([]);
    const { outcomes } = await stack.apply({ allowEmpty: true });
    expect(outcomes.map(({ address, result }) => `${address} ${result}`)).toEqual(
      ["b", "m", "z", "a"].map((name) => `Folder/${name} done`),
    );
  } finally {
    await stack.dispose();
    await service.close();
  }
});
