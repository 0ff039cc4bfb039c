import { Backoff } from '../../../ground/loop/backoff.ts'
import { DeadlineError, withDeadline } from '../../../ground/loop/deadline.ts'
import { Wakeup } from '../../../ground/loop/wakeup.ts'
import { ANNOUNCED_CONDITIONS, announcedBy, reasonOf } from '../../../ground/model/announced-conditions.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { present } from '../../../ground/model/present.ts'
import { toIsoSeconds, type WallMs } from '../../../ground/model/time.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Cluster, ConditionsChange } from '../../../ground/ports/cluster.ts'
import type { Random } from '../../../ground/ports/random.ts'
import { announcedOn, type ConditionsWant } from '../../decide/announce/conditions-wanted.ts'
import type { EventLog } from '../event-log.ts'

interface ConditionKeeperParts {
  readonly run: { readonly id: string }
  readonly cluster: Pick<Cluster, 'setConditions'>
  /** Nothing is sent while the slot is not renewed. */
  readonly mayAct: () => boolean
  readonly clock: Clock
  readonly random: Random
  readonly events: Pick<EventLog, 'emit'>
}

interface Kept {
  readonly node: string
  readonly uid: string
  want: readonly string[]
  /** As this process has written it last, or has found it. */
  written: readonly string[]
  readonly backoff: Backoff
  dueAt: number
  warned: string | undefined
}

const ANSWER_MS = 5_000
const BACKOFF = { baseMs: 1_000, capMs: 30_000 }

/** Writes what is to be announced of the nodes of one lane, beside the passes: what it cannot write stops nothing. */
export class ConditionKeeper {
  readonly #parts: ConditionKeeperParts
  readonly #kept = new Map<string, Kept>()
  readonly #wakeup: Wakeup

  constructor(parts: ConditionKeeperParts) {
    this.#parts = parts
    this.#wakeup = new Wakeup(parts.clock)
  }

  /** After each pass. */
  want(want: ConditionsWant | undefined): void {
    if (want === undefined) return
    const { node, types } = want
    const kept = this.#kept.get(node.uid) ?? this.#begun(want)
    if (isSame(kept.want, types) && isSame(kept.written, types)) return
    kept.want = types
    this.#kept.set(node.uid, kept)
    this.#wakeup.wake()
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const now = this.#parts.clock.monoMs()
      for (const kept of [...this.#kept.values()].filter(isToTell))
        if (kept.dueAt <= now) await this.#tell(kept, signal)
      const left = [...this.#kept.values()].filter(isToTell)
      const next = Math.min(...left.map(({ dueAt }) => dueAt))
      await this.#wakeup.next(Number.isFinite(next) ? next - this.#parts.clock.monoMs() : undefined, signal)
    }
  }

  #begun({ node }: ConditionsWant): Kept {
    const written = announcedOn(node, this.#parts.run.id)
    const backoff = new Backoff(BACKOFF, this.#parts.random)
    return { node: node.name, uid: node.uid, want: written, written, backoff, dueAt: 0, warned: undefined }
  }

  async #tell(kept: Kept, signal: AbortSignal): Promise<void> {
    const { run, clock, mayAct, events } = this.#parts
    const { node, want } = kept
    const failure = mayAct()
      ? await setWithin(this.#parts, conditionsChange(kept, { run: run.id, wall: clock.wallMs() }), signal)
      : { message: 'the slot is not renewed' }
    if (failure === undefined) {
      kept.written = want
      kept.backoff.reset()
      kept.dueAt = 0
      const text = want.length === 0 ? `announce nothing on ${node}` : `announce ${want.join(', ')} on ${node}`
      events.emit({ type: 'write', node, action: 'setConditions', text, ok: true })
      return
    }
    kept.dueAt = clock.monoMs() + kept.backoff.nextMs(failure.retryAfterMs)
    const text = `the conditions of ${node} do not say what the roll does: ${failure.message}`
    if (kept.warned !== text) events.emit({ type: 'warning', node, text })
    kept.warned = text
  }
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((type) => other.includes(type))

const isToTell = ({ want, written }: Kept): boolean => !isSame(want, written)

interface Telling {
  readonly run: string
  readonly wall: WallMs
}

function conditionsChange({ node, uid, want, written }: Kept, { run, wall }: Telling): ConditionsChange {
  const at = toIsoSeconds(wall)
  const added = ANNOUNCED_CONDITIONS.filter((type) => want.includes(type) && !written.includes(type))
  const over = written.filter((type) => !want.includes(type))
  return {
    node,
    uid,
    conditions: {
      ...Object.fromEntries(added.map((type) => [type, { reason: reasonOf(type), message: announcedBy(run), at }])),
      ...Object.fromEntries(over.map((type) => [type, null])),
    },
  }
}

/** Why the world refused it; undefined: it is written. */
export async function setWithin(
  { cluster, clock }: Pick<ConditionKeeperParts, 'cluster' | 'clock'>,
  change: ConditionsChange,
  signal: AbortSignal,
): Promise<{ readonly message: string; readonly retryAfterMs?: number } | undefined> {
  try {
    const asked = { clock, limitMs: ANSWER_MS, signal, what: 'the API server' }
    await withDeadline(asked, (limited) => cluster.setConditions(change, limited))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof DeadlineError) return { message: error.message }
    if (!(error instanceof WorldError)) throw error
    const { retryAfterMs } = error
    return { message: escapeForeign(error.message), ...present({ retryAfterMs }) }
  }
}
