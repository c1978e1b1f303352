// What the text of a widget says in pictures, documents and mails.
import { expect, it } from "vitest";
import { linesOfText } from "./widget-text.ts";

it("has no Markdown", () => {
  const text = [
    "## Your *fleet*",
    "All numbers are of _your_ **company**, see [the `guide`](https://example.com).",
    "5 * 3 * 2 and snake_case_name stay.",
    "",
    "- one",
    "- two",
    "",
    "1. first",
    "",
    "The end\\*.",
  ].join("\n");
  expect(linesOfText(text)).toEqual([
    { level: 2, text: "Your fleet" },
    { level: 0, text: "All numbers are of your company, see the guide." },
    { level: 0, text: "5 * 3 * 2 and snake_case_name stay." },
    { level: 0, text: "• one" },
    { level: 0, text: "• two" },
    { level: 0, text: "1. first" },
    { level: 0, text: "" },
    { level: 0, text: "The end*." },
  ]);
});
