// How a page knows a query that took too long: the data API answers it with status 400, as a query that is wrong.

/** The words with which the reason begins. */
export const slowQueryText = "the query takes longer than";
