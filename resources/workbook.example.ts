// Examples of Workbook.
import type { Example } from "../core/kind/example.ts";
import type { Spec } from "./workbook.schema.ts";

/** The examples of the resource type. */
export const examples: readonly Example<Spec>[] = [
  {
    title: "A published dashboard for customers",
    name: "sales-overview",
    spec: {
      deployment: "production",
      slug: "sales-overview",
      name: "Sales overview",
      meta: { team: "analytics" },
      dashboard: {
        title: "Sales overview",
        description: "Orders and revenue, by store.",
        allowEmbed: true,
        widgets: [
          {
            id: "headline",
            type: "TEXT",
            position: { x: 0, y: 0, w: 12, h: 2 },
            config: { text: "Sales" },
          },
        ],
      },
    },
    variations: {
      slug: "sales",
      name: "Sales",
      meta: { team: "sales", reviewed: true },
      dashboard: { title: "Sales", allowEmbed: false },
    },
  },
  {
    title: "A workbook in a folder",
    name: "orders-workbook",
    spec: {
      deployment: "production",
      slug: "orders",
      name: "Orders",
      folder: "sales-folder",
    },
    variations: { slug: "all-orders", name: "All orders", folder: null },
  },
];
