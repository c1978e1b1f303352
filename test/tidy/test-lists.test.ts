// Every pattern in the lists of vitest.config.ts names test files: a renamed file must not leave its list without notice.
import { matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { files, read } from "./repository-files.ts";

/** Returns the patterns of a text, with one for each alternative in braces. */
function patternsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/"((?:\w+\/)+[^"\s]*\.test\.ts)"/gu)].map(
    ([, glob = ""]) => glob,
  );
  return quoted.flatMap(alternatives);
}

function alternatives(glob: string): readonly string[] {
  const [, start = "", list, end = ""] = /^(.*?)\{([^}]*)\}(.*)$/u.exec(glob) ?? [];
  if (list === undefined) return [glob];
  return list.split(",").flatMap((one) => alternatives(`${start}${one}${end}`));
}

/** Returns the patterns that match none of the files. */
function unmatched(text: string, paths: readonly string[]): readonly string[] {
  return patternsOf(text).filter((glob) => !paths.some((path) => matchesGlob(path, glob)));
}

describe("the lists of tests", () => {
  it("name files that exist", () => {
    const text = read("vitest.config.ts");
    expect(patternsOf(text).length).toBeGreaterThan(100);
    expect(unmatched(text, files())).toEqual([]);
  });

  it("are found to name a file that does not", () => {
    const text = '["core/{a,b}.test.ts", "test/two/*.test.ts", "test/**/c.test.ts"]';
    const paths = ["core/a.test.ts", "test/deep/er/c.test.ts"];
    expect(unmatched(text, paths)).toEqual(["core/b.test.ts", "test/two/*.test.ts"]);
  });
});
