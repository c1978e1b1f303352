// Three-way merges of lines: what merges, what conflicts, and how much work both take.
import { describe, expect, test } from "vitest";
import { mergeLines } from "./merge-lines.ts";

const text = (...lines: readonly string[]) => lines.join("\n");
const numbered = (count: number, name = "line") =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** Returns the result of a function and the seconds of CPU time that it took. */
function timed<T>(work: () => T): { result: T; seconds: number } {
  const from = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(from);
  return { result, seconds: (user + system) / 1e6 };
}

describe("a merge of lines", () => {
  test.each([
    ["changes of distant lines", "a b c d e", "A b c d e", "a b c d E", "A b c d E"],
    ["insertions and removals", "a b c d e", "x a b c d e", "a b c e", "x a b c e"],
    ["the same change on both sides", "a b c", "a X c", "a X c", "a X c"],
    ["the same change and another", "a b c d e", "a X c d e", "a X c d E", "a X c d E"],
    [
      "several changes of each side",
      "a b c d e f g",
      "A b c d E f g",
      "a b C d e f G",
      "A b C d E f G",
    ],
    ["an insertion at each end", "a b c", "x a b c", "a b c y", "x a b c y"],
    ["a removal of all lines on one side", "a b c", "a b c", "", ""],
  ])("keeps %s", (_, base, ours, theirs, merged) => {
    const [from, own, other] = [base, ours, theirs].map((one) => one.split(" ").join("\n"));
    const versions = { base: from ?? "", ours: own ?? "", theirs: other ?? "" };
    expect(mergeLines(versions)).toBe(merged.split(" ").join("\n"));
  });

  test.each([
    ["of the same line", "a b c", "a X c", "a Y c"],
    ["of adjacent lines", "a b c d", "a X c d", "a b Y d"],
    ["that insert different lines at the same place", "a b", "a x b", "a y b"],
    ["where one removes what the other changes", "a b c d e", "a e", "a b X d e"],
  ])("reports changes %s", (_, base, ours, theirs) => {
    const [from, own, other] = [base, ours, theirs].map((one) => one.split(" ").join("\n"));
    expect(mergeLines({ base: from ?? "", ours: own ?? "", theirs: other ?? "" })).toBe(undefined);
  });

  test("of 20,000 lines takes little time, also if all are alike", () => {
    for (const lines of [numbered(20_000), numbered(20_000).map(() => "alike")]) {
      const { result, seconds } = timed(() =>
        mergeLines({
          base: text(...lines),
          ours: text(...lines.with(1, "mine").with(2000, "mine")),
          theirs: text(...lines.with(19_998, "theirs").with(18_000, "theirs")),
        }),
      );
      const merged = lines.with(1, "mine").with(2000, "mine").with(19_998, "theirs");
      expect(result).toBe(text(...merged.with(18_000, "theirs")));
      expect(seconds).toBeLessThan(0.5);
    }
  });

  test("of a mebibyte of other lines is refused after little work", () => {
    const [base, ours, theirs] = ["a", "b", "c"].map((name) => text(...numbered(80_000, name)));
    const { result, seconds } = timed(() =>
      mergeLines({ base: base ?? "", ours: ours ?? "", theirs: theirs ?? "" }),
    );
    expect(result).toBe(undefined);
    expect(seconds).toBeLessThan(1);
  });

  test("stops when the whole merge has used its steps", () => {
    const remaining = { steps: 1_500_000 };
    const unlike = (name: string) => text(...numbered(900, name));
    const versions = { base: unlike("a"), ours: unlike("b"), theirs: unlike("c") };
    const rounds = Array.from({ length: 500 }, () => versions);
    const { seconds } = timed(() => rounds.map((round) => mergeLines(round, remaining)));
    expect(seconds).toBeLessThan(2);
    expect(mergeLines({ base: "a\nb\nc", ours: "A\nb\nC", theirs: "a\nb" }, remaining)).toBe(
      undefined,
    );
  });
});
