// The attributes of SCIM users and groups (RFC 7643). Validation, filters, patches and `/Schemas` all read these definitions.

/** The type of an attribute's values. */
export type AttributeType = "string" | "boolean" | "dateTime" | "reference" | "complex";

/** One attribute. RFC 7643, section 7, defines the member names and values. */
export interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: "readWrite" | "readOnly" | "immutable";
  readonly returned: "always" | "default" | "request";
  readonly uniqueness: "none" | "server";
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

/** A schema: a set of attributes under a URN. */
export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A type of resource, with the schemas of its attributes. */
export interface ResourceType {
  readonly name: "User" | "Group";
  /** Path below the base address. */
  readonly endpoint: "/Users" | "/Groups";
  readonly description: string;
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
}

type Options = Partial<Omit<Attribute, "name" | "description" | "type">>;

function attribute(
  name: string,
  description: string,
  options: Options & { type?: AttributeType } = {},
): Attribute {
  return {
    name,
    type: "string",
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...options,
  };
}

interface TypedValues {
  readonly types: readonly string[];
  readonly values?: readonly Attribute[];
}

/** Returns an attribute with several values. Each has a type, and one can be the primary value. */
function typedValues(
  name: string,
  description: string,
  { types, values = [attribute("value", "The value.")] }: TypedValues,
): Attribute {
  return attribute(name, description, {
    type: "complex",
    multiValued: true,
    subAttributes: [
      ...values,
      attribute("display", "A name for display."),
      attribute("type", "What the value is for.", { canonicalValues: types }),
      attribute("primary", "Whether the value is the preferred one.", { type: "boolean" }),
    ],
  });
}

const readOnly = { mutability: "readOnly" } as const;

const name = attribute("name", "The parts of the user's name.", {
  type: "complex",
  subAttributes: [
    attribute("formatted", "The whole name."),
    attribute("familyName", "The family name."),
    attribute("givenName", "The given name."),
    attribute("middleName", "The middle names."),
    attribute("honorificPrefix", "A title before the name."),
    attribute("honorificSuffix", "A suffix after the name."),
  ],
});

const address = [
  attribute("formatted", "The whole address."),
  attribute("streetAddress", "The street and house number."),
  attribute("locality", "The city."),
  attribute("region", "The state or region."),
  attribute("postalCode", "The postal code."),
  attribute("country", "The country."),
];

/** Returns a reference to another resource. Responses derive `$ref` from `value`; a `$ref` in a request is ignored. */
function referenceTo(type: "User" | "Group", valueDescription: string, options: Options = {}) {
  return [
    attribute("value", valueDescription, { caseExact: true, ...options }),
    attribute("$ref", "The address of the resource.", {
      type: "reference",
      caseExact: true,
      referenceTypes: [type],
      mutability: options.mutability === "immutable" ? "immutable" : "readOnly",
    }),
  ];
}

const userSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A user of the account.",
  attributes: [
    attribute("userName", "The name that identifies the user.", {
      required: true,
      uniqueness: "server",
    }),
    name,
    attribute("displayName", "The name that is shown."),
    attribute("nickName", "A casual name."),
    attribute("profileUrl", "The address of a page about the user.", {
      type: "reference",
      referenceTypes: ["external"],
      caseExact: true,
    }),
    attribute("title", "The job title."),
    attribute("userType", "The relation to the organization."),
    attribute("preferredLanguage", "The preferred language."),
    attribute("locale", "The locale for dates and numbers."),
    attribute("timezone", "The time zone."),
    attribute("active", "Whether the user may use the account; true for a new user.", {
      type: "boolean",
      required: true,
    }),
    typedValues("emails", "Email addresses.", { types: ["work", "home", "other"] }),
    typedValues("phoneNumbers", "Phone numbers.", {
      types: ["work", "home", "mobile", "fax", "pager", "other"],
    }),
    typedValues("photos", "Addresses of pictures.", {
      types: ["photo", "thumbnail"],
      values: [
        attribute("value", "The address of the picture.", {
          type: "reference",
          referenceTypes: ["external"],
          caseExact: true,
        }),
      ],
    }),
    typedValues("addresses", "Postal addresses.", {
      types: ["work", "home", "other"],
      values: address,
    }),
    attribute("groups", "The groups of the user.", {
      type: "complex",
      multiValued: true,
      ...readOnly,
      subAttributes: [
        ...referenceTo("Group", "The ID of the group.", readOnly),
        attribute("display", "The name of the group.", readOnly),
        attribute("type", "How the user is a member.", {
          ...readOnly,
          canonicalValues: ["direct"],
        }),
      ],
    }),
  ],
};

const enterpriseSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "The place of a user in an organization.",
  attributes: [
    attribute("employeeNumber", "The number of the employee."),
    attribute("costCenter", "The cost center."),
    attribute("organization", "The organization."),
    attribute("division", "The division."),
    attribute("department", "The department."),
    attribute("manager", "The manager of the user.", {
      type: "complex",
      subAttributes: [
        ...referenceTo("User", "The ID of the manager."),
        attribute("displayName", "The name of the manager.", readOnly),
      ],
    }),
  ],
};

const groupSchema: Schema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A group of users of the account.",
  attributes: [
    attribute("displayName", "The name of the group.", { required: true, uniqueness: "server" }),
    attribute("members", "The users in the group.", {
      type: "complex",
      multiValued: true,
      subAttributes: [
        ...referenceTo("User", "The ID of the user.", { mutability: "immutable" }),
        // The schema of groups in RFC 7643 (8.7.1) has no `display`, so clients that read back their members do not
        // expect a name that the service adds.
        attribute("display", "The name of the user.", { ...readOnly, returned: "request" }),
        attribute("type", "The type of the member.", {
          mutability: "immutable",
          canonicalValues: ["User"],
        }),
      ],
    }),
  ],
};

/** Users. */
export const userType: ResourceType = {
  name: "User",
  endpoint: "/Users",
  description: "The users of the account.",
  schema: userSchema,
  extensions: [enterpriseSchema],
};

/** Groups. */
export const groupType: ResourceType = {
  name: "Group",
  endpoint: "/Groups",
  description: "The groups of the account.",
  schema: groupSchema,
  extensions: [],
};

/** All types of resources. */
export const resourceTypes: readonly ResourceType[] = [userType, groupType];

/** The attributes of every resource (RFC 7643, section 3.1). They are not part of a schema. */
const commonAttributes: readonly Attribute[] = [
  attribute("schemas", "The schemas of the resource.", { multiValued: true, returned: "always" }),
  attribute("id", "The ID of the resource.", { ...readOnly, caseExact: true, returned: "always" }),
  attribute("externalId", "The ID of the resource at the client.", { caseExact: true }),
  attribute("meta", "What the service knows of the resource.", {
    type: "complex",
    ...readOnly,
    subAttributes: [
      attribute("resourceType", "The type of the resource.", { ...readOnly, caseExact: true }),
      attribute("created", "When the resource was created.", { type: "dateTime", ...readOnly }),
      attribute("lastModified", "When the resource was changed last.", {
        type: "dateTime",
        ...readOnly,
      }),
      attribute("location", "The address of the resource.", { ...readOnly, caseExact: true }),
      attribute("version", "The version of the resource.", { ...readOnly, caseExact: true }),
    ],
  }),
];

/** An attribute that a name selects: of an extension, or of the resource itself. */
export interface FoundAttribute {
  readonly attribute: Attribute;
  /** URN of the extension that holds it; undefined for the resource itself. */
  readonly extension: string | undefined;
}

/** Returns the attribute of a list with a name, compared without regard to case; undefined if there is none. */
export function attributeNamed(
  attributes: readonly Attribute[],
  wanted: string,
): Attribute | undefined {
  const key = wanted.toLowerCase();
  return attributes.find((one) => one.name.toLowerCase() === key);
}

/**
 * Returns the attribute that the first part of a path selects, and the rest of the path. A path may begin with the URN
 * of a schema, in which dots are not separators. The attribute is undefined for the URN of an extension alone.
 */
export function resolveAttribute(
  type: ResourceType,
  path: string,
):
  | { readonly found: FoundAttribute | { readonly extension: string }; readonly rest: string }
  | undefined {
  const schema = [type.schema, ...type.extensions].find(({ id }) => startsWithUrn(path, id));
  const isExtension = schema !== undefined && schema !== type.schema;
  const local = schema === undefined ? path : path.slice(schema.id.length + 1);
  if (isExtension && local === "") return { found: { extension: schema.id }, rest: "" };
  const [first = ""] = local.split(/[.[]/, 1);
  const attributes = isExtension
    ? schema.attributes
    : [...commonAttributes, ...type.schema.attributes];
  const named = attributeNamed(attributes, first);
  if (named === undefined) return undefined;
  const extension = isExtension ? schema.id : undefined;
  return { found: { attribute: named, extension }, rest: local.slice(first.length) };
}

function startsWithUrn(path: string, urn: string): boolean {
  if (path.length < urn.length || path.slice(0, urn.length).toLowerCase() !== urn.toLowerCase())
    return false;
  return path.length === urn.length || path[urn.length] === ":";
}
