// The variables with which every Git runs: it ignores the settings of the machine and its user, and takes paths
// literally.

/** Variables of the environment of Git. */
export const gitSettings = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_LITERAL_PATHSPECS: "1",
};
