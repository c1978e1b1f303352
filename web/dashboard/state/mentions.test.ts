// Mentions in comments.
import { expect, it } from "vitest";
import { mentionBefore, mentionedIn, partsOf, withMention } from "./mentions.ts";

const ann = { id: 1, name: "Ann" };
const anna = { id: 2, name: "Ann Arbor" };

it("are written after an at sign at the beginning of a word, until their name is whole", () => {
  const search = (text: string, chosen = [ann]) => mentionBefore(text, text.length, chosen)?.search;
  expect(["@", "why, @an", "@Ann A", "one\n@b"].map((text) => search(text, []))).toEqual([
    "",
    "an",
    "Ann A",
    "b",
  ]);
  expect(["a@b", "@a\nb", "none", "@Ann why"].map((text) => search(text))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

it("take the place of what was written of them", () => {
  const text = "Ask @an please";
  const open = mentionBefore(text, 7, []);
  expect(open && withMention(text, open, anna)).toEqual({
    text: "Ask @Ann Arbor please",
    caret: 15,
  });
});

it("are those that the text still has, and stand out in it", () => {
  expect(mentionedIn("Ask @Ann.", [ann, anna])).toEqual([ann]);
  expect(mentionedIn("Ask @Ann Arbor.", [ann, anna])).toEqual([anna]);
  expect(partsOf("@Ann Arbor, @Ann and @Bob", [ann, anna])).toEqual([
    { text: "@Ann Arbor", isMention: true },
    { text: ", ", isMention: false },
    { text: "@Ann", isMention: true },
    { text: " and @Bob", isMention: false },
  ]);
  expect(partsOf("none", [])).toEqual([{ text: "none", isMention: false }]);
});
