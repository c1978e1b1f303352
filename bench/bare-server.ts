// Serves sessions, reads and users with bare Fastify and SQLite, as a baseline. Its writes are as durable as those of svc.
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
database.exec(
  "create table users (id integer primary key, name text not null unique collate nocase, title text)",
);
const insertUser = database.prepare("insert into users (name) values (?)");
const userByName = database.prepare("select * from users where name = ?");
const updateUser = database.prepare("update users set title = ? where id = ? returning *");

const app = Fastify();
app.post("/sessions", async ({ body }) => {
  const { lastInsertRowid } = insert.run(JSON.stringify(body));
  return { sessionId: String(lastInsertRowid) };
});
app.get("/group", async () => ({ id: 1, name: "everybody", userCount: 0 }));
app.post<{ Body: { userName: string } }>("/users", async ({ body }) => {
  return { id: Number(insertUser.run(body.userName).lastInsertRowid), userName: body.userName };
});
app.get<{ Querystring: { userName: string } }>("/users", async ({ query }) => ({
  Resources: userByName.all(query.userName),
}));
app.patch<{ Params: { id: string }; Body: { title: string } }>(
  "/users/:id",
  async ({ params, body }) => updateUser.get(body.title, Number(params.id)),
);
const url = await app.listen({ host: "127.0.0.1", port: 0 });
writeFileSync(readyFile, `${JSON.stringify({ url, apiKey: "none" })}\n`);
process.on("SIGTERM", () => process.exit(0));
