// Reports one skip for all suites on PostgreSQL if there is no server, and says what is missing.
import { it } from "vitest";
import { postgresMissing } from "./postgres-server.ts";

it.skip(`everything on PostgreSQL: ${postgresMissing}`, () => undefined);
