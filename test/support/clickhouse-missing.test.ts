// Reports one skip for all suites whose queries run on ClickHouse if there is no server, and says what is missing.
import { it } from "vitest";
import { clickhouseMissing } from "./clickhouse-server.ts";

it.skip(`queries on ClickHouse: ${clickhouseMissing}`, () => undefined);
