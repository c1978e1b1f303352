// Examples of User.
import type { Example } from "../core/kind/example.ts";
import type { Spec } from "./user.schema.ts";

/** The examples of the resource type. */
export const examples: readonly Example<Spec>[] = [
  {
    title: "An analyst with a region of her own",
    name: "jane",
    spec: {
      email: "jane@corp.example",
      username: "jane",
      firstName: "Jane",
      title: "Analyst",
      picture: "https://corp.example/people/jane.png",
      isAdmin: false,
      roles: ["AIBIUser"],
      externalId: "00u1jane",
      password: "correct horse battery staple",
      securityContext: { region: "EMEA" },
      settings: { locale: "en-GB" },
      embedTheme: "dark",
      isDeactivated: false,
      groups: ["analysts"],
      userAttributes: [{ name: "region", value: "EMEA" }],
    },
    variations: {
      email: "jane.doe@corp.example",
      username: "jane.doe",
      firstName: "Jane D.",
      title: "Lead analyst",
      picture: "https://corp.example/people/jane-doe.png",
      isAdmin: true,
      roles: ["Developer", "D3User"],
      externalId: "00u2jane",
      password: "another long passphrase",
      securityContext: { region: "APAC", desk: 7 },
      settings: { locale: "ja-JP", pinned: ["orders"] },
      embedTheme: "light",
      isDeactivated: true,
      groups: [],
      userAttributes: [{ name: "region", value: "APAC" }],
    },
  },
  {
    title: "A service user for CI pipelines",
    name: "robot",
    spec: { email: "robot@corp.example", username: "robot", isAdmin: true },
    variations: { firstName: "Robot" },
  },
  {
    title: "A user whose groups, roles and attribute values are declared apart",
    name: "operator",
    spec: { email: "operator@corp.example", username: "operator" },
    variations: {},
  },
];
