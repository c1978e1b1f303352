# The component EmbedTenantSetup, generated from its declaration by `npm run generate`. Do not edit.

terraform {
  required_version = ">= 1.3"
  required_providers {
    svc = {
      source  = "svc/svc"
      version = ">= 0.1.0"
    }
  }
}
