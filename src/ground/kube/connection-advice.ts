import { UserError } from '../model/user-error.ts'
import { WorldError } from '../model/world-error.ts'
import { transportFault } from './transport-error.ts'

const FIXES = {
  refused: 'check that the API server runs and that the kubeconfig names its port; or choose another --context',
  'unknown-host': "check the server's name in the kubeconfig, and this machine's DNS",
  untrusted: 'check certificate-authority-data and tls-server-name in the kubeconfig',
  broken: 'check that this machine reaches the API server',
}

const PROXY = 'check $HTTPS_PROXY, or proxy-url in the kubeconfig; without a proxy: name the API server in $NO_PROXY'
const SERVER = 'correct the URL in "server" of the kubeconfig: no Kubernetes API answers under its path'
const RENEW = 'renew the credential that the kubeconfig uses'
/** The request never reached the API server. */
const PROVIDE = 'let the plugin or the files that the kubeconfig names work for this user; or choose another --context'

/** The first request to a cluster failed: an error about the input if the input is the cause, else the error itself. */
export function connectionAdvice(error: unknown): unknown {
  if (!(error instanceof WorldError)) return error
  const { code, message, cause } = error
  switch (code) {
    case 'KUBE_UNREACHABLE':
    case 'KUBE_UNTRUSTED':
      return new UserError(message, { code, fix: FIXES[transportFault(cause)], cause: error })
    case 'KUBE_PROXY':
      return new UserError(message, { code, fix: PROXY, cause: error })
    case 'KUBE_TIMEOUT':
      return new UserError(message, { code, fix: FIXES.broken, cause: error })
    case 'KUBE_UNAUTHORIZED':
      return new UserError(message, { code, fix: cause === undefined ? RENEW : PROVIDE, cause: error })
    case 'KUBE_NO_PATH':
      return new UserError(message, { code, fix: SERVER, cause: error })
    case 'KUBE_FORBIDDEN':
      return new UserError(message, { code, fix: 'allow it to this identity (RBAC)', cause: error })
    default:
      return error
  }
}
