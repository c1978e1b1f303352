// The format version of every result in JSON.

/** Format version, increased with every incompatible change. */
export const reportFormat = 1;
