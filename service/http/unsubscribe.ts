// The pages of the link that ends a subscription to a notification. Mail programs use it with one click (RFC 8058).
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { limits } from "../../core/limits/limits.ts";
import {
  readOwnSubscription,
  setOwnSubscription,
  type SubscriptionKey,
} from "../areas/notifications/own-subscription.ts";
import { unsubscribePath } from "../areas/notifications/mail-links.ts";
import { inTransaction } from "../store/transaction.ts";
import { requestContextOf } from "./request/request-context.ts";
import { admitRequests, type RequestAdmission } from "./request/request-admission.ts";
import { sendPage } from "./sign-in/browser.ts";
import { html } from "./sign-in/html.ts";
import { messagePage, type Page } from "./sign-in/pages.ts";

/** Adds the pages. The token of the link is the credential, so a form may come from any site and needs no cookie. */
export function addUnsubscribe(
  app: FastifyInstance,
  { admission }: { readonly admission: RequestAdmission },
): void {
  void app.register(async (scope) => {
    admitRequests(scope, admission);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: limits.signInFormBytes },
      async (_: FastifyRequest, body: string) => new URLSearchParams(body),
    );
    // Mail programs send the only field of the form in either encoding.
    scope.addContentTypeParser(
      /^multipart\/form-data\s*;/i,
      { parseAs: "string", bodyLimit: limits.signInFormBytes },
      async () => new URLSearchParams(),
    );
    scope.get(unsubscribePath, async (request, reply) => {
      const key = subscriptionOf(request);
      return showSubscription(request, reply, key);
    });
    scope.post(unsubscribePath, async (request, reply) => {
      const key = subscriptionOf(request);
      if (key === undefined) return sendPage(reply, brokenLink);
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const isSubscribed = form.get("action") === "subscribe";
      const { db, now } = requestContextOf(request);
      await inTransaction(db, (tx) => setOwnSubscription(tx, key, { isSubscribed, now: now() }));
      return showSubscription(request, reply, key);
    });
  });
}

const brokenLink = messagePage(
  "The link does not work",
  "The notification was removed, or you do not receive it any more.",
  404,
);

function subscriptionOf(request: FastifyRequest): SubscriptionKey | undefined {
  const { token } = request.query as { readonly token?: unknown };
  return requestContextOf(request).tokens.readUnsubscribeToken(String(token));
}

async function showSubscription(
  request: FastifyRequest,
  reply: FastifyReply,
  key: SubscriptionKey | undefined,
): Promise<FastifyReply> {
  const found = key && (await readOwnSubscription(requestContextOf(request).db, key));
  if (found === undefined) return sendPage(reply, brokenLink);
  return sendPage(reply, subscriptionPage(found));
}

function subscriptionPage(of: { readonly workbook: string; readonly isSubscribed: boolean }): Page {
  const [title, text, action, button] = of.isSubscribed
    ? ["Unsubscribe?", "You receive this dashboard by email:", "unsubscribe", "Unsubscribe"]
    : [
        "Unsubscribed",
        "You do not receive this dashboard any more:",
        "subscribe",
        "Subscribe again",
      ];
  return {
    title,
    body: html`<p role="status">${text} <strong>${of.workbook}</strong></p>
      <form method="post">
        <input type="hidden" name="action" value="${action}" />
        <button class="main" type="submit">${button}</button>
      </form>`,
  };
}
