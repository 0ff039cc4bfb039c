import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/** Trusts the authorities of the system beside those of Node. Reading them takes time: call it once, when it is first needed. */
export const systemTrust = (): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), ...getCACertificates('system')] })
