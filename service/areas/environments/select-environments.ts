// Finds the environments of a deployment.
import type { Db, Row } from "../../store/schema.ts";
import type { EnvironmentType } from "./environment-type.ts";

/** Returns a query for the environments of a deployment. An environment serves one branch, and has its ID. */
export function selectEnvironments(
  db: Db,
  { id, deploy_branch_name }: Row<"deployments">,
  type: EnvironmentType | undefined,
) {
  return db
    .selectFrom("branches")
    .leftJoin("users", "users.id", "branches.dev_user_id")
    .select(["branches.id", "branches.name", "branches.dev_user_id", "users.username"])
    .where("branches.deployment_id", "=", id)
    .where((eb) => {
      const are: Readonly<Record<EnvironmentType, ReturnType<typeof eb>>> = {
        production: eb("branches.name", "=", deploy_branch_name),
        staging: eb("branches.staging_enabled", "=", 1),
        development: eb("branches.dev_user_id", "is not", null),
      };
      return type === undefined ? eb.or(Object.values(are)) : are[type];
    });
}
