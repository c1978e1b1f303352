// Which font draws each character of a text, and in which order.
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { createFontChooser, fontFiles, fromLeft, missingText } from "./fonts.ts";

const fonts = createFontChooser([]);
const runs = (text: string) =>
  fonts.runsOf(text, false).map(({ text: own, face }) => [own, face.name]);

it("draws text in Inter, and what Inter lacks in DejaVu Sans, with spaces and marks beside it", () => {
  expect(runs("Ärger → 5 %")).toEqual([["Ärger → 5 %", "Inter-Regular"]]);
  expect(runs("a שָׁלוֹם")).toEqual([
    ["a ", "Inter-Regular"],
    ["שָׁלוֹם", "DejaVuSans"],
  ]);
});

it("shows a sign for characters without a font, keeps the text, and says what they are", () => {
  expect(fonts.runsOf("ab 売上 x", false).map(({ text, instead }) => [text, instead])).toEqual([
    ["ab ", undefined],
    ["\ufffd\ufffd", "売上"],
    [" x", undefined],
  ]);
  // Joiners and selectors are invisible.
  expect(fonts.missingIn("a\u200d\ufe0f\u0000売売가")).toEqual(["売", "가"]);
  expect(missingText(["売", "가"])).toBe(
    "\ufffd stands for Chinese or Japanese characters, Korean characters that no font of the server has",
  );
  expect(missingText([])).toBe("");
});

it("takes a font of the system for characters that the packaged ones lack", () => {
  const folder = dirname(fontFiles.at(-1) ?? "");
  const script = "\u{1d49c}";
  expect(fonts.missingIn(script)).toEqual([script]);
  const [run] = createFontChooser([folder]).runsOf(script, false);
  expect([run?.text, run?.instead]).toEqual([script, undefined]);
  expect(run?.face.name).not.toBe("DejaVuSans");
});

it.each([
  ["plain (12)", "plain (12)"],
  ["abc שלום עולם def", "abc |עולם| |שלום| def"],
  ["שלום (עולם) 12.5%", "12.5%| |(|עולם|)| |שלום"],
  ["مرحبا 3 و 4, x", "4| |و| |3| |مرحبا|, x"],
])("orders %j from left to right", (text, parts) => {
  expect(fromLeft(text).join("|")).toBe(parts);
});
