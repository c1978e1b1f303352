# The component EmbedTenantSetup, generated from its declaration by `npm run generate`. Do not edit.

resource "svc_embed_tenant" "tenant" {
  name         = var.tenant.name
  display_name = var.tenant.display_name
}

resource "svc_embed_group" "groups" {
  for_each = var.groups

  embed_tenant = svc_embed_tenant.tenant.reference
  name         = each.key
  description  = each.value.description
}

resource "svc_embed_user_attribute" "attributes" {
  for_each = var.attributes

  embed_tenant  = svc_embed_tenant.tenant.reference
  name          = each.key
  type          = each.value.type
  display_name  = each.value.display_name
  default_value = each.value.default_value
  description   = each.value.description
}

resource "svc_embed_user" "users" {
  for_each = var.users

  embed_tenant    = svc_embed_tenant.tenant.reference
  external_id     = each.key
  email           = each.value.email
  display_name    = each.value.display_name
  picture         = each.value.picture
  groups          = each.value.groups
  tenant_groups   = each.value.tenant_groups
  user_attributes = each.value.user_attributes

  depends_on = [svc_embed_group.groups]
}

resource "svc_dashboard_embed_access" "access" {
  for_each = var.access

  deployment   = each.value.deployment
  workbook     = each.key
  embed_tenant = svc_embed_tenant.tenant.reference
}

resource "svc_notification" "notification" {
  count = var.notification == null ? 0 : 1

  deployment              = var.notification.deployment
  workbook                = var.notification.workbook
  embed_tenant            = svc_embed_tenant.tenant.reference
  schedule                = var.notification.schedule
  timezone                = var.notification.timezone
  is_enabled              = var.notification.is_enabled
  notification_enabled    = var.notification.notification_enabled
  notification_format     = var.notification.notification_format
  notification_ai_summary = var.notification.notification_ai_summary
  filters                 = var.notification.filters
  time_grains             = var.notification.time_grains
  member_switchers        = var.notification.member_switchers
}

resource "svc_notification_embed_recipient" "recipients" {
  for_each = var.recipients

  deployment             = svc_notification.notification[0].deployment
  notification           = svc_notification.notification[0].reference
  embed_tenant           = svc_embed_tenant.tenant.reference
  external_id            = each.key
  email                  = each.value.email
  groups                 = each.value.groups
  tenant_groups          = each.value.tenant_groups
  user_attributes        = each.value.user_attributes
  tenant_user_attributes = each.value.tenant_user_attributes
  security_context       = each.value.security_context

  depends_on = [svc_embed_group.groups, svc_embed_user_attribute.attributes]

  lifecycle {
    precondition {
      condition     = var.notification != null
      error_message = "recipients requires notification, which is not set."
    }
  }
}
