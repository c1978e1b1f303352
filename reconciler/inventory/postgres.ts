// Stores inventories in PostgreSQL: one row a stack; every write checks the lock in its own statement.
import type { QueryResultRow } from "pg";
import { limits } from "../../core/limits/limits.ts";
import type { Secret } from "../../core/secret.ts";
import type { Backend, Lease, LockRequest, StoredInventory } from "./backend.ts";
import { inventoryFormat, parseContent } from "./format.ts";
import { rejectTooMany, textsOfOwners } from "./owner-index.ts";
import { Database } from "./postgres-database.ts";
import type { LockInfo } from "./store.ts";

/** Created before the first lock, in one transaction: concurrent `create … if not exists` alone can fail. */
const tables = `
  select pg_advisory_xact_lock(hashtext('svc_inventories'));
  create table if not exists svc_inventories (
    stack text primary key,
    content text,
    calls integer not null default 0,
    lock_id text,
    lock_info text,
    lock_until timestamptz,
    updated_at timestamptz not null default now()
  );
  create table if not exists svc_inventory_journal (
    stack text not null references svc_inventories on delete cascade,
    position integer not null,
    lines text not null,
    primary key (stack, position)
  )`;

const missing = "select 1 as missing where to_regclass('svc_inventory_journal') is null";

const selectContent = "select content from svc_inventories where stack = $1";

const journalRows = `
  select position, lines from svc_inventory_journal
  where stack = $1 and position > $2 order by position limit ${limits.journalRows}`;

/** A content of another format, or with another notation of a character, may have each text. */
const others = `
  select stack from svc_inventories
  where stack <> $1 and (calls > 0 or content is not null and (
    $2::text[] is null or content not like '{"format":${inventoryFormat},%' or content ~ '\\\\[u/]'
    or exists (select from unnest($2::text[]) as text where strpos(content, text) > 0)))
  order by stack limit ${limits.otherInventories + 1}`;

/** Texts that PostgreSQL searches for, each in a pass of its own. To read all inventories is faster than for more. */
const searchedMax = 20;

const lease = `make_interval(secs => ${limits.leaseMs / 1000})`;

const acquire = `
  insert into svc_inventories as i (stack, lock_id, lock_info, lock_until)
  values ($1, $2, $3, clock_timestamp() + ${lease})
  on conflict (stack) do update
    set lock_id = excluded.lock_id, lock_info = excluded.lock_info, lock_until = excluded.lock_until
    where i.lock_id is null or i.lock_until <= clock_timestamp()
  returning lock_until as until`;

const renew = `
  update svc_inventories set lock_until = clock_timestamp() + ${lease}
  where stack = $1 and lock_id = $2 returning lock_until as until`;

const holder = `
  select lock_info as info, lock_until as until
  from svc_inventories where stack = $1 and lock_until > clock_timestamp()`;

const release = `
  update svc_inventories set lock_id = null, lock_info = null, lock_until = null
  where stack = $1 and lock_id = $2 returning stack`;

/** Locks the row first, so that no other holder takes the lock between the check and the write. */
const append = `
  with held as (
    update svc_inventories set calls = $3::integer + 1
    where stack = $1 and lock_id = $2 returning stack
  ), added as (
    insert into svc_inventory_journal (stack, position, lines) select stack, $3::integer, $4 from held
    on conflict (stack, position) do nothing
  )
  select stack from held`;

const replace = `
  with held as (
    update svc_inventories set content = $3, calls = 0, updated_at = now()
    where stack = $1 and lock_id = $2 returning stack
  ), gone as (delete from svc_inventory_journal j using held where j.stack = held.stack)
  select stack from held`;

/** The row whose lock guards the ownership of objects; no stack has this name. */
const ownershipRow = "*";

interface InventoryRow extends QueryResultRow {
  readonly content: string | null;
}

interface JournalRow extends QueryResultRow {
  readonly position: number;
  readonly lines: string;
}

interface LockRow extends QueryResultRow {
  readonly until: Date;
}

/** Opens the place of a stack's inventory in the database at `url`; connects on first use. */
export function postgresBackend(url: Secret, stack: string): Backend {
  // One connection renews the lease while the other writes.
  const { statementMs } = limits;
  const use = { holds: "the inventories", connections: 2, statementMs, mayLackTables: true };
  const database = new Database(url, use);
  const changed = async (text: string, ...values: unknown[]): Promise<boolean> =>
    (await database.queryAgain(text, [stack, ...values])).length > 0;
  return {
    location: locationOf(database, stack),
    isServer: false,
    load: () => loadRow(database, stack),
    others: async (objects) => {
      const searched = textsOfOwners(objects) ?? [];
      const isSearched = searched.length > 0 && searched.length <= searchedMax;
      const texts = isSearched ? searched.map((text) => JSON.stringify(text)) : null;
      const rows = await database.query<{ stack: string }>(others, [stack, texts]);
      rejectTooMany(database.name, rows.length);
      return rows.map((row) => () => loadRow(database, row.stack));
    },
    lock: rowLease(database, stack),
    ownership: rowLease(database, ownershipRow),
    append: (id, { position, text }) => changed(append, id, position, text),
    replace: (id, content) => changed(replace, id, [...content].join("")),
    close: () => database.close(),
  };
}

function locationOf({ name }: Database, stack: string): string {
  return `${name} (stack ${stack})`;
}

/** The lock in the row of a stack. */
function rowLease(database: Database, stack: string): Lease {
  const held = async (): Promise<LockInfo | undefined> => {
    const [row] = await database.query<LockRow & { info: string }>(holder, [stack]);
    return row && { ...(JSON.parse(row.info) as LockRequest), expiresAt: row.until.toISOString() };
  };
  return {
    acquire: async (request) => {
      if ((await database.query(missing)).length > 0) await database.query(tables);
      const info = JSON.stringify(request);
      const [row] = await database.query<LockRow>(acquire, [stack, request.id, info]);
      return row === undefined ? { holder: await held() } : { until: row.until.toISOString() };
    },
    // Once: the next renewal repeats it, and the lease must not end meanwhile.
    renew: async ({ id }) => {
      const [row] = await database.query<LockRow>(renew, [stack, id]);
      return row?.until.toISOString();
    },
    holder: held,
    release: (id) => database.query(release, [stack, id]).then(({ length }) => length > 0),
  };
}

/** Reads the journal before the content: a content written meanwhile contains the changes in the journal. */
async function loadRow(database: Database, stack: string): Promise<StoredInventory> {
  const where = locationOf(database, stack);
  const texts: string[] = [];
  for (let after = -1; ;) {
    const page = await database.query<JournalRow>(journalRows, [stack, after]);
    texts.push(...page.map(({ lines }) => lines));
    if (page.length < limits.journalRows) break;
    after = page.at(-1)?.position ?? after;
  }
  const journal = texts.join("");
  const [row] = await database.query<InventoryRow>(selectContent, [stack]);
  const text = row?.content ?? undefined;
  return { where, content: text && parseContent(text, where), journal };
}
