/** What holds where a NodeGuard says nothing. */
export const GUARD_DEFAULTS = {
  group: 'default',
  image: 'registry.k8s.io/pause:3.10',
  minReadySeconds: 0,
  grantTimeoutSeconds: 600,
  httpTimeoutSeconds: 5,
} as const

/** The names of Deployments and pods are made from it. */
export const GUARD_NAME_MAX = 30
