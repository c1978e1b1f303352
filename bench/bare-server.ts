// Serves sessions with bare Fastify and SQLite, as a baseline. Its writes are as durable as those of svc.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import Fastify from "fastify";

const [data = "", , readyFile = ""] = process.argv.slice(2);
mkdirSync(data);
const database = new Sqlite(join(data, "bare.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec("create table sessions (id integer primary key, body text not null)");
const insert = database.prepare("insert into sessions (body) values (?)");

const app = Fastify();
app.post("/sessions", async ({ body }) => {
  const { lastInsertRowid } = insert.run(JSON.stringify(body));
  return { sessionId: String(lastInsertRowid) };
});
const url = await app.listen({ host: "127.0.0.1", port: 0 });
writeFileSync(readyFile, `${JSON.stringify({ url, apiKey: "none" })}\n`);
process.on("SIGTERM", () => process.exit(0));
