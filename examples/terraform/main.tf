# The objects of examples/quickstart, generated from its manifests by `npm run generate`.
terraform {
  required_providers {
    svc = {
      source  = "svc/svc"
      version = "0.1.0"
    }
  }
}

# The address and the key come from SVC_API_URL and SVC_API_KEY.
provider "svc" {}

locals {
  supportDomain = "harbour.example"
}

resource "svc_user_attribute" "region" {
  name         = "region"
  type         = "string"
  display_name = "Sales region"
  description  = "Rows of other regions are hidden from the viewer."
}

resource "svc_user_attribute" "cost-centres" {
  name         = "cost_centres"
  type         = "number_array"
  display_name = "Cost centres"
  description  = "Cost centres whose figures the viewer may see."
}

resource "svc_user_group" "dashboard-readers" {
  name        = "Dashboard readers"
  description = "May open every published dashboard."
}

resource "svc_user_group" "explorers" {
  name        = "Explorers"
  description = "May ask questions of their own."
}

resource "svc_embed_tenant" "bluewater" {
  name         = "bluewater-lines"
  display_name = "Bluewater Lines"
}

resource "svc_embed_group" "bluewater-dispatch" {
  embed_tenant = svc_embed_tenant.bluewater.reference
  name         = "dispatch"
  description  = "Plans the week's sailings."
}

resource "svc_embed_user_attribute" "bluewater-vessels" {
  embed_tenant = svc_embed_tenant.bluewater.reference
  name         = "vessels"
  type         = "string_array"
  display_name = "Vessels"
  description  = "Vessels whose voyages the viewer may see."
}

resource "svc_embed_user" "bluewater-ines" {
  embed_tenant  = svc_embed_tenant.bluewater.reference
  external_id   = "ines-7"
  email         = "ines@bluewater.example"
  display_name  = "Inês Duarte"
  tenant_groups = [svc_embed_group.bluewater-dispatch.reference]
}

resource "svc_embed_tenant" "northwind" {
  name         = "northwind"
  display_name = "Northwind Stores"
}

resource "svc_embed_group" "northwind-managers" {
  embed_tenant = svc_embed_tenant.northwind.reference
  name         = "store-managers"
  description  = "See the figures of their own store. Questions go to support@${local.supportDomain}."
}

resource "svc_embed_group" "northwind-directors" {
  embed_tenant = svc_embed_tenant.northwind.reference
  name         = "directors"
  description  = "See every store."
}

resource "svc_embed_user_attribute" "northwind-store" {
  embed_tenant  = svc_embed_tenant.northwind.reference
  name          = "store"
  type          = "string"
  display_name  = "Store"
  default_value = "none"
}

resource "svc_embed_user" "northwind-ada" {
  embed_tenant  = svc_embed_tenant.northwind.reference
  external_id   = "ada-1001"
  email         = "ada@northwind.example"
  display_name  = "Ada Marsh"
  groups        = [svc_user_group.dashboard-readers.reference]
  tenant_groups = [svc_embed_group.northwind-managers.reference]
  user_attributes = [
    {
      name  = svc_user_attribute.region.reference
      value = jsonencode("north")
    },
  ]
}

resource "svc_embed_user" "northwind-tom" {
  embed_tenant = svc_embed_tenant.northwind.reference
  external_id  = "tom-1002"
  email        = "tom@northwind.example"
  display_name = "Tom Reyes"
  groups = [
    svc_user_group.dashboard-readers.reference,
    svc_user_group.explorers.reference,
  ]
  tenant_groups = [
    svc_embed_group.northwind-directors.reference,
    svc_embed_group.northwind-managers.reference,
  ]
}

resource "svc_deployment" "sales" {
  name   = "harbour-sales"
  region = "aws-eu-central-1"
  release = {
    channel = "release"
  }
}

resource "svc_data_model" "sales" {
  deployment = svc_deployment.sales.reference
  files = {
    "model/cubes/orders.yml" = "cubes:\n  - name: orders\n    sql_table: orders\n    description: One row for each order of a store.\n    joins:\n      - name: stores\n        relationship: many_to_one\n        sql: \"{CUBE}.store_id = {stores.id}\"\n    dimensions:\n      - { name: id, sql: id, type: number, primary_key: true }\n      - { name: status, sql: status, type: string }\n      - { name: ordered_at, sql: ordered_at, type: time }\n      - { name: region, sql: \"{stores.region}\", type: string }\n    measures:\n      - { name: count, type: count, title: Orders }\n      - { name: revenue, type: sum, sql: amount, format: currency, currency: EUR }\n      - name: average\n        type: avg\n        sql: amount\n        title: Average order\n        format: currency\n        currency: EUR\n      - name: unpaid\n        type: sum\n        sql: amount\n        filters: [{ sql: \"{CUBE}.status = 'open'\" }]\n        format: currency\n        currency: EUR\n    # Policies of cubes apply wherever a cube is read, in each view and dashboard: a viewer sees the rows of the region that\n    # the session names. An administrator sees all, and so do Northwind's directors.\n    access_policy:\n      - role: admin\n      - group: system:tenant:northwind:directors\n      - group: \"*\"\n        row_level:\n          filters: [{ member: region, operator: equals, values: [\"{userAttributes.region}\"] }]\n"
    "model/cubes/stores.yml" = "cubes:\n  - name: stores\n    sql_table: stores\n    dimensions:\n      - { name: id, sql: id, type: number, primary_key: true }\n      - { name: name, sql: name, type: string }\n      - { name: region, sql: region, type: string }\n    access_policy:\n      - role: admin\n      - group: system:tenant:northwind:directors\n      - group: \"*\"\n        row_level:\n          filters: [{ member: region, operator: equals, values: [\"{userAttributes.region}\"] }]\n"
    "model/views/week.yml"   = "views:\n  - name: week\n    description: What the dashboard of the week shows.\n    cubes:\n      - join_path: orders\n        includes: [count, revenue, average, unpaid, status, ordered_at]\n      - join_path: orders.stores\n        includes: [{ name: name, alias: store, title: Store }, region]\n"
    "seeds/orders.csv"       = "id,store_id,status,amount,ordered_at\n1,6,paid,99.51,2025-11-17 08:11:00\n2,6,paid,281.45,2025-11-17 12:16:00\n3,2,paid,220.45,2025-11-17 12:57:00\n4,1,paid,44.37,2025-11-17 14:27:00\n5,4,paid,117.77,2025-11-17 14:40:00\n6,3,paid,84.44,2025-11-18 13:42:00\n7,3,paid,164.21,2025-11-18 13:54:00\n8,1,paid,113.63,2025-11-18 14:47:00\n9,6,paid,29.04,2025-11-18 15:41:00\n10,3,paid,66.46,2025-11-19 10:56:00\n11,6,paid,137.04,2025-11-19 11:47:00\n12,6,paid,135.20,2025-11-19 18:39:00\n13,4,paid,77.19,2025-11-19 18:39:00\n14,6,open,87.59,2025-11-19 19:29:00\n15,1,paid,52.24,2025-11-20 08:05:00\n16,1,paid,167.80,2025-11-20 10:47:00\n17,2,paid,123.63,2025-11-20 11:09:00\n18,3,paid,121.84,2025-11-20 11:56:00\n19,2,paid,115.35,2025-11-21 11:39:00\n20,1,paid,127.43,2025-11-21 12:28:00\n21,6,paid,111.72,2025-11-21 12:33:00\n22,4,paid,101.66,2025-11-21 13:09:00\n23,3,paid,104.01,2025-11-21 14:55:00\n24,5,paid,74.14,2025-11-21 15:40:00\n25,6,returned,78.67,2025-11-21 18:01:00\n26,1,paid,84.12,2025-11-22 09:15:00\n27,2,paid,25.56,2025-11-22 09:19:00\n28,6,paid,123.87,2025-11-22 09:39:00\n29,1,paid,123.49,2025-11-22 14:13:00\n30,4,paid,125.58,2025-11-22 14:32:00\n31,2,paid,117.85,2025-11-22 17:04:00\n32,1,open,183.25,2025-11-22 17:11:00\n33,1,paid,64.57,2025-11-23 13:25:00\n34,1,paid,51.80,2025-11-23 15:12:00\n35,6,paid,75.42,2025-11-24 12:35:00\n36,2,paid,141.81,2025-11-24 13:11:00\n37,5,paid,223.64,2025-11-24 13:29:00\n38,2,paid,40.71,2025-11-24 14:13:00\n39,1,paid,76.86,2025-11-24 19:46:00\n40,2,paid,77.84,2025-11-25 10:57:00\n41,1,paid,156.22,2025-11-25 13:50:00\n42,4,paid,84.76,2025-11-25 16:48:00\n43,1,paid,87.66,2025-11-25 18:51:00\n44,4,paid,60.17,2025-11-25 18:56:00\n45,5,paid,257.24,2025-11-26 11:25:00\n46,5,paid,85.88,2025-11-26 12:45:00\n47,6,open,40.61,2025-11-26 13:29:00\n48,5,paid,85.48,2025-11-26 14:56:00\n49,5,paid,76.40,2025-11-26 16:21:00\n50,2,paid,105.25,2025-11-27 09:22:00\n51,5,paid,248.23,2025-11-27 09:24:00\n52,6,paid,91.37,2025-11-27 14:13:00\n53,2,paid,128.08,2025-11-27 14:30:00\n54,6,paid,125.98,2025-11-27 17:37:00\n55,4,paid,78.01,2025-11-28 08:05:00\n56,4,returned,54.94,2025-11-28 14:16:00\n57,2,paid,178.07,2025-11-28 14:36:00\n58,4,paid,65.11,2025-11-28 15:43:00\n59,3,paid,220.68,2025-11-28 15:59:00\n60,3,paid,227.93,2025-11-29 08:07:00\n61,2,paid,114.18,2025-11-29 10:51:00\n62,1,paid,90.57,2025-11-29 12:29:00\n63,1,paid,146.97,2025-11-29 13:22:00\n64,6,paid,59.25,2025-11-29 16:45:00\n65,6,paid,58.85,2025-11-29 18:41:00\n66,6,open,82.43,2025-11-30 13:10:00\n67,1,paid,71.70,2025-11-30 13:11:00\n68,2,paid,131.64,2025-11-30 18:24:00\n69,3,returned,143.30,2025-12-01 10:01:00\n70,2,returned,84.86,2025-12-01 13:28:00\n71,1,paid,39.22,2025-12-01 16:18:00\n72,6,open,31.05,2025-12-01 16:37:00\n73,5,paid,169.03,2025-12-01 18:04:00\n74,5,paid,160.41,2025-12-02 10:20:00\n75,6,paid,81.39,2025-12-02 10:50:00\n76,2,paid,65.46,2025-12-02 13:12:00\n77,2,paid,53.38,2025-12-02 13:41:00\n78,6,paid,88.57,2025-12-03 08:56:00\n79,1,paid,41.50,2025-12-03 09:42:00\n80,6,paid,79.40,2025-12-03 13:34:00\n81,6,paid,51.97,2025-12-03 14:14:00\n82,6,paid,115.94,2025-12-03 15:25:00\n83,1,paid,99.06,2025-12-04 08:39:00\n84,1,paid,94.82,2025-12-04 08:52:00\n85,6,paid,70.43,2025-12-04 13:31:00\n86,1,paid,148.55,2025-12-04 16:01:00\n87,2,paid,37.82,2025-12-04 18:29:00\n88,2,paid,85.37,2025-12-05 09:35:00\n89,5,paid,63.09,2025-12-05 10:40:00\n90,1,paid,62.61,2025-12-05 12:14:00\n91,3,paid,108.65,2025-12-05 12:21:00\n92,2,paid,47.64,2025-12-05 17:35:00\n93,2,paid,199.19,2025-12-05 19:33:00\n94,1,returned,56.42,2025-12-06 10:40:00\n95,5,returned,221.97,2025-12-06 10:52:00\n96,2,paid,143.07,2025-12-06 11:53:00\n97,2,paid,96.25,2025-12-06 18:46:00\n98,1,paid,26.84,2025-12-06 19:17:00\n99,6,paid,46.32,2025-12-06 19:25:00\n100,5,paid,170.60,2025-12-07 10:50:00\n101,6,paid,73.01,2025-12-07 17:30:00\n102,3,paid,81.47,2025-12-07 18:55:00\n103,2,paid,142.92,2025-12-08 08:12:00\n104,6,paid,47.30,2025-12-08 12:37:00\n105,5,paid,129.32,2025-12-08 12:55:00\n106,4,paid,88.87,2025-12-08 15:51:00\n107,6,paid,42.04,2025-12-08 18:21:00\n108,3,paid,70.48,2025-12-08 19:04:00\n109,3,paid,217.91,2025-12-09 08:03:00\n110,2,paid,164.51,2025-12-09 08:34:00\n111,2,paid,125.42,2025-12-09 11:08:00\n112,2,paid,136.83,2025-12-09 11:12:00\n113,4,paid,163.25,2025-12-09 14:33:00\n114,6,paid,294.32,2025-12-09 15:25:00\n115,2,paid,111.16,2025-12-10 08:39:00\n116,2,paid,68.94,2025-12-10 13:33:00\n117,1,paid,45.25,2025-12-10 16:05:00\n118,4,paid,32.61,2025-12-10 16:42:00\n119,6,paid,94.00,2025-12-10 19:14:00\n120,6,returned,189.08,2025-12-11 08:02:00\n121,1,paid,223.30,2025-12-11 08:15:00\n122,1,paid,116.09,2025-12-11 09:38:00\n123,4,paid,86.04,2025-12-11 10:39:00\n124,2,paid,361.40,2025-12-11 16:32:00\n125,2,paid,109.24,2025-12-11 18:17:00\n126,1,paid,103.85,2025-12-12 08:16:00\n127,2,paid,73.45,2025-12-12 08:52:00\n128,2,open,156.36,2025-12-12 08:58:00\n129,6,paid,151.02,2025-12-12 09:00:00\n130,5,paid,102.50,2025-12-12 15:12:00\n131,5,paid,103.58,2025-12-12 16:58:00\n132,2,paid,84.26,2025-12-12 17:11:00\n133,3,returned,86.36,2025-12-12 18:28:00\n134,5,paid,163.66,2025-12-13 08:25:00\n135,5,paid,210.66,2025-12-13 11:42:00\n136,2,open,70.49,2025-12-13 12:41:00\n137,3,paid,117.02,2025-12-13 13:33:00\n138,6,paid,85.84,2025-12-13 16:10:00\n139,4,paid,79.75,2025-12-13 16:29:00\n140,3,paid,82.35,2025-12-13 19:41:00\n141,1,paid,327.90,2025-12-13 19:44:00\n142,6,paid,56.85,2025-12-13 19:51:00\n143,6,paid,108.32,2025-12-14 10:45:00\n144,5,paid,98.92,2025-12-14 11:28:00\n145,2,paid,145.00,2025-12-14 14:11:00\n146,1,paid,75.06,2025-12-15 08:56:00\n147,3,paid,84.00,2025-12-15 10:00:00\n148,2,paid,104.12,2025-12-15 11:37:00\n149,2,paid,91.25,2025-12-15 11:46:00\n150,3,paid,146.62,2025-12-15 13:10:00\n151,5,paid,60.24,2025-12-15 13:54:00\n152,2,paid,140.61,2025-12-15 15:29:00\n153,2,paid,68.79,2025-12-16 08:00:00\n154,1,paid,144.45,2025-12-16 10:11:00\n155,6,paid,203.71,2025-12-16 10:58:00\n156,1,paid,165.29,2025-12-16 12:58:00\n157,2,paid,78.50,2025-12-16 15:11:00\n158,1,paid,252.10,2025-12-16 15:34:00\n159,2,paid,233.63,2025-12-17 10:46:00\n160,4,paid,171.10,2025-12-17 11:09:00\n161,3,paid,49.74,2025-12-17 11:54:00\n162,6,paid,66.56,2025-12-17 13:49:00\n163,1,returned,98.48,2025-12-17 15:26:00\n164,4,paid,92.43,2025-12-17 18:09:00\n165,1,paid,66.04,2025-12-17 19:12:00\n166,6,paid,115.64,2025-12-18 09:42:00\n167,6,returned,111.22,2025-12-18 10:32:00\n168,5,returned,278.79,2025-12-18 10:42:00\n169,3,paid,190.79,2025-12-18 11:36:00\n170,1,paid,97.40,2025-12-18 11:42:00\n171,1,paid,41.59,2025-12-18 12:49:00\n172,3,paid,75.77,2025-12-18 13:27:00\n173,6,paid,164.98,2025-12-18 19:57:00\n174,1,paid,58.26,2025-12-19 08:07:00\n175,2,paid,251.55,2025-12-19 08:12:00\n176,4,paid,124.35,2025-12-19 08:22:00\n177,1,paid,68.15,2025-12-19 10:25:00\n178,2,paid,72.11,2025-12-19 12:19:00\n179,3,paid,93.71,2025-12-19 12:25:00\n180,6,paid,81.47,2025-12-19 12:54:00\n181,1,paid,142.97,2025-12-19 14:14:00\n182,3,paid,109.02,2025-12-20 09:47:00\n183,2,paid,69.92,2025-12-20 09:47:00\n184,2,paid,71.27,2025-12-20 11:32:00\n185,5,paid,72.01,2025-12-20 11:57:00\n186,2,paid,102.56,2025-12-20 14:34:00\n187,2,paid,91.13,2025-12-20 16:34:00\n188,6,paid,62.42,2025-12-20 17:44:00\n189,6,paid,105.80,2025-12-20 18:39:00\n190,6,paid,52.70,2025-12-21 11:23:00\n191,6,paid,97.72,2025-12-21 11:43:00\n192,2,paid,125.73,2025-12-21 12:03:00\n193,5,paid,39.44,2025-12-21 14:44:00\n194,3,paid,115.30,2025-12-21 16:20:00\n195,2,paid,44.38,2025-12-22 08:36:00\n196,1,paid,77.52,2025-12-22 08:59:00\n197,4,paid,38.29,2025-12-22 16:01:00\n198,5,paid,67.14,2025-12-22 17:44:00\n199,2,paid,69.10,2025-12-22 18:42:00\n200,5,paid,63.08,2025-12-23 11:52:00\n201,4,returned,404.69,2025-12-23 13:31:00\n202,2,paid,112.56,2025-12-23 18:13:00\n203,2,paid,71.41,2025-12-23 18:52:00\n204,2,returned,74.41,2025-12-24 12:42:00\n205,4,paid,92.72,2025-12-24 13:33:00\n206,4,paid,51.43,2025-12-24 15:05:00\n207,4,paid,79.06,2025-12-24 16:11:00\n208,1,paid,79.16,2025-12-24 18:08:00\n209,3,paid,64.22,2025-12-25 10:15:00\n210,2,paid,181.46,2025-12-26 08:48:00\n211,4,paid,48.75,2025-12-26 08:58:00\n212,3,paid,98.84,2025-12-26 10:49:00\n213,2,paid,74.49,2025-12-26 14:07:00\n214,3,paid,59.30,2025-12-26 16:48:00\n215,6,paid,141.42,2025-12-26 19:17:00\n216,5,paid,114.95,2025-12-27 09:10:00\n217,1,paid,87.51,2025-12-27 11:52:00\n218,1,returned,77.99,2025-12-27 11:54:00\n219,6,paid,64.74,2025-12-27 17:39:00\n220,3,paid,54.77,2025-12-27 19:52:00\n221,2,paid,104.72,2025-12-28 08:50:00\n222,1,returned,46.25,2025-12-28 19:55:00\n223,5,paid,112.71,2025-12-29 08:59:00\n224,3,paid,47.40,2025-12-29 10:56:00\n225,5,paid,49.94,2025-12-29 14:37:00\n226,3,paid,86.12,2025-12-29 19:56:00\n227,6,paid,152.15,2025-12-30 10:10:00\n228,6,paid,58.66,2025-12-30 11:49:00\n229,3,paid,82.11,2025-12-30 16:39:00\n230,3,paid,330.49,2025-12-31 08:21:00\n231,6,paid,152.84,2025-12-31 16:47:00\n232,2,paid,84.03,2025-12-31 18:10:00\n233,3,paid,48.49,2025-12-31 18:33:00\n234,4,paid,85.15,2026-01-01 11:06:00\n235,6,paid,113.82,2026-01-01 11:55:00\n236,1,paid,126.22,2026-01-01 13:38:00\n237,4,paid,106.51,2026-01-01 17:58:00\n238,4,paid,149.15,2026-01-01 19:03:00\n239,6,paid,19.71,2026-01-02 09:21:00\n240,3,paid,109.25,2026-01-02 09:56:00\n241,6,paid,58.26,2026-01-02 15:46:00\n242,5,paid,137.30,2026-01-02 16:55:00\n243,6,paid,82.49,2026-01-02 17:17:00\n244,1,paid,64.08,2026-01-03 09:47:00\n245,3,paid,72.47,2026-01-03 15:01:00\n246,3,returned,80.64,2026-01-03 16:09:00\n247,2,paid,106.48,2026-01-03 16:29:00\n248,2,paid,86.08,2026-01-03 18:27:00\n249,4,paid,61.42,2026-01-03 19:01:00\n250,3,paid,147.53,2026-01-03 19:12:00\n251,5,paid,75.25,2026-01-04 08:06:00\n252,2,paid,64.52,2026-01-04 11:48:00\n253,2,paid,81.74,2026-01-04 12:00:00\n254,5,paid,118.27,2026-01-05 12:52:00\n255,2,returned,299.19,2026-01-05 14:01:00\n256,5,paid,83.95,2026-01-05 14:02:00\n257,5,paid,84.34,2026-01-05 15:09:00\n258,4,paid,61.23,2026-01-05 15:40:00\n259,6,returned,70.56,2026-01-06 09:06:00\n260,3,paid,98.30,2026-01-06 11:14:00\n261,1,returned,61.72,2026-01-06 13:18:00\n262,2,open,75.86,2026-01-06 18:26:00\n263,2,paid,212.12,2026-01-07 12:28:00\n264,3,paid,142.17,2026-01-07 16:21:00\n265,2,open,55.07,2026-01-07 16:25:00\n266,1,paid,55.35,2026-01-07 18:42:00\n267,1,open,105.23,2026-01-08 15:00:00\n268,6,paid,62.72,2026-01-08 17:04:00\n269,6,paid,160.08,2026-01-08 17:13:00\n270,6,paid,101.43,2026-01-08 17:37:00\n271,4,paid,83.37,2026-01-08 18:08:00\n272,2,paid,146.93,2026-01-09 09:01:00\n273,2,returned,51.28,2026-01-09 09:12:00\n274,6,paid,73.93,2026-01-09 11:05:00\n275,3,paid,47.86,2026-01-09 11:15:00\n276,4,paid,62.92,2026-01-09 12:58:00\n277,5,paid,51.74,2026-01-09 15:40:00\n278,6,paid,65.88,2026-01-09 18:33:00\n279,4,paid,80.92,2026-01-09 19:10:00\n280,1,paid,147.27,2026-01-10 08:03:00\n281,5,paid,53.02,2026-01-10 14:32:00\n282,4,paid,130.92,2026-01-10 15:37:00\n283,5,paid,90.84,2026-01-10 16:37:00\n284,6,open,72.89,2026-01-10 16:39:00\n285,6,open,132.87,2026-01-10 17:20:00\n286,1,paid,49.84,2026-01-10 17:23:00\n287,1,paid,85.78,2026-01-10 18:11:00\n288,1,paid,80.99,2026-01-10 19:05:00\n289,3,paid,131.60,2026-01-11 08:01:00\n290,1,paid,40.83,2026-01-11 08:50:00\n291,3,paid,105.34,2026-01-11 10:06:00\n292,6,paid,95.49,2026-01-12 08:11:00\n293,1,paid,214.81,2026-01-12 13:02:00\n294,6,paid,67.01,2026-01-12 17:01:00\n295,3,paid,76.54,2026-01-12 19:15:00\n"
    "seeds/stores.csv"       = "id,name,region\n1,Bergen,north\n2,Oslo,north\n3,Porto,south\n4,Trondheim,north\n5,Faro,south\n6,Lisbon,south\n"
  }
}

resource "svc_environment_variable" "currency" {
  deployment = svc_deployment.sales.reference
  name       = "REPORTING_CURRENCY"
  value      = "EUR"
}

resource "svc_workbook" "week" {
  deployment = svc_deployment.sales.reference
  slug       = "the-week"
  name       = "The week"
  dashboard = {
    title       = "The week"
    description = "Orders and revenue of the stores, up to the first full week of 2026."
    theme = jsonencode({
      primaryColor = "#0f766e"
    })
    widgets = [
      {
        id   = "status"
        type = "FILTER"
        position = {
          x = 0
          y = 0
          w = 3
          h = 2
        }
        config = jsonencode({
          member = "week.status"
          title  = "Status"
        })
      },
      {
        id   = "revenue"
        type = "CHART"
        position = {
          x = 0
          y = 2
          w = 3
          h = 4
        }
        config = jsonencode({
          title = "Revenue of the week"
          chart = "number"
          formats = {
            "week.revenue" = "$,.0f"
          }
          query = {
            measures = ["week.revenue"]
            timeDimensions = [
              {
                dimension   = "week.ordered_at"
                granularity = "week"
                dateRange   = ["2025-11-17", "2026-01-11"]
              },
            ]
          }
        })
      },
      {
        id   = "orders"
        type = "CHART"
        position = {
          x = 0
          y = 6
          w = 3
          h = 4
        }
        config = jsonencode({
          title = "Orders of the week"
          chart = "number"
          query = {
            measures = ["week.count"]
            timeDimensions = [
              {
                dimension   = "week.ordered_at"
                granularity = "week"
                dateRange   = ["2025-11-17", "2026-01-11"]
              },
            ]
          }
        })
      },
      {
        id   = "by-week"
        type = "CHART"
        position = {
          x = 3
          y = 0
          w = 9
          h = 10
        }
        config = jsonencode({
          title = "Revenue and average order"
          chart = "bar"
          y = [
            {
              member = "week.revenue"
              format = "$,.0f"
              color  = "#0f766e"
            },
            {
              member = "week.average"
              type   = "line"
              axis   = "right"
              format = "$,.0f"
              color  = "#d97706"
            },
          ]
          axes = {
            right = {
              min = 0
            }
          }
          query = {
            measures = ["week.revenue", "week.average"]
            timeDimensions = [
              {
                dimension   = "week.ordered_at"
                granularity = "week"
                dateRange   = ["2025-11-17", "2026-01-11"]
              },
            ]
          }
        })
      },
      {
        id   = "by-store"
        type = "CHART"
        position = {
          x = 0
          y = 10
          w = 7
          h = 7
        }
        config = jsonencode({
          title  = "Stores this week"
          chart  = "table"
          totals = true
          columns = [
            "week.store",
            "week.region",
            "week.count",
            {
              member = "week.revenue"
              format = "$,.0f"
            },
            {
              member = "week.unpaid"
              title  = "Not paid yet"
              format = "$,.0f"
            },
          ]
          conditions = [
            {
              member = "week.revenue"
              scale  = "bars"
            },
            {
              member   = "week.unpaid"
              operator = "gt"
              value    = 200
              color    = "#b42318"
              bold     = true
            },
          ]
          query = {
            measures   = ["week.count", "week.revenue", "week.unpaid"]
            dimensions = ["week.store", "week.region"]
            timeDimensions = [
              {
                dimension = "week.ordered_at"
                dateRange = ["2026-01-05", "2026-01-11"]
              },
            ]
            order = {
              "week.revenue" = "desc"
            }
          }
        })
      },
      {
        id   = "by-day"
        type = "CHART"
        position = {
          x = 7
          y = 10
          w = 5
          h = 7
        }
        config = jsonencode({
          title  = "Revenue by day and region"
          chart  = "area"
          colors = ["#0f766e", "#d97706"]
          query = {
            measures   = ["week.revenue"]
            dimensions = ["week.region"]
            timeDimensions = [
              {
                dimension   = "week.ordered_at"
                granularity = "day"
                dateRange   = ["2026-01-05", "2026-01-11"]
              },
            ]
          }
        })
      },
    ]
    allow_embed = true
  }
}

resource "svc_all_tenants_embed_access" "week-for-customers" {
  deployment = svc_deployment.sales.reference
  workbook   = svc_workbook.week.reference
}

resource "svc_notification" "mondays" {
  deployment          = svc_deployment.sales.reference
  workbook            = svc_workbook.week.reference
  schedule            = "0 7 * * 1"
  timezone            = "Europe/Berlin"
  notification_format = "pdf"
}

resource "svc_notification_embed_recipient" "mondays-tom" {
  deployment   = svc_deployment.sales.reference
  notification = svc_notification.mondays.reference
  embed_tenant = svc_embed_tenant.northwind.reference
  external_id  = "tom-1002"
  email        = "tom@northwind.example"
}
