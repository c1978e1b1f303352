// The external user that the service keeps in each embed tenant.

/** The external ID of the user that creates an embed tenant and writes its definitions. It does not belong to a person. */
export const provisioner = "svc-provisioner";
