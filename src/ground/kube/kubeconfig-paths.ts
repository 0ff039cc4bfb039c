import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { UserError } from '../model/user-error.ts'

export const SERVICE_ACCOUNT_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

/**
 * The files to read, as kubectl does: those of $KUBECONFIG, where missing ones of several are skipped; otherwise
 * ~/.kube/config. None: this is a pod, and its service account is used. Throws UserError KUBECONFIG_MISSING where there is
 * neither.
 */
export function kubeconfigPaths(written: string | undefined): readonly string[] {
  const named = (written ?? '').split(delimiter).filter((path) => path !== '')
  const [first] = named
  if (first !== undefined) {
    const present = named.filter((path) => existsSync(path))
    // A missing file is reported when it is read.
    return present.length === 0 ? [first] : present
  }
  const usual = join(homedir(), '.kube', 'config')
  if (existsSync(usual)) return [usual]
  if (existsSync(SERVICE_ACCOUNT_TOKEN)) return []
  throw new UserError(`there is no kubeconfig ${usual}, and this process does not run in a pod`, {
    code: 'KUBECONFIG_MISSING',
    fix: 'name the file with --kubeconfig or $KUBECONFIG',
  })
}
