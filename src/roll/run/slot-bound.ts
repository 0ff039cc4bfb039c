import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { RebootAnswer } from '../../ground/model/host.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Host, HostTarget } from '../../ground/ports/host.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'

interface SlotBoundParts {
  readonly keeper: LeaseKeeper
  readonly host: Host
  readonly clock: Clock
}

/** An effect in words, and the longest that it may take. */
interface Limited {
  readonly what: string
  readonly limitMs: number
}

export const EFFECT_LIMIT_MS = 15_000
export const REBOOT_LIMIT_MS = 45_000

export const SLOT_LAPSED = { code: 'SLOT_LAPSED', retry: 'backoff' } as const
export const slotLapsed = new WorldError('the slot is not renewed, so nothing is sent', SLOT_LAPSED)

/** Effects on a node or a machine. One that hangs must not reach the world after the slot has lapsed. */
export class SlotBound {
  readonly #parts: SlotBoundParts

  constructor(parts: SlotBoundParts) {
    this.#parts = parts
  }

  /** Rejects with `slotLapsed`, with DeadlineError, or as `work` does. */
  async limited<T>(
    { what, ...own }: Limited,
    signal: AbortSignal,
    work: (limited: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limitMs = this.limitMs(own.limitMs)
    return withDeadline({ clock: this.#parts.clock, limitMs, signal, what }, work)
  }

  /** As long as the slot lets it take. Throws `slotLapsed`. */
  limitMs(ownMs: number): number {
    const limitMs = Math.min(ownMs, this.#parts.keeper.mayActForMs())
    if (limitMs <= 0) throw slotLapsed
    return limitMs
  }

  /** A command that is cut off by its limit may have arrived: that is not knowing, and no failure to be tried again soon. */
  async reboot(
    what: string,
    command: { readonly target: HostTarget; readonly bootId: string },
    signal: AbortSignal,
  ): Promise<RebootAnswer> {
    const { target, bootId } = command
    try {
      return await this.limited({ what, limitMs: REBOOT_LIMIT_MS }, signal, (limited) =>
        this.#parts.host.reboot(target, bootId, limited),
      )
    } catch (error) {
      if (error instanceof DeadlineError) return { kind: 'unknown', text: error.message }
      throw error
    }
  }
}
