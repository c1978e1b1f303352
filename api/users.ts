// Area users: who belongs to the account; the least that sessions and keys need.
import { Type } from "typebox";
import { defineOperation } from "../core/operation.ts";
import { closed, Id, maybe, Moment } from "./schemas.ts";

const area = "users";

const User = closed({
  id: Id,
  email: Type.String(),
  username: Type.String(),
  isAdmin: Type.Boolean(),
  firstName: Type.Optional(Type.String()),
  createdAt: Type.Optional(Moment),
  lastLogin: Type.Optional(Moment),
});

/** The account's own users, newest first; external users are listed with their embed tenant. */
export const listUsers = defineOperation({
  id: "listUsers",
  area,
  method: "GET",
  path: "/api/v1/users",
  summary: "List users",
  source: "public",
  unlisted: true,
  effect: "read",
  access: "user",
  scope: "account",
  query: closed({ search: Type.Optional(Type.String({ maxLength: 255 })) }),
  answer: closed({ id: Id, email: Type.String(), firstName: Type.Optional(Type.String()) }),
  list: "cursor",
});

/** The user that the credential belongs to. */
export const getCurrentUser = defineOperation({
  id: "getCurrentUser",
  area,
  method: "GET",
  path: "/api/v1/users/me",
  summary: "Get the current user",
  source: "public",
  unlisted: true,
  effect: "read",
  access: "user",
  scope: "open",
  answer: User,
});

/** User names and emails are unique in an account. */
export const createUser = defineOperation({
  id: "createUser",
  area,
  method: "POST",
  path: "/api/v1/users",
  summary: "Create a user",
  source: "public",
  effect: "write",
  access: "admin",
  scope: "account",
  body: closed({
    email: Type.String({ maxLength: 254, format: "email" }),
    username: Type.String({ minLength: 1, maxLength: 255 }),
    firstName: maybe(Type.String({ maxLength: 255 })),
    isAdmin: maybe(Type.Boolean()),
  }),
  answer: User,
  fails: ["conflict"],
});
