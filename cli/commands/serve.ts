// `svc serve`: runs the backing service until it is told to stop.
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/errors.ts";
import { writePrivate } from "../../service/files.ts";
import { isPostgres } from "../../service/store/open.ts";
import {
  logLevels,
  type RunningServer,
  type ServerOptions,
  startServer,
  surfaces,
} from "../../service/server.ts";

interface Flags {
  data?: string;
  database?: string;
  schema?: string;
  secretKeyFile?: string;
  host: string;
  port: number;
  readyFile?: string;
  surface: NonNullable<ServerOptions["surface"]>;
  log: NonNullable<ServerOptions["log"]>;
  account?: string;
  creatorMode?: boolean;
  embedding?: boolean;
  personalKeys?: boolean;
  externalUsers?: number;
  versions?: string;
}

/** The command, to be added to the program. */
export function serveCommand(): Command {
  return new Command("serve")
    .description("Run the backing service on this machine.")
    .option("--data <dir>", "folder that keeps everything, or :memory: for nothing")
    .option(
      "--database <url>",
      "PostgreSQL database to use instead; better told in SVC_DATABASE_URL",
    )
    .option("--schema <name>", "schema of the account in that database")
    .option("--secret-key-file <file>", "file of the secret key, the same for all servers")
    .option("--host <address>", "loopback address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 for any free one", wholeNumber(65_535), 4000)
    .option(
      "--ready-file <file>",
      "write the address and an administrator's key here once it answers",
    )
    .addOption(new Option("--surface <name>", "what is offered").choices(surfaces).default("full"))
    .addOption(
      new Option("--log <level>", "log to standard error").choices(logLevels).default("warn"),
    )
    .option("--account <name>", "name of the account, and of its own embed tenant")
    .option("--creator-mode", "allow creator mode")
    .option("--no-creator-mode", "refuse creator mode")
    .option("--embedding", "allow signed embedding")
    .option("--no-embedding", "refuse sessions, and the embed tokens made so far")
    .option("--personal-keys", "allow API keys of users who are no administrators")
    .option("--no-personal-keys", "refuse those keys, also the ones there are")
    .option(
      "--versions <file>",
      "platform versions to offer beside those that come with the service, as JSON",
    )
    .option(
      "--external-users <number>",
      "external users the account may have",
      wholeNumber(2 ** 31 - 1),
    )
    .action(serve);
}

async function serve(flags: Flags): Promise<void> {
  const place = placeOf(flags);
  const server = await startServer({
    data: place,
    ...(flags.schema === undefined ? {} : { schema: flags.schema }),
    ...(flags.secretKeyFile === undefined ? {} : { secretKeyFile: flags.secretKeyFile }),
    host: flags.host,
    port: flags.port,
    surface: flags.surface,
    log: flags.log,
    ...(flags.versions === undefined ? {} : { versions: flags.versions }),
    account: {
      ...(flags.account === undefined ? {} : { name: flags.account }),
      ...(flags.creatorMode === undefined ? {} : { useCreatorMode: flags.creatorMode }),
      ...(flags.embedding === undefined ? {} : { embeddingEnabled: flags.embedding }),
      ...(flags.personalKeys === undefined ? {} : { personalKeys: flags.personalKeys }),
      ...(flags.externalUsers === undefined ? {} : { externalUserLimit: flags.externalUsers }),
    },
  });
  const stopped = untilStopped(server);
  try {
    announce(server, flags);
  } catch (error) {
    // A server that nobody can find must not go on.
    await server.close();
    throw error;
  }
  await stopped;
}

/** Where everything is kept. The address of a database may hold a password: it is never shown. */
function placeOf(flags: Flags): string {
  const { data, readyFile } = flags;
  const database = flags.database ?? process.env["SVC_DATABASE_URL"];
  if ((data === undefined) === (database === undefined)) {
    throw new Failure("usage", "a server keeps everything in a folder or in a database", {
      remedy: "Say one of --data DIR and --database URL; SVC_DATABASE_URL counts as the latter.",
    });
  }
  if (data === "") throw new Failure("usage", "--data must name a folder, or be :memory:");
  if (database !== undefined && !isPostgres(database)) {
    throw new Failure("usage", "the address of the database must begin with postgres://");
  }
  if (data !== undefined && isPostgres(data)) {
    throw new Failure("usage", "--data must name a folder; a database goes to --database");
  }
  if (database === undefined && flags.schema !== undefined) {
    throw new Failure("usage", "--schema is for a server on a database");
  }
  if ((data === ":memory:" || database !== undefined) && readyFile === undefined) {
    const without = database === undefined ? "with --data :memory:" : "on a database";
    throw new Failure("usage", `${without} the administrator's key is nowhere to be found`, {
      remedy: "Add --ready-file FILE, or keep the data in a folder.",
    });
  }
  return database ?? data ?? "";
}

/** The key goes into a file that only its owner can read; a terminal gets the place where it lies. */
function announce({ url, adminKey }: RunningServer, { readyFile, data = "" }: Flags): void {
  if (readyFile !== undefined) {
    writePrivate(readyFile, `${JSON.stringify({ url, apiKey: adminKey.reveal() })}\n`);
  }
  const key = readyFile ?? join(data, "admin-key.json");
  console.log(`Serving ${url}; an administrator's key is in ${key}`);
}

/** Resolves once a signal has stopped the server; a second signal ends the process at once. */
async function untilStopped(server: RunningServer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let isStopping = false;
    const onSignal = (): void => {
      if (isStopping) process.exit(130);
      isStopping = true;
      server.close().then(resolve, reject);
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  });
}

function wholeNumber(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[0-9]{1,10}$/.test(text) && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
  };
}
