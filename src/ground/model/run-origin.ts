import { present } from './present.ts'
/** The cluster of a process, and its identity there. */
export interface ClusterContext {
  /** The context of the kubeconfig; `in-cluster` in a pod. */
  readonly context: string
  /** URL of the API server, without a path. */
  readonly server: string
  /** The name in the kubeconfig; in a pod its service account. */
  readonly user: string
}

/** Where a run works, as whom, why, and by which version. Journals of earlier versions have none of it. */
export interface RunOrigin extends Partial<ClusterContext> {
  /** `--reason`. */
  readonly reason?: string
  /** `--ignore-window`: the user who asked for it. Absent: time windows are kept. */
  readonly windowIgnoredBy?: string
  /** Version of Even Keel. */
  readonly version?: string
}

export const originOf = ({ context, server, user, reason, windowIgnoredBy, version }: RunOrigin): RunOrigin => ({
  ...present({ context, server, user, reason, windowIgnoredBy, version }),
})

/** `context prod-eu1 (https://10.0.0.5:6443)`; undefined where that is not known. */
export const contextText = ({ context, server }: RunOrigin): string | undefined =>
  context === undefined ? undefined : `context ${context}${server === undefined ? '' : ` (${server})`}`
