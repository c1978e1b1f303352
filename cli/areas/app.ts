// `svc app`: the configuration of the application.
import { getAppConfig, getAppTheme, getEmbedTheme, updateAppConfig } from "../../api/app.ts";
import { type Area, command } from "../operations/command.ts";

/** Commands that read and change the theme of the application, and what its pages show. */
export const app: Area = {
  name: "app",
  description: "Read and change the theme of the application, and what its pages show.",
  groups: { config: "theme and settings of the application" },
  commands: [
    command("config get", getAppConfig),
    command("config update", updateAppConfig),
    command("theme", getAppTheme),
    command("embed-theme", getEmbedTheme),
  ],
};
