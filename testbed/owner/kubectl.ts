import { join } from 'node:path'
import { type RunOptions, run } from '../machine/run.ts'

interface KubectlOptions {
  readonly stdin?: string
  /** Defaults to a minute. */
  readonly limitMs?: number
}

/** The bed's own kubectl, of the cluster's version, as its administrator. Gives what it prints; throws where it fails. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<string>

export function kubectlFor(bed: {
  readonly programs: string
  readonly kubeconfig: string
  readonly disk: string
}): Kubectl {
  const command = [join(bed.programs, 'kube'), 'kubectl', `--cache-dir=${join(bed.disk, 'kubectl-cache')}`]
  return (args, options = {}) => {
    const runOptions: RunOptions = { limitMs: 60_000, ...options, env: { KUBECONFIG: bed.kubeconfig } }
    return run([...command, ...args], runOptions)
  }
}

/** What `kubectl apply` reads: text as it is, objects as a List. */
export function manifestText(manifest: string | readonly object[]): string {
  return typeof manifest === 'string' ? manifest : JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifest })
}
