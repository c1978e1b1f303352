// Values of the options of a server. Apart from the server, because the help of `svc serve` lists them.

/** How much of the API a server offers: everything, or only what public documentation or the specification shows. */
export const surfaces = ["full", "public", "specification"] as const;

/** One of the surfaces. */
export type Surface = (typeof surfaces)[number];

/** Log levels of the log on standard error. */
export const logLevels = ["off", "error", "warn", "info"] as const;

/** One of the log levels. */
export type LogLevel = (typeof logLevels)[number];
