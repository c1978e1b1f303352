// Values of the options of a server. Separate from the server, because the help of `svc serve` lists them.

/** The operations that a server offers: all, or only those in public documentation or in the specification. */
export const surfaces = ["full", "public", "specification"] as const;

/** One of the surfaces. */
export type Surface = (typeof surfaces)[number];

/** Log levels of the log on standard error. */
export const logLevels = ["off", "error", "warn", "info"] as const;

/** One of the log levels. */
export type LogLevel = (typeof logLevels)[number];
