// Delays each piece of a connection, to simulate a distant server. Benches put it before a real server.
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo, connect } from "node:net";

const [target = "", ms = "0", apiKey = "", , readyFile = ""] = process.argv.slice(2);
const { hostname, port } = new URL(target);

const server = createServer({ noDelay: true }, (caller) => {
  const behind = connect({ host: hostname, port: Number(port), noDelay: true });
  caller.on("data", (piece) => setTimeout(() => behind.write(piece), Number(ms)));
  caller.on("end", () => setTimeout(() => behind.end(), Number(ms)));
  behind.pipe(caller);
  for (const [one, other] of [
    [caller, behind],
    [behind, caller],
  ] as const) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(readyFile, `${JSON.stringify({ url, apiKey })}\n`);
});
process.on("SIGTERM", () => process.exit(0));
