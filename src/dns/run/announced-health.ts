import { nextCondition } from '../../ground/model/condition.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { present } from '../../ground/model/present.ts'
import { toIso } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import { type DnsHealth, HEALTH_CONDITION } from '../decide/health-condition.ts'
import type { ServiceAsRead, ServiceConditions } from '../ports/service-conditions.ts'

interface AnnouncedHealthParts {
  readonly conditions: ServiceConditions
  readonly notices: ObjectNotices
  readonly clock: Clock
}

/** Between a read and the patch that is held against it something else may write the Service. */
const WRITES_MAX = 3

/**
 * The health of DNS as the Service itself shows it: by a condition in its status, and by an Event where that changes. What is there
 * already is read first, so that a new leader tells nothing twice, and a condition that was taken away comes back.
 */
export class AnnouncedHealth {
  readonly #parts: AnnouncedHealthParts
  /** The Event that was written last. */
  #event: string | undefined

  constructor(parts: AnnouncedHealthParts) {
    this.#parts = parts
  }

  /** Rejects with WorldError KUBE_*, once both were tried, or with the signal's reason. */
  async announce(service: ObjectRef, health: DnsHealth, signal: AbortSignal): Promise<void> {
    const { conditions } = this.#parts
    const found = await conditions.read(service, signal)
    if (found === undefined) return
    this.#event ??= eventOf(found.conditions.find(({ type }) => type === HEALTH_CONDITION))
    const done = await Promise.allSettled([this.#write(found, health, signal), this.#notify(found, health, signal)])
    for (const one of done) if (one.status === 'rejected') throw one.reason
  }

  async #write(first: ServiceAsRead, health: DnsHealth, signal: AbortSignal): Promise<void> {
    const { conditions, clock } = this.#parts
    let found: ServiceAsRead | undefined = first
    for (let writes = 1; found !== undefined; writes += 1) {
      const { generation } = found
      const at = toIso(clock.wallMs())
      const when = { at, ...present({ generation }) }
      const old = found.conditions.find(({ type }) => type === HEALTH_CONDITION)
      const next = nextCondition(old, { type: HEALTH_CONDITION, ...health }, when)
      if (next === undefined) return
      try {
        return await conditions.write(found, next, signal)
      } catch (error) {
        if (!(error instanceof WorldError) || error.code !== 'KUBE_CONFLICT' || writes === WRITES_MAX) throw error
      }
      found = await conditions.read(first, signal)
    }
  }

  async #notify({ namespace, name, uid }: ServiceAsRead, health: DnsHealth, signal: AbortSignal): Promise<void> {
    const event = eventOf(health)
    if (this.#event === event) return
    const { status, reason: code, message: text } = health
    const type = status === 'True' ? 'Normal' : 'Warning'
    await this.#parts.notices.tell({ kind: 'Service', namespace, name, uid, type, reason: { code, text } }, signal)
    this.#event = event
  }
}

const eventOf = (health: Pick<DnsHealth, 'reason' | 'message'> | undefined): string | undefined =>
  health === undefined ? undefined : `${health.reason}: ${health.message}`
