// Stands for all suites on PostgreSQL where there is none: one skip that says what is missing.
import { it } from "vitest";
import { postgresMissing } from "./postgres-server.ts";

it.skip(`everything on PostgreSQL: ${postgresMissing}`, () => undefined);
