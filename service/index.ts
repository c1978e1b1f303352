// The service as a library: starts a server in the calling process.
export { type RunningServer, type ServerOptions, startServer } from "./server/server.ts";
