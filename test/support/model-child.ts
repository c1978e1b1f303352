// Runs a server in a process that kills itself: in an operation, before a transaction is committed, or in a build.
import { setTimeout as pause } from "node:timers/promises";
import { handlers } from "../../service/areas/index.ts";
import type { OperationHandler } from "../../service/areas/shared/operation-handler.ts";
import { startServer } from "../../service/server/server.ts";

const [data = "", secretKeyFile = "", killAt = ""] = process.argv.slice(2);

// A failed test must not leave this process behind.
setTimeout(() => process.exit(1), 60_000);

/** Ends the process immediately, after every statement of the operation has run and before the commit. */
function killing(handler: OperationHandler): OperationHandler {
  if (handler.operation.id !== killAt) return handler;
  return {
    ...handler,
    run: async (call, ...rest) => {
      await handler.run(call, ...rest);
      process.kill(process.pid, "SIGKILL");
      await pause(60_000);
    },
  };
}

const { url, adminKey, db } = await startServer({
  data,
  ...(secretKeyFile === "" ? {} : { secretKeyFile }),
  jobs: false,
  rates: { perUser: 0, perAddress: 0 },
  handlers: handlers.map(killing),
});
process.stdout.write(`${JSON.stringify({ url, key: adminKey.reveal() })}\n`);
if (killAt === "build") {
  for (;;) {
    const building = db.selectFrom("builds").select("id").where("status", "=", "building");
    if (await building.executeTakeFirst()) process.kill(process.pid, "SIGKILL");
    await pause(1);
  }
}
