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
    "model/cubes/orders.yml" = "cubes:\n  - name: orders\n    sql_table: orders\n    description: One row for each order of a store.\n    joins:\n      - name: stores\n        relationship: many_to_one\n        sql: \"{CUBE}.store_id = {stores.id}\"\n    dimensions:\n      - { name: id, sql: id, type: number, primary_key: true }\n      - { name: status, sql: status, type: string }\n      - { name: ordered_at, sql: ordered_at, type: time }\n      - { name: region, sql: \"{stores.region}\", type: string }\n    measures:\n      - { name: count, type: count }\n      - { name: revenue, type: sum, sql: amount }\n    # Policies of cubes apply wherever a cube is read, in each view and dashboard: a viewer sees the rows of the region that\n    # the session names. An administrator sees all, and so do Northwind's directors.\n    access_policy:\n      - role: admin\n      - group: system:tenant:northwind:directors\n      - group: \"*\"\n        row_level:\n          filters: [{ member: region, operator: equals, values: [\"{userAttributes.region}\"] }]\n"
    "model/cubes/stores.yml" = "cubes:\n  - name: stores\n    sql_table: stores\n    dimensions:\n      - { name: id, sql: id, type: number, primary_key: true }\n      - { name: name, sql: name, type: string }\n      - { name: region, sql: region, type: string }\n    access_policy:\n      - role: admin\n      - group: system:tenant:northwind:directors\n      - group: \"*\"\n        row_level:\n          filters: [{ member: region, operator: equals, values: [\"{userAttributes.region}\"] }]\n"
    "model/views/week.yml"   = "views:\n  - name: week\n    description: What the dashboard of the week shows.\n    cubes:\n      - join_path: orders\n        includes: [count, revenue, status, ordered_at]\n      - join_path: orders.stores\n        includes: [region]\n"
    "seeds/orders.csv"       = "id,store_id,status,amount,ordered_at\n1,1,paid,120.50,2026-01-05 09:12:00\n2,1,paid,80.00,2026-01-05 16:40:00\n3,2,open,45.25,2026-01-06 11:05:00\n4,3,paid,310.00,2026-01-07 08:30:00\n5,2,paid,99.90,2026-01-08 13:55:00\n6,3,returned,60.00,2026-01-09 10:20:00\n7,1,paid,150.00,2026-01-10 17:45:00\n8,3,open,75.35,2026-01-11 12:00:00\n9,2,paid,20.00,2026-01-12 09:00:00\n"
    "seeds/stores.csv"       = "id,name,region\n1,Bergen,north\n2,Oslo,north\n3,Porto,south\n"
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
    description = "Orders and revenue of the first full week of the year."
    widgets = [
      {
        id   = "headline"
        type = "TEXT"
        position = {
          x = 0
          y = 0
          w = 9
          h = 2
        }
        config = jsonencode({
          text = "# The first full week of 2026\n\nStatus filters the orders that both charts count."
        })
      },
      {
        id   = "status"
        type = "FILTER"
        position = {
          x = 9
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
        id   = "revenue-by-region"
        type = "CHART"
        position = {
          x = 0
          y = 2
          w = 6
          h = 6
        }
        config = jsonencode({
          title = "Revenue and orders by region"
          chart = "bar"
          query = {
            measures   = ["week.revenue", "week.count"]
            dimensions = ["week.region"]
            timeDimensions = [
              {
                dimension = "week.ordered_at"
                dateRange = ["2026-01-05", "2026-01-11"]
              },
            ]
          }
        })
      },
      {
        id   = "orders-by-day"
        type = "CHART"
        position = {
          x = 6
          y = 2
          w = 6
          h = 6
        }
        config = jsonencode({
          title = "Orders by day"
          chart = "line"
          query = {
            measures = ["week.count"]
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
