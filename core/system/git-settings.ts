// The variables with which every Git runs: without the settings of the machine and its user, and with paths as they are.

/** Variables of the environment of Git. */
export const gitSettings = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_LITERAL_PATHSPECS: "1",
};
