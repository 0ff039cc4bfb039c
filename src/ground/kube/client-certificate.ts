import { X509Certificate } from 'node:crypto'
import { escapeForeign } from '../model/foreign-text.ts'
import type { WallMs } from '../model/time.ts'
import { UserError } from '../model/user-error.ts'

/**
 * Refuses a client certificate that has expired: the API server would only answer 401. Throws UserError
 * KUBE_CERTIFICATE_EXPIRED, or KUBECONFIG_BROKEN where it is no certificate.
 */
export function checkClientCertificate(pem: string | Buffer, now: WallMs): void {
  const { subject, validTo, validToDate } = readCertificate(pem)
  if (validToDate.getTime() > now) return
  throw new UserError(`the client certificate of ${escapeForeign(subject)} expired on ${validTo}`, {
    code: 'KUBE_CERTIFICATE_EXPIRED',
    fix: 'renew it in the kubeconfig (kubeadm: `kubeadm certs renew admin.conf`)',
  })
}

function readCertificate(pem: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw new UserError('the client certificate in the kubeconfig cannot be read', {
      code: 'KUBECONFIG_BROKEN',
      fix: 'correct client-certificate or client-certificate-data',
      cause: error,
    })
  }
}
