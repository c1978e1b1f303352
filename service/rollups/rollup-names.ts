// The names of members and columns of rollups.
/** The name of the measure that is the first or the last time of a dimension, which no member of a data model has. */
export const edgeName = (edge: "first" | "last", time: string) => `${edge} ${time}`;

/** The name of the column of a segment among dimensions, which no member of a data model has. */
export const segmentName = (name: string) => `segment ${name}`;
