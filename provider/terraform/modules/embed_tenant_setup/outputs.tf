# The component EmbedTenantSetup, generated from its declaration by `npm run generate`. Do not edit.

output "tenant" {
  description = "The embed tenant. Value for attributes that refer to it."
  value       = svc_embed_tenant.tenant.reference
}

output "groups" {
  description = "Groups of the tenant, by name. Value for attributes that refer to each, by key."
  value       = { for key, one in svc_embed_group.groups : key => one.reference }
}

output "attributes" {
  description = "Attributes of the tenant, by name. Value for attributes that refer to each, by key."
  value       = { for key, one in svc_embed_user_attribute.attributes : key => one.reference }
}

output "users" {
  description = "Users of the tenant, by `externalId`. Value for attributes that refer to each, by key."
  value       = { for key, one in svc_embed_user.users : key => one.reference }
}

output "access" {
  description = "Workbooks whose published dashboards the tenant may view, by slug. Value for attributes that refer to each, by key."
  value       = { for key, one in svc_dashboard_embed_access.access : key => one.reference }
}

output "notification" {
  description = "A scheduled delivery to users of the tenant. Value for attributes that refer to it."
  value       = one(svc_notification.notification[*].reference)
}

output "recipients" {
  description = "Recipients of the notification, by `externalId`. Value for attributes that refer to each, by key."
  value       = { for key, one in svc_notification_embed_recipient.recipients : key => one.reference }
}
