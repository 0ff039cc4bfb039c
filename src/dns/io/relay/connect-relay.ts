import type { ApiClient } from '../../../ground/kube/api-client.ts'
import { backoffMs } from '../../../ground/kube/backoff.ts'
import { forwardPort } from '../../../ground/kube/port-forward.ts'
import { within } from '../../../ground/kube/within.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import { RelayedSockets } from './relayed-sockets.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
}

/** What the API says of a relay that was made. */
export interface RelayState {
  readonly pod: string
  readonly is: 'waiting' | 'running' | 'ended'
  /** Why its container does not run, where the node says. */
  readonly waitingFor?: string
}

interface Sought {
  readonly namespace: string
  readonly port: number
  /** Undefined: it is not there yet. */
  readonly read: (signal: AbortSignal) => Promise<RelayState | undefined>
}

/** A node that has to pull the image first takes some of it. */
const READY_WITHIN_MS = 45_000
const CONNECTED_WITHIN_MS = 5_000
/** More failures than this make no wait longer: a container starts in a second or two. */
const FAILURES_MAX = 3
/** The node will not start a container for these. */
const HOPELESS: ReadonlySet<string> = new Set([
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
])

/** Once it runs and answers. Rejects with WorldError DNS_RELAY or KUBE_*, or with the signal's reason. */
export function connectRelay(parts: Parts, sought: Sought, signal: AbortSignal): Promise<RelayedSockets> {
  const late = () => relayError(`it did not answer within ${READY_WITHIN_MS / 1_000} s`)
  return within({ clock: parts.clock, ms: READY_WITHIN_MS, signal, late }, (limited) =>
    connected(parts, sought, limited),
  )
}

export const relayError = (text: string): WorldError => new WorldError(text, { code: 'DNS_RELAY', retry: 'backoff' })

async function connected(parts: Parts, sought: Sought, signal: AbortSignal): Promise<RelayedSockets> {
  for (let failures = 1; ; failures = Math.min(failures + 1, FAILURES_MAX)) {
    const found = await sought.read(signal)
    if (found?.is === 'ended') throw relayError(`in pod ${found.pod} it has ended`)
    if (HOPELESS.has(found?.waitingFor ?? ''))
      throw relayError(`in pod ${found?.pod} it does not start: ${found?.waitingFor}`)
    const sockets = found?.is === 'running' ? await tried(parts, { ...sought, pod: found.pod }, signal) : undefined
    if (sockets !== undefined) return sockets
    await parts.clock.sleep(backoffMs(failures, parts.random.next()), signal)
  }
}

/** Undefined where nothing listens there yet. */
async function tried(
  { client, clock }: Parts,
  { namespace, pod, port }: Sought & { readonly pod: string },
  signal: AbortSignal,
): Promise<RelayedSockets | undefined> {
  const sockets = new RelayedSockets(await forwardPort(client, { namespace, pod, port }, signal))
  const late = () => relayError('it does not answer')
  try {
    await within({ clock, ms: CONNECTED_WITHIN_MS, signal, late }, (limited) => sockets.answers(limited))
    return sockets
  } catch (error) {
    sockets.close()
    signal.throwIfAborted()
    if (error instanceof WorldError) return undefined
    throw error
  }
}
