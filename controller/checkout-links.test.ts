// Symbolic links on a file system that ignores the case of names: one of them may be where the commit has a folder.
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createLinks } from "./checkout-links.ts";

const home = mkdtempSync(join(tmpdir(), "svc-links-"));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("a link is not created through another one, which may lead out of the checkout", async () => {
  const tree = join(home, "tree");
  const outside = join(home, "outside");
  mkdirSync(join(tree, "real"), { recursive: true });
  mkdirSync(outside);
  // As if the commit had both `dir` and a link `Dir`.
  symlinkSync(outside, join(tree, "dir"));
  const to = (path: string) => ({ path, isListed: true });
  await expect(createLinks(tree, new Map([["dir/deep/l", to("real")]]))).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining("dir/deep/l"),
  });
  // As if it had both a folder `real` and a link `Real`.
  await expect(createLinks(tree, new Map([["real", to("dir")]]))).rejects.toMatchObject({
    code: "refused",
  });
  expect(readdirSync(outside)).toEqual([]);
  await createLinks(tree, new Map([["new/l", to("real")]]));
  expect(readlinkSync(join(tree, "new/l"))).toBe("../real");
});
