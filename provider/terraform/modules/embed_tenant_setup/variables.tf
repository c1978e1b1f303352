# The component EmbedTenantSetup, generated from its declaration by `npm run generate`. Do not edit.

variable "tenant" {
  description = "The embed tenant. Attributes: those of svc_embed_tenant."
  nullable    = false
  type = object({
    name         = string
    display_name = optional(string)
  })
}

variable "groups" {
  description = "Groups of the tenant, by name. Attributes: those of svc_embed_group."
  default     = {}
  nullable    = false
  type = map(object({
    description = optional(string)
  }))
}

variable "attributes" {
  description = "Attributes of the tenant, by name. Attributes: those of svc_embed_user_attribute."
  default     = {}
  nullable    = false
  type = map(object({
    type          = string
    display_name  = optional(string)
    default_value = optional(string)
    description   = optional(string)
  }))
}

variable "users" {
  description = "Users of the tenant, by `externalId`. Attributes: those of svc_embed_user."
  default     = {}
  nullable    = false
  type = map(object({
    email         = optional(string)
    display_name  = optional(string)
    picture       = optional(string)
    groups        = optional(set(string))
    tenant_groups = optional(set(string))
    user_attributes = optional(set(object({
      name  = string
      value = string
    })))
  }))
}

variable "access" {
  description = "Workbooks whose published dashboards the tenant may view, by slug. Attributes: those of svc_dashboard_embed_access."
  default     = {}
  nullable    = false
  type = map(object({
    deployment = string
  }))
}

variable "notification" {
  description = "A scheduled delivery to users of the tenant. Attributes: those of svc_notification."
  default     = null
  type = object({
    deployment              = string
    workbook                = string
    schedule                = string
    timezone                = optional(string)
    is_enabled              = optional(bool)
    notification_enabled    = optional(bool)
    notification_format     = optional(string)
    notification_ai_summary = optional(bool)
    filters = optional(list(object({
      member          = string
      operator        = optional(string)
      value           = optional(string)
      case_sensitive  = optional(bool)
      start_inclusive = optional(bool)
      end_inclusive   = optional(bool)
    })))
    time_grains = optional(list(object({
      member = optional(string)
      grain  = string
    })))
    member_switchers = optional(list(object({
      from = string
      to   = string
    })))
  })
}

variable "recipients" {
  description = "Recipients of the notification, by `externalId`. Attributes: those of svc_notification_embed_recipient."
  default     = {}
  nullable    = false
  type = map(object({
    email         = optional(string)
    groups        = optional(set(string))
    tenant_groups = optional(set(string))
    user_attributes = optional(set(object({
      name  = string
      value = string
    })))
    tenant_user_attributes = optional(set(object({
      name  = string
      value = string
    })))
    security_context = optional(string)
  }))
}
