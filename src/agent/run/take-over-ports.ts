import type { Clock } from '../../ground/ports/clock.ts'
import type { IngressWatch } from './ingress-watch.ts'

interface TakeOverPortsParts {
  readonly watch: Pick<IngressWatch, 'heard' | 'isKnown'>
  /** A process listens at a port that was answered before. */
  readonly isAnswered: () => Promise<boolean>
  /** Shorter than a new pod must live before the old one ends. */
  readonly limitMs: number
  readonly clock: Clock
}

const POLL_EVERY_MS = 50

/**
 * When a process that answers for one IngressDaemonSet may open its ports. Beside another one it waits until the API server has told it
 * what that one knows. Alone it goes on with what it knew before. What knows nothing at the limit is `late` and had better end: it is
 * seen to fail then, as where its account lacks the right, and the pod that it was to replace stays. Rejects with the signal's reason.
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
