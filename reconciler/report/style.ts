// Colours for a terminal, only where they are wanted.

/** How text is to look. */
export interface TextStyle {
  readonly color: boolean;
  /** Columns; values are cut to fit, nothing is wrapped. */
  readonly width: number;
  /** Nothing is folded; left out, long lists of creates are. */
  readonly full?: boolean;
}

const ansiCodes = {
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
  cyan: 36,
  dim: 2,
  bold: 1,
} as const;

/** A colour, or `plain` for none. */
export type Color = keyof typeof ansiCodes | "plain";

/** The text in a colour, or as it is. It must hold no control characters of its own. */
export function paint({ color }: Pick<TextStyle, "color">, ink: Color, text: string): string {
  return !color || ink === "plain" || text === ""
    ? text
    : `\u001b[${ansiCodes[ink]}m${text}\u001b[0m`;
}
