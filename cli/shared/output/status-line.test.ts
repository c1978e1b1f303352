// The status line of waits: one line that is redrawn on a terminal, sampled plain lines elsewhere.
import { expect, test } from "vitest";
import { statusLineFor } from "./status-line.ts";

function written(isTTY: boolean, isQuiet = false) {
  const texts: string[] = [];
  let at = 0;
  const write = (text: string | Uint8Array) => texts.push(String(text)) > 0;
  const line = statusLineFor({ isQuiet }, { stream: { write, isTTY, columns: 20 }, now: () => at });
  return { line, texts, wait: (ms: number) => void (at += ms) };
}

test("on a terminal, a status replaces the one before, and a line stays", () => {
  const { line, texts, wait } = written(true);
  line.show("Uploaded 1 of 2 files of the project.");
  line.show("too soon");
  wait(100);
  line.show("Uploaded 2");
  line.note("build 1: started\u001b[2J");
  line.clear();
  expect(texts).toEqual([
    "\r\u001b[2KUploaded 1 of 2 fil",
    "\r\u001b[2KUploaded 2",
    "\r\u001b[2K",
    expect.stringMatching(/^build 1: started.*\n$/),
  ]);
  // The text of the server cannot move the cursor.
  expect(texts.at(-1)).not.toContain("\u001b");
});

test("elsewhere, a status is a plain line, one every few seconds", () => {
  const { line, texts, wait } = written(false);
  line.show("Uploaded 1");
  wait(4999);
  line.show("Uploaded 2");
  wait(1);
  line.show("Uploaded 3");
  line.note("build 1: built");
  line.clear();
  expect(texts).toEqual(["Uploaded 1\n", "Uploaded 3\n", "build 1: built\n"]);
  const quiet = written(false, true);
  quiet.line.show("x");
  quiet.line.note("x");
  expect(quiet.texts).toEqual([]);
});
