// The sheet that dashboards are drawn on, in points.

/** Its width. */
export const sheetWidth = 1200;
/** The space around what is drawn. */
export const sheetMargin = 32;
