// Reports one skip for all suites whose queries run on MariaDB if there is no server, and says what is missing.
import { it } from "vitest";
import { mysqlMissing } from "./mysql-server.ts";

it.skip(`queries on MariaDB: ${mysqlMissing}`, () => undefined);
