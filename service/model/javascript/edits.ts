// Changes of a text that keep the places of what stays.

/** Text that replaces a part of a file. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A changed text. */
export interface EditedText {
  readonly code: string;
  /** Returns the offset in the original text of a line and a column of `code`, both from 1, in characters. */
  readonly offsetOf: (line: number, column: number) => number;
}

/** Collects changes of a text. Those at one offset stay in their order. */
export class Edits {
  readonly #text: string;
  readonly #edits: Edit[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Replaces a part. Lines keep their numbers. */
  replace(start: number, end: number, text: string): void {
    const lines = "\n".repeat(this.#text.slice(start, end).split("\n").length - 1);
    this.#edits.push({ start, end, text: `${text}${lines}` });
  }

  /** Puts text around a part, after `inside` has changed what is in it. */
  wrap(
    { start, end }: { readonly start: number; readonly end: number },
    [before, after]: readonly [string, string],
    inside: () => void,
  ): void {
    this.replace(start, start, before);
    inside();
    this.replace(end, end, after);
  }

  /** Returns the changed text between two others. */
  apply(before: string, after: string): EditedText {
    let code = before;
    /** Where unchanged parts begin in the code and in the text. */
    const parts: { readonly code: number; readonly text: number }[] = [];
    let at = 0;
    const copy = (end: number) => {
      parts.push({ code: code.length, text: at });
      code += this.#text.slice(at, end);
    };
    for (const edit of this.#edits.toSorted((a, b) => a.start - b.start)) {
      copy(edit.start);
      code += edit.text;
      at = edit.end;
    }
    copy(this.#text.length);
    code += after;
    const offsetOf = (line: number, column: number) => {
      const lines = code.split("\n");
      const above = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
      const characters = Array.from(lines[line - 1] ?? "").slice(0, column - 1);
      const offset = above + characters.join("").length;
      const index = parts.findLastIndex((part) => part.code <= offset);
      const { code: from = 0, text: start = 0 } = parts[index] ?? {};
      const most = parts[index + 1]?.text ?? this.#text.length;
      return Math.min(start + Math.max(offset - from, 0), most);
    };
    return { code, offsetOf };
  }
}
