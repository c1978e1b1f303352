// The commands that this package adds to `svc`: `svc serve` and `svc admin`.
export { adminCommand } from "./admin.ts";
export { serveCommand } from "./serve.ts";
