// Notification: a scheduled delivery of a workbook's published dashboard.
import { getDeployments } from "../api/deployments.ts";
import {
  createNotification,
  deleteNotification,
  listNotifications,
  updateNotification,
} from "../api/notifications.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import { defineKind, defineObserve, type ObjectWrite } from "../core/kind/kind.ts";
import { changedFields, idOf, definedMembers } from "./codec.ts";
import { filterWarnings, notificationCheck, operatorErrors } from "./notification-check.ts";
import { dashboardIds, keyFields, notificationsOf, scheduleOf } from "./notification.codec.ts";
import { type Spec, spec, status } from "./notification.schema.ts";

const listFields = ["filters", "timeGrains", "memberSwitchers"] as const;
const copiedFields = [
  "timezone",
  "isEnabled",
  "notificationEnabled",
  "notificationFormat",
  "notificationAiSummary",
] as const;

function paramsOf(subject: ObjectWrite<Spec>) {
  return { deploymentId: Number(subject.live?.status["deploymentId"]), id: idOf(subject) };
}

/** The Notification resource type. Notifications have no name; their key is what they deliver and when. */
export const notification = defineKind(
  {
    name: "Notification",
    plural: "notifications",
    doc: "A scheduled delivery of a workbook's published dashboard. Notifications have no name: svc identifies them by deployment, workbook, schedule, time zone and embed tenant, and by ID once they are managed.",
    shape: "item",
    key: ["deployment", "workbook", "schedule", "timezone", "embedTenant"],
    scope: ["deployment"],
    cascades: true,
    spec,
    status,
    check: notificationCheck,
    offlineErrors: operatorErrors,
    offlineWarnings: filterWarnings,
    examples: [
      {
        title: "Every Monday morning",
        name: "weekly-sales",
        spec: {
          deployment: "production",
          workbook: "sales-overview",
          schedule: "0 9 * * 1",
          timezone: "Europe/Berlin",
          isEnabled: true,
          notificationEnabled: true,
          notificationFormat: "pdf",
          notificationAiSummary: true,
          filters: [{ member: "orders.status", operator: "equals", value: ["completed"] }],
          timeGrains: [{ member: "orders.createdAt", grain: "week" }],
          memberSwitchers: [{ from: "orders.count", to: "orders.total" }],
        },
        variations: {
          schedule: "30 7 * * MON-FRI",
          timezone: "UTC",
          isEnabled: false,
          notificationEnabled: false,
          notificationFormat: "png",
          notificationAiSummary: false,
          filters: [],
          timeGrains: [],
          memberSwitchers: [],
        },
      },
      {
        title: "A report for the users of one embed tenant",
        name: "acme-weekly-sales",
        spec: {
          deployment: "production",
          workbook: "sales-overview",
          embedTenant: "acme",
          schedule: "0 9 * * 1",
          timezone: "Europe/Berlin",
        },
        variations: { embedTenant: "globex" },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "perParent",
      items: listNotifications,
      needs: [getDeployments, listWorkbooks, listNotifications],
      read: async (reader, { deployment = "" }) =>
        (await notificationsOf(reader, deployment)).map((one) => ({
          id: String(one.id),
          spec: definedMembers({
            deployment,
            ...keyFields(one),
            isEnabled: one.isEnabled,
            notificationEnabled: one.notificationEnabled,
            notificationFormat: one.notificationFormat,
            notificationAiSummary: one.notificationAiSummary,
            filters: one.filters ?? [],
            timeGrains: one.timeGrains ?? [],
            memberSwitchers: one.memberSwitchers ?? [],
          }),
          status: definedMembers({
            id: one.id,
            deploymentId: one.deploymentId,
            dashboardId: one.dashboardId,
            humanReadableSchedule: one.humanReadableSchedule,
          }),
        })),
    }),
    create: [
      bind.perObject(
        createNotification,
        ({ spec: desired }, place) => {
          const { deployment: _d, workbook: _w, schedule, isEnabled: _e, ...rest } = desired;
          const { embedTenant, ...settings } = rest;
          return {
            params: { deploymentId: place.deploymentId },
            body: {
              ...definedMembers(settings),
              ...(embedTenant && { embedTenantName: embedTenant }),
              ...scheduleOf(schedule),
              dashboardId: place.dashboardId,
            },
          };
        },
        {
          prerequisite: dashboardIds,
          covers: Object.keys(spec.properties).filter((name) => name !== "isEnabled"),
        },
      ),
    ],
    update: [
      bind.perObject(updateNotification, (subject) => ({
        params: paramsOf(subject),
        body: {
          ...changedFields(subject, copiedFields),
          ...Object.fromEntries(
            listFields.flatMap((name) =>
              subject.changed.has(name) ? [[name, subject.spec[name] ?? []]] : [],
            ),
          ),
          ...(subject.changed.has("embedTenant") && {
            embedTenantName: subject.spec.embedTenant || null,
          }),
          ...(subject.changed.has("schedule") ? scheduleOf(subject.spec.schedule) : {}),
        },
      })),
    ],
    delete: [bind.perObject(deleteNotification, (subject) => ({ params: paramsOf(subject) }))],
  }),
);
