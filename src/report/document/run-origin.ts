import { publicUrl } from './public-url.ts'

/** From where a run was begun. Journals of earlier versions have none of it. */
export interface RunOrigin {
  readonly context?: string
  /** URL of the API server. */
  readonly server?: string
  readonly user?: string
  /** What the person who began it gave as the reason. */
  readonly reason?: string
}

type Entry = Readonly<Record<string, unknown>>

/** What the first entries of a journal tell; a field that is not text is left out. */
export function runOrigin(entries: readonly Entry[]): RunOrigin {
  const kubeconfig = entries.map((entry) => entry.kubeconfig).find(isEntry) ?? {}
  const reason = entries.map((entry) => entry.reason).find(isText)
  const { context, server, user } = kubeconfig
  return {
    ...(isText(context) && { context }),
    ...(isText(server) && { server: publicUrl(server) }),
    ...(isText(user) && { user }),
    ...(reason !== undefined && { reason }),
  }
}

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
