// Harbour Analytics in typed constructs: `node main.ts` writes cdktf.out/stacks/harbour, which Terraform applies
// without changes. It declares the same objects as examples/quickstart.

/* oxlint-disable no-new -- a construct adds itself to its scope when it is created */
import { App, TerraformOutput, TerraformStack } from "cdktf";
import {
  AllTenantsEmbedAccess,
  DataModel,
  Deployment,
  EmbedGroup,
  EmbedTenant,
  EmbedUser,
  EmbedUserAttribute,
  EnvironmentVariable,
  Notification,
  NotificationEmbedRecipient,
  SvcProvider,
  UserAttribute,
  UserGroup,
  Workbook,
} from "svc-as-code/cdktf";

const app = new App();
const stack = new TerraformStack(app, "harbour");
// The address and the key come from SVC_API_URL and SVC_API_KEY.
new SvcProvider(stack, "svc");

const region = new UserAttribute(stack, "region", {
  name: "region",
  type: "string",
  displayName: "Sales region",
  description: "Rows of other regions are hidden from the viewer.",
});
new UserAttribute(stack, "cost-centres", {
  name: "cost_centres",
  type: "number_array",
  displayName: "Cost centres",
  description: "Cost centres whose figures the viewer may see.",
});
const readers = new UserGroup(stack, "dashboard-readers", {
  name: "Dashboard readers",
  description: "May open every published dashboard.",
}).reference;
const explorers = new UserGroup(stack, "explorers", {
  name: "Explorers",
  description: "May ask questions of their own.",
}).reference;

const sales = new Deployment(stack, "sales", {
  name: "harbour-sales",
  region: "aws-eu-central-1",
  release: { channel: "release" },
});
const deployment = sales.reference;
new DataModel(stack, "sales-model", {
  deployment,
  files: {
    "model/cubes/orders.yml": `cubes:
  - name: orders
    sql_table: orders
    description: One row for each order of a store.
    joins:
      - name: stores
        relationship: many_to_one
        sql: "{CUBE}.store_id = {stores.id}"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: ordered_at, sql: ordered_at, type: time }
      - { name: region, sql: "{stores.region}", type: string }
    measures:
      - { name: count, type: count, title: Orders }
      - { name: revenue, type: sum, sql: amount, format: currency, currency: EUR }
      - name: average
        type: avg
        sql: amount
        title: Average order
        format: currency
        currency: EUR
      - name: unpaid
        type: sum
        sql: amount
        filters: [{ sql: "{CUBE}.status = 'open'" }]
        format: currency
        currency: EUR
    # Policies of cubes apply wherever a cube is read, in each view and dashboard: a viewer sees the rows of the region that
    # the session names. An administrator sees all, and so do Northwind's directors.
    access_policy:
      - role: admin
      - group: system:tenant:northwind:directors
      - group: "*"
        row_level:
          filters: [{ member: region, operator: equals, values: ["{userAttributes.region}"] }]
`,
    "model/cubes/stores.yml": `cubes:
  - name: stores
    sql_table: stores
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: name, sql: name, type: string }
      - { name: region, sql: region, type: string }
    access_policy:
      - role: admin
      - group: system:tenant:northwind:directors
      - group: "*"
        row_level:
          filters: [{ member: region, operator: equals, values: ["{userAttributes.region}"] }]
`,
    "model/views/week.yml": `views:
  - name: week
    description: What the dashboard of the week shows.
    cubes:
      - join_path: orders
        includes: [count, revenue, average, unpaid, status, ordered_at]
      - join_path: orders.stores
        includes: [{ name: name, alias: store, title: Store }, region]
`,
    "seeds/orders.csv": `id,store_id,status,amount,ordered_at
1,6,paid,99.51,2025-11-17 08:11:00
2,6,paid,281.45,2025-11-17 12:16:00
3,2,paid,220.45,2025-11-17 12:57:00
4,1,paid,44.37,2025-11-17 14:27:00
5,4,paid,117.77,2025-11-17 14:40:00
6,3,paid,84.44,2025-11-18 13:42:00
7,3,paid,164.21,2025-11-18 13:54:00
8,1,paid,113.63,2025-11-18 14:47:00
9,6,paid,29.04,2025-11-18 15:41:00
10,3,paid,66.46,2025-11-19 10:56:00
11,6,paid,137.04,2025-11-19 11:47:00
12,6,paid,135.20,2025-11-19 18:39:00
13,4,paid,77.19,2025-11-19 18:39:00
14,6,open,87.59,2025-11-19 19:29:00
15,1,paid,52.24,2025-11-20 08:05:00
16,1,paid,167.80,2025-11-20 10:47:00
17,2,paid,123.63,2025-11-20 11:09:00
18,3,paid,121.84,2025-11-20 11:56:00
19,2,paid,115.35,2025-11-21 11:39:00
20,1,paid,127.43,2025-11-21 12:28:00
21,6,paid,111.72,2025-11-21 12:33:00
22,4,paid,101.66,2025-11-21 13:09:00
23,3,paid,104.01,2025-11-21 14:55:00
24,5,paid,74.14,2025-11-21 15:40:00
25,6,returned,78.67,2025-11-21 18:01:00
26,1,paid,84.12,2025-11-22 09:15:00
27,2,paid,25.56,2025-11-22 09:19:00
28,6,paid,123.87,2025-11-22 09:39:00
29,1,paid,123.49,2025-11-22 14:13:00
30,4,paid,125.58,2025-11-22 14:32:00
31,2,paid,117.85,2025-11-22 17:04:00
32,1,open,183.25,2025-11-22 17:11:00
33,1,paid,64.57,2025-11-23 13:25:00
34,1,paid,51.80,2025-11-23 15:12:00
35,6,paid,75.42,2025-11-24 12:35:00
36,2,paid,141.81,2025-11-24 13:11:00
37,5,paid,223.64,2025-11-24 13:29:00
38,2,paid,40.71,2025-11-24 14:13:00
39,1,paid,76.86,2025-11-24 19:46:00
40,2,paid,77.84,2025-11-25 10:57:00
41,1,paid,156.22,2025-11-25 13:50:00
42,4,paid,84.76,2025-11-25 16:48:00
43,1,paid,87.66,2025-11-25 18:51:00
44,4,paid,60.17,2025-11-25 18:56:00
45,5,paid,257.24,2025-11-26 11:25:00
46,5,paid,85.88,2025-11-26 12:45:00
47,6,open,40.61,2025-11-26 13:29:00
48,5,paid,85.48,2025-11-26 14:56:00
49,5,paid,76.40,2025-11-26 16:21:00
50,2,paid,105.25,2025-11-27 09:22:00
51,5,paid,248.23,2025-11-27 09:24:00
52,6,paid,91.37,2025-11-27 14:13:00
53,2,paid,128.08,2025-11-27 14:30:00
54,6,paid,125.98,2025-11-27 17:37:00
55,4,paid,78.01,2025-11-28 08:05:00
56,4,returned,54.94,2025-11-28 14:16:00
57,2,paid,178.07,2025-11-28 14:36:00
58,4,paid,65.11,2025-11-28 15:43:00
59,3,paid,220.68,2025-11-28 15:59:00
60,3,paid,227.93,2025-11-29 08:07:00
61,2,paid,114.18,2025-11-29 10:51:00
62,1,paid,90.57,2025-11-29 12:29:00
63,1,paid,146.97,2025-11-29 13:22:00
64,6,paid,59.25,2025-11-29 16:45:00
65,6,paid,58.85,2025-11-29 18:41:00
66,6,open,82.43,2025-11-30 13:10:00
67,1,paid,71.70,2025-11-30 13:11:00
68,2,paid,131.64,2025-11-30 18:24:00
69,3,returned,143.30,2025-12-01 10:01:00
70,2,returned,84.86,2025-12-01 13:28:00
71,1,paid,39.22,2025-12-01 16:18:00
72,6,open,31.05,2025-12-01 16:37:00
73,5,paid,169.03,2025-12-01 18:04:00
74,5,paid,160.41,2025-12-02 10:20:00
75,6,paid,81.39,2025-12-02 10:50:00
76,2,paid,65.46,2025-12-02 13:12:00
77,2,paid,53.38,2025-12-02 13:41:00
78,6,paid,88.57,2025-12-03 08:56:00
79,1,paid,41.50,2025-12-03 09:42:00
80,6,paid,79.40,2025-12-03 13:34:00
81,6,paid,51.97,2025-12-03 14:14:00
82,6,paid,115.94,2025-12-03 15:25:00
83,1,paid,99.06,2025-12-04 08:39:00
84,1,paid,94.82,2025-12-04 08:52:00
85,6,paid,70.43,2025-12-04 13:31:00
86,1,paid,148.55,2025-12-04 16:01:00
87,2,paid,37.82,2025-12-04 18:29:00
88,2,paid,85.37,2025-12-05 09:35:00
89,5,paid,63.09,2025-12-05 10:40:00
90,1,paid,62.61,2025-12-05 12:14:00
91,3,paid,108.65,2025-12-05 12:21:00
92,2,paid,47.64,2025-12-05 17:35:00
93,2,paid,199.19,2025-12-05 19:33:00
94,1,returned,56.42,2025-12-06 10:40:00
95,5,returned,221.97,2025-12-06 10:52:00
96,2,paid,143.07,2025-12-06 11:53:00
97,2,paid,96.25,2025-12-06 18:46:00
98,1,paid,26.84,2025-12-06 19:17:00
99,6,paid,46.32,2025-12-06 19:25:00
100,5,paid,170.60,2025-12-07 10:50:00
101,6,paid,73.01,2025-12-07 17:30:00
102,3,paid,81.47,2025-12-07 18:55:00
103,2,paid,142.92,2025-12-08 08:12:00
104,6,paid,47.30,2025-12-08 12:37:00
105,5,paid,129.32,2025-12-08 12:55:00
106,4,paid,88.87,2025-12-08 15:51:00
107,6,paid,42.04,2025-12-08 18:21:00
108,3,paid,70.48,2025-12-08 19:04:00
109,3,paid,217.91,2025-12-09 08:03:00
110,2,paid,164.51,2025-12-09 08:34:00
111,2,paid,125.42,2025-12-09 11:08:00
112,2,paid,136.83,2025-12-09 11:12:00
113,4,paid,163.25,2025-12-09 14:33:00
114,6,paid,294.32,2025-12-09 15:25:00
115,2,paid,111.16,2025-12-10 08:39:00
116,2,paid,68.94,2025-12-10 13:33:00
117,1,paid,45.25,2025-12-10 16:05:00
118,4,paid,32.61,2025-12-10 16:42:00
119,6,paid,94.00,2025-12-10 19:14:00
120,6,returned,189.08,2025-12-11 08:02:00
121,1,paid,223.30,2025-12-11 08:15:00
122,1,paid,116.09,2025-12-11 09:38:00
123,4,paid,86.04,2025-12-11 10:39:00
124,2,paid,361.40,2025-12-11 16:32:00
125,2,paid,109.24,2025-12-11 18:17:00
126,1,paid,103.85,2025-12-12 08:16:00
127,2,paid,73.45,2025-12-12 08:52:00
128,2,open,156.36,2025-12-12 08:58:00
129,6,paid,151.02,2025-12-12 09:00:00
130,5,paid,102.50,2025-12-12 15:12:00
131,5,paid,103.58,2025-12-12 16:58:00
132,2,paid,84.26,2025-12-12 17:11:00
133,3,returned,86.36,2025-12-12 18:28:00
134,5,paid,163.66,2025-12-13 08:25:00
135,5,paid,210.66,2025-12-13 11:42:00
136,2,open,70.49,2025-12-13 12:41:00
137,3,paid,117.02,2025-12-13 13:33:00
138,6,paid,85.84,2025-12-13 16:10:00
139,4,paid,79.75,2025-12-13 16:29:00
140,3,paid,82.35,2025-12-13 19:41:00
141,1,paid,327.90,2025-12-13 19:44:00
142,6,paid,56.85,2025-12-13 19:51:00
143,6,paid,108.32,2025-12-14 10:45:00
144,5,paid,98.92,2025-12-14 11:28:00
145,2,paid,145.00,2025-12-14 14:11:00
146,1,paid,75.06,2025-12-15 08:56:00
147,3,paid,84.00,2025-12-15 10:00:00
148,2,paid,104.12,2025-12-15 11:37:00
149,2,paid,91.25,2025-12-15 11:46:00
150,3,paid,146.62,2025-12-15 13:10:00
151,5,paid,60.24,2025-12-15 13:54:00
152,2,paid,140.61,2025-12-15 15:29:00
153,2,paid,68.79,2025-12-16 08:00:00
154,1,paid,144.45,2025-12-16 10:11:00
155,6,paid,203.71,2025-12-16 10:58:00
156,1,paid,165.29,2025-12-16 12:58:00
157,2,paid,78.50,2025-12-16 15:11:00
158,1,paid,252.10,2025-12-16 15:34:00
159,2,paid,233.63,2025-12-17 10:46:00
160,4,paid,171.10,2025-12-17 11:09:00
161,3,paid,49.74,2025-12-17 11:54:00
162,6,paid,66.56,2025-12-17 13:49:00
163,1,returned,98.48,2025-12-17 15:26:00
164,4,paid,92.43,2025-12-17 18:09:00
165,1,paid,66.04,2025-12-17 19:12:00
166,6,paid,115.64,2025-12-18 09:42:00
167,6,returned,111.22,2025-12-18 10:32:00
168,5,returned,278.79,2025-12-18 10:42:00
169,3,paid,190.79,2025-12-18 11:36:00
170,1,paid,97.40,2025-12-18 11:42:00
171,1,paid,41.59,2025-12-18 12:49:00
172,3,paid,75.77,2025-12-18 13:27:00
173,6,paid,164.98,2025-12-18 19:57:00
174,1,paid,58.26,2025-12-19 08:07:00
175,2,paid,251.55,2025-12-19 08:12:00
176,4,paid,124.35,2025-12-19 08:22:00
177,1,paid,68.15,2025-12-19 10:25:00
178,2,paid,72.11,2025-12-19 12:19:00
179,3,paid,93.71,2025-12-19 12:25:00
180,6,paid,81.47,2025-12-19 12:54:00
181,1,paid,142.97,2025-12-19 14:14:00
182,3,paid,109.02,2025-12-20 09:47:00
183,2,paid,69.92,2025-12-20 09:47:00
184,2,paid,71.27,2025-12-20 11:32:00
185,5,paid,72.01,2025-12-20 11:57:00
186,2,paid,102.56,2025-12-20 14:34:00
187,2,paid,91.13,2025-12-20 16:34:00
188,6,paid,62.42,2025-12-20 17:44:00
189,6,paid,105.80,2025-12-20 18:39:00
190,6,paid,52.70,2025-12-21 11:23:00
191,6,paid,97.72,2025-12-21 11:43:00
192,2,paid,125.73,2025-12-21 12:03:00
193,5,paid,39.44,2025-12-21 14:44:00
194,3,paid,115.30,2025-12-21 16:20:00
195,2,paid,44.38,2025-12-22 08:36:00
196,1,paid,77.52,2025-12-22 08:59:00
197,4,paid,38.29,2025-12-22 16:01:00
198,5,paid,67.14,2025-12-22 17:44:00
199,2,paid,69.10,2025-12-22 18:42:00
200,5,paid,63.08,2025-12-23 11:52:00
201,4,returned,404.69,2025-12-23 13:31:00
202,2,paid,112.56,2025-12-23 18:13:00
203,2,paid,71.41,2025-12-23 18:52:00
204,2,returned,74.41,2025-12-24 12:42:00
205,4,paid,92.72,2025-12-24 13:33:00
206,4,paid,51.43,2025-12-24 15:05:00
207,4,paid,79.06,2025-12-24 16:11:00
208,1,paid,79.16,2025-12-24 18:08:00
209,3,paid,64.22,2025-12-25 10:15:00
210,2,paid,181.46,2025-12-26 08:48:00
211,4,paid,48.75,2025-12-26 08:58:00
212,3,paid,98.84,2025-12-26 10:49:00
213,2,paid,74.49,2025-12-26 14:07:00
214,3,paid,59.30,2025-12-26 16:48:00
215,6,paid,141.42,2025-12-26 19:17:00
216,5,paid,114.95,2025-12-27 09:10:00
217,1,paid,87.51,2025-12-27 11:52:00
218,1,returned,77.99,2025-12-27 11:54:00
219,6,paid,64.74,2025-12-27 17:39:00
220,3,paid,54.77,2025-12-27 19:52:00
221,2,paid,104.72,2025-12-28 08:50:00
222,1,returned,46.25,2025-12-28 19:55:00
223,5,paid,112.71,2025-12-29 08:59:00
224,3,paid,47.40,2025-12-29 10:56:00
225,5,paid,49.94,2025-12-29 14:37:00
226,3,paid,86.12,2025-12-29 19:56:00
227,6,paid,152.15,2025-12-30 10:10:00
228,6,paid,58.66,2025-12-30 11:49:00
229,3,paid,82.11,2025-12-30 16:39:00
230,3,paid,330.49,2025-12-31 08:21:00
231,6,paid,152.84,2025-12-31 16:47:00
232,2,paid,84.03,2025-12-31 18:10:00
233,3,paid,48.49,2025-12-31 18:33:00
234,4,paid,85.15,2026-01-01 11:06:00
235,6,paid,113.82,2026-01-01 11:55:00
236,1,paid,126.22,2026-01-01 13:38:00
237,4,paid,106.51,2026-01-01 17:58:00
238,4,paid,149.15,2026-01-01 19:03:00
239,6,paid,19.71,2026-01-02 09:21:00
240,3,paid,109.25,2026-01-02 09:56:00
241,6,paid,58.26,2026-01-02 15:46:00
242,5,paid,137.30,2026-01-02 16:55:00
243,6,paid,82.49,2026-01-02 17:17:00
244,1,paid,64.08,2026-01-03 09:47:00
245,3,paid,72.47,2026-01-03 15:01:00
246,3,returned,80.64,2026-01-03 16:09:00
247,2,paid,106.48,2026-01-03 16:29:00
248,2,paid,86.08,2026-01-03 18:27:00
249,4,paid,61.42,2026-01-03 19:01:00
250,3,paid,147.53,2026-01-03 19:12:00
251,5,paid,75.25,2026-01-04 08:06:00
252,2,paid,64.52,2026-01-04 11:48:00
253,2,paid,81.74,2026-01-04 12:00:00
254,5,paid,118.27,2026-01-05 12:52:00
255,2,returned,299.19,2026-01-05 14:01:00
256,5,paid,83.95,2026-01-05 14:02:00
257,5,paid,84.34,2026-01-05 15:09:00
258,4,paid,61.23,2026-01-05 15:40:00
259,6,returned,70.56,2026-01-06 09:06:00
260,3,paid,98.30,2026-01-06 11:14:00
261,1,returned,61.72,2026-01-06 13:18:00
262,2,open,75.86,2026-01-06 18:26:00
263,2,paid,212.12,2026-01-07 12:28:00
264,3,paid,142.17,2026-01-07 16:21:00
265,2,open,55.07,2026-01-07 16:25:00
266,1,paid,55.35,2026-01-07 18:42:00
267,1,open,105.23,2026-01-08 15:00:00
268,6,paid,62.72,2026-01-08 17:04:00
269,6,paid,160.08,2026-01-08 17:13:00
270,6,paid,101.43,2026-01-08 17:37:00
271,4,paid,83.37,2026-01-08 18:08:00
272,2,paid,146.93,2026-01-09 09:01:00
273,2,returned,51.28,2026-01-09 09:12:00
274,6,paid,73.93,2026-01-09 11:05:00
275,3,paid,47.86,2026-01-09 11:15:00
276,4,paid,62.92,2026-01-09 12:58:00
277,5,paid,51.74,2026-01-09 15:40:00
278,6,paid,65.88,2026-01-09 18:33:00
279,4,paid,80.92,2026-01-09 19:10:00
280,1,paid,147.27,2026-01-10 08:03:00
281,5,paid,53.02,2026-01-10 14:32:00
282,4,paid,130.92,2026-01-10 15:37:00
283,5,paid,90.84,2026-01-10 16:37:00
284,6,open,72.89,2026-01-10 16:39:00
285,6,open,132.87,2026-01-10 17:20:00
286,1,paid,49.84,2026-01-10 17:23:00
287,1,paid,85.78,2026-01-10 18:11:00
288,1,paid,80.99,2026-01-10 19:05:00
289,3,paid,131.60,2026-01-11 08:01:00
290,1,paid,40.83,2026-01-11 08:50:00
291,3,paid,105.34,2026-01-11 10:06:00
292,6,paid,95.49,2026-01-12 08:11:00
293,1,paid,214.81,2026-01-12 13:02:00
294,6,paid,67.01,2026-01-12 17:01:00
295,3,paid,76.54,2026-01-12 19:15:00
`,
    "seeds/stores.csv": `id,name,region
1,Bergen,north
2,Oslo,north
3,Porto,south
4,Trondheim,north
5,Faro,south
6,Lisbon,south
`,
  },
});
new EnvironmentVariable(stack, "currency", {
  deployment,
  name: "REPORTING_CURRENCY",
  value: "EUR",
});
const week = new Workbook(stack, "week", {
  deployment,
  slug: "the-week",
  name: "The week",
  dashboard: {
    title: "The week",
    description: "Orders and revenue of the stores, up to the first full week of 2026.",
    theme: { primaryColor: "#0f766e" },
    allowEmbed: true,
    widgets: [
      {
        id: "status",
        type: "FILTER",
        position: { x: 0, y: 0, w: 3, h: 2 },
        config: { member: "week.status", title: "Status" },
      },
      {
        id: "revenue",
        type: "CHART",
        position: { x: 0, y: 2, w: 3, h: 4 },
        config: {
          title: "Revenue of the week",
          chart: "number",
          formats: { "week.revenue": "$,.0f" },
          query: {
            measures: ["week.revenue"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "week",
                dateRange: ["2025-11-17", "2026-01-11"],
              },
            ],
          },
        },
      },
      {
        id: "orders",
        type: "CHART",
        position: { x: 0, y: 6, w: 3, h: 4 },
        config: {
          title: "Orders of the week",
          chart: "number",
          query: {
            measures: ["week.count"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "week",
                dateRange: ["2025-11-17", "2026-01-11"],
              },
            ],
          },
        },
      },
      {
        id: "by-week",
        type: "CHART",
        position: { x: 3, y: 0, w: 9, h: 10 },
        config: {
          title: "Revenue and average order",
          chart: "bar",
          y: [
            { member: "week.revenue", format: "$,.0f", color: "#0f766e" },
            {
              member: "week.average",
              type: "line",
              axis: "right",
              format: "$,.0f",
              color: "#d97706",
            },
          ],
          axes: { right: { min: 0 } },
          query: {
            measures: ["week.revenue", "week.average"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "week",
                dateRange: ["2025-11-17", "2026-01-11"],
              },
            ],
          },
        },
      },
      {
        id: "by-store",
        type: "CHART",
        position: { x: 0, y: 10, w: 7, h: 7 },
        config: {
          title: "Stores this week",
          chart: "table",
          totals: true,
          columns: [
            "week.store",
            "week.region",
            "week.count",
            { member: "week.revenue", format: "$,.0f" },
            { member: "week.unpaid", title: "Not paid yet", format: "$,.0f" },
          ],
          conditions: [
            { member: "week.revenue", scale: "bars" },
            { member: "week.unpaid", operator: "gt", value: 200, color: "#b42318", bold: true },
          ],
          query: {
            measures: ["week.count", "week.revenue", "week.unpaid"],
            dimensions: ["week.store", "week.region"],
            timeDimensions: [
              { dimension: "week.ordered_at", dateRange: ["2026-01-05", "2026-01-11"] },
            ],
            order: { "week.revenue": "desc" },
          },
        },
      },
      {
        id: "by-day",
        type: "CHART",
        position: { x: 7, y: 10, w: 5, h: 7 },
        config: {
          title: "Revenue by day and region",
          chart: "area",
          colors: ["#0f766e", "#d97706"],
          query: {
            measures: ["week.revenue"],
            dimensions: ["week.region"],
            timeDimensions: [
              {
                dimension: "week.ordered_at",
                granularity: "day",
                dateRange: ["2026-01-05", "2026-01-11"],
              },
            ],
          },
        },
      },
    ],
  },
});
new AllTenantsEmbedAccess(stack, "week-for-customers", {
  deployment,
  workbook: week.reference,
});
const mondays = new Notification(stack, "mondays", {
  deployment,
  workbook: week.reference,
  schedule: "0 7 * * 1",
  timezone: "Europe/Berlin",
  notificationFormat: "pdf",
});

const northwind = new EmbedTenant(stack, "northwind", {
  name: "northwind",
  displayName: "Northwind Stores",
}).reference;
const managers = new EmbedGroup(stack, "northwind-managers", {
  embedTenant: northwind,
  name: "store-managers",
  description: "See the figures of their own store. Questions go to support@harbour.example.",
}).reference;
const directors = new EmbedGroup(stack, "northwind-directors", {
  embedTenant: northwind,
  name: "directors",
  description: "See every store.",
}).reference;
new EmbedUserAttribute(stack, "northwind-store", {
  embedTenant: northwind,
  name: "store",
  type: "string",
  displayName: "Store",
  defaultValue: "none",
});
new EmbedUser(stack, "northwind-ada", {
  embedTenant: northwind,
  externalId: "ada-1001",
  email: "ada@northwind.example",
  displayName: "Ada Marsh",
  groups: [readers],
  tenantGroups: [managers],
  userAttributes: [{ name: region.reference, value: "north" }],
});
new EmbedUser(stack, "northwind-tom", {
  embedTenant: northwind,
  externalId: "tom-1002",
  email: "tom@northwind.example",
  displayName: "Tom Reyes",
  groups: [readers, explorers],
  tenantGroups: [directors, managers],
});
new NotificationEmbedRecipient(stack, "mondays-tom", {
  deployment,
  notification: mondays.reference,
  embedTenant: northwind,
  externalId: "tom-1002",
  email: "tom@northwind.example",
});

const bluewater = new EmbedTenant(stack, "bluewater", {
  name: "bluewater-lines",
  displayName: "Bluewater Lines",
}).reference;
const dispatch = new EmbedGroup(stack, "bluewater-dispatch", {
  embedTenant: bluewater,
  name: "dispatch",
  description: "Plans the week's sailings.",
}).reference;
new EmbedUserAttribute(stack, "bluewater-vessels", {
  embedTenant: bluewater,
  name: "vessels",
  type: "string_array",
  displayName: "Vessels",
  description: "Vessels whose voyages the viewer may see.",
});
new EmbedUser(stack, "bluewater-ines", {
  embedTenant: bluewater,
  externalId: "ines-7",
  email: "ines@bluewater.example",
  displayName: "Inês Duarte",
  tenantGroups: [dispatch],
});

new TerraformOutput(stack, "address", { value: sales.deploymentUrl });
app.synth();
