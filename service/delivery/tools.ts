// The tools that run the queries and draw the dashboards of all accounts of a server.
import { createQueryService, type QueryService } from "../data-plane/query-service.ts";
import type { RollupOptions } from "../rollups/rollups.ts";
import { createMailer, type Mailer, type SmtpOptions } from "./mailer.ts";
import { createDrawer, type Drawer } from "./drawer.ts";

/** The tools that all accounts share. */
export interface DeliveryTools {
  readonly queries: QueryService;
  readonly drawer: Drawer;
  /** Undefined if the operator configured no SMTP server. */
  readonly mailer: Mailer | undefined;
  /** The reason why no mail is sent; undefined if mail is sent. */
  readonly unsentReason: string | undefined;
}

/** Options of the tools. */
export interface DeliveryToolOptions {
  readonly monotonicNow?: () => number;
  readonly databaseHosts?: readonly string[];
  readonly smtp?: SmtpOptions;
  readonly rollups: RollupOptions;
}

const noMailReason =
  "this server sends no email: its operator has to start it with --smtp-url and --smtp-from";

/** Creates the tools of a server. Close them after its accounts. */
export function createDeliveryTools({
  monotonicNow: now = () => performance.now(),
  databaseHosts = [],
  smtp,
  rollups,
}: DeliveryToolOptions): DeliveryTools & { close(): Promise<void> } {
  const queries = createQueryService({ now, databaseHosts, rollups });
  const drawer = createDrawer();
  const mailer = smtp && createMailer(smtp);
  return {
    queries,
    drawer,
    mailer,
    unsentReason: mailer ? undefined : noMailReason,
    close: async () => {
      mailer?.close();
      await drawer.close();
      await queries.close();
    },
  };
}
