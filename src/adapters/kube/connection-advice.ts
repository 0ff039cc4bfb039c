import { UserError } from '../../model/user-error.ts'
import { WorldError } from '../../model/world-error.ts'
import { transportFault } from './transport-error.ts'

const FIXES = {
  refused: 'check that the API server runs and that the kubeconfig names its port; or choose another --context',
  'unknown-host': "check the server's name in the kubeconfig, and this machine's DNS",
  untrusted: 'check certificate-authority-data and tls-server-name in the kubeconfig',
  broken: 'check that this machine reaches the API server',
}

/** The first thing asked of a cluster failed: what is wrong with the input, where it is the input; else the error as it is. */
export function connectionAdvice(error: unknown): unknown {
  if (!(error instanceof WorldError)) return error
  const { code, message, cause } = error
  switch (code) {
    case 'KUBE_UNREACHABLE':
    case 'KUBE_UNTRUSTED':
      return new UserError(message, { code, fix: FIXES[transportFault(cause)], cause: error })
    case 'KUBE_TIMEOUT':
      return new UserError(message, { code, fix: FIXES.broken, cause: error })
    case 'KUBE_UNAUTHORIZED':
      return new UserError(message, { code, fix: 'renew the credential that the kubeconfig uses', cause: error })
    case 'KUBE_FORBIDDEN':
      return new UserError(message, { code, fix: 'allow it to this identity (RBAC)', cause: error })
    default:
      return error
  }
}
