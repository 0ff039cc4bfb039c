import type { Clock } from '../../ground/ports/clock.ts'
import type { IngressWatch } from './ingress-watch.ts'

interface TakeOverPortsParts {
  readonly watch: Pick<IngressWatch, 'heard' | 'isKnown'>
  /** A process already listens at one of the ports. */
  readonly isAnswered: () => Promise<boolean>
  /** Shorter than a new pod must live before the old one ends. */
  readonly limitMs: number
  readonly clock: Clock
}

const POLL_EVERY_MS = 50

/**
 * When a process that answers for one IngressDaemonSet may open its ports. If another process answers, it waits until the API
 * server has sent what that one knows. Alone it goes on with what it knew before. If it knows nothing at the limit it is `late`
 * and should end: its failure is then visible, as when its account lacks the right, and the pod that it should replace stays.
 * Rejects with the signal's reason.
 */
export async function takeOverPorts(parts: TakeOverPortsParts, signal: AbortSignal): Promise<'ready' | 'late'> {
  const { watch, isAnswered, limitMs, clock } = parts
  const until = clock.monoMs() + limitMs
  for (;;) {
    if (watch.heard || (watch.isKnown && !(await isAnswered()))) return 'ready'
    if (clock.monoMs() >= until) return 'late'
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}
