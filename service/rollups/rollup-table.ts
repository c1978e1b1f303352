// The names in the file of a rollup.

/** The table of the rows of a rollup. */
export const rollupTable = "rollup";

/** Names the columns of a rollup. */
export const columnOf = (index: number): string => `c${index}`;
