// Lines and columns of offsets in a text.

/** Where an offset lies; both count from 1. */
export interface LinePlace {
  readonly line: number;
  readonly column: number;
}

/** Tells lines and columns of a text, which is looked through on the first question. */
export function linesOf(text: string): (offset: number) => LinePlace {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= startsIn(text);
    const line = lastAtMost(starts, offset);
    return { line: line + 1, column: Math.max(1, offset - (starts[line] ?? 0) + 1) };
  };
}

function startsIn(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The position of the last number that is not greater. */
function lastAtMost(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
