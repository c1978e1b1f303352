// `svc tenant`: the settings of the account.
import { getTenantSettings, updateTenantSettings } from "../../api/tenant-settings.ts";
import { type Area, command } from "../operations/command.ts";

/** Commands that read and change the settings of the account. */
export const tenant: Area = {
  name: "tenant",
  description: "Read and change the settings of the account.",
  groups: { settings: "settings of the account" },
  commands: [
    command("settings get", getTenantSettings),
    command("settings update", updateTenantSettings),
  ],
};
