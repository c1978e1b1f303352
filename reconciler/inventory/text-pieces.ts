// Cuts texts into pieces of bounded size, for journals and contents that are too large for one write.

/** Cuts the joined texts into pieces of at most `maxBytes`, never within a character. */
export function* cutTexts(texts: Iterable<string>, maxBytes: number): Generator<string> {
  // A character takes at most three bytes.
  const longest = Math.floor(maxBytes / 3);
  let piece = "";
  let bytes = 0;
  for (const text of texts) {
    for (const slice of slicesOf(text, longest)) {
      const length = Buffer.byteLength(slice);
      if (bytes + length > maxBytes) {
        yield piece;
        piece = "";
        bytes = 0;
      }
      piece += slice;
      bytes += length;
    }
  }
  if (piece !== "") yield piece;
}

function* slicesOf(text: string, longest: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + longest, text.length);
    // A pair of surrogates stays together.
    if (end < text.length && /[\uD800-\uDBFF]/u.test(text.charAt(end - 1))) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}
