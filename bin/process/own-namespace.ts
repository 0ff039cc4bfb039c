import { readFile } from 'node:fs/promises'
import { UserError } from '../../src/ground/model/user-error.ts'
import { isNamespace } from '../../src/ground/text/flag-reader.ts'

/** Where the kubelet puts the identity of a pod. */
export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * The namespace of the pod, which the kubelet writes beside the token; undefined where it does not. UserError `code` where it
 * cannot be read.
 */
export async function ownNamespace(serviceAccount: string, code: string): Promise<string | undefined> {
  const path = `${serviceAccount}/namespace`
  try {
    const namespace = (await readFile(path, 'utf8')).trim()
    if (isNamespace(namespace)) return namespace
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  }
  throw new UserError(`the namespace of this pod is not known: ${path} cannot be read, or is empty`, {
    code,
    fix: 'name it by --grants-namespace',
  })
}
