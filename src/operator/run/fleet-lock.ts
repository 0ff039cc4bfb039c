import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import { FollowCaches } from '../../ground/loop/follow-caches.ts'
import { unlessThere } from '../../ground/loop/owned/unless-there.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import {
  type FleetLockAction,
  type FleetLockAnswer,
  type FleetLockGroup,
  fleetLockAnswer,
  wantedFleetLockRoll,
} from '../decide/fleet-lock.ts'
import type { FleetLockCall, FleetLockReply } from '../model/fleet-lock-call.ts'
import { plainId } from '../model/fleet-lock-id.ts'
import { FLEET_LOCK_NODES, type FleetLockNode } from '../model/fleet-lock-node.ts'
import { ROLLS } from '../model/roll-kind.ts'
import type { RollObject } from '../model/roll-object.ts'
import { FLEET_LOCK_LABEL, ROLL_SCHEDULES, type RollSchedule } from '../model/roll-schedule.ts'
import type { FleetLockAnswers } from '../ports/fleet-lock-answers.ts'

interface FleetLockParts {
  readonly objects: Pick<Objects, 'list' | 'follow' | 'create' | 'delete'>
  readonly clock: Clock
  readonly log: Log
  /** The one namespace of Rolls. */
  readonly namespace: string
  readonly groupOf: (schedule: RollSchedule) => FleetLockGroup
}

/** From the call to its answer, whatever waits before it. */
const LIMIT_MS = 20_000
/** How many calls wait for their turn. */
const WAITING_MAX = 32

const BUSY: FleetLockReply = {
  status: 503,
  kind: 'too_many',
  value: 'too many clients ask at the same time; ask again',
}

class FleetLockCaches extends FollowCaches {
  readonly nodes: FollowCache<FleetLockNode>
  readonly schedules: FollowCache<RollSchedule>
  readonly rolls: FollowCache<RollObject>

  constructor({ objects, clock, namespace }: FleetLockParts) {
    super({ objects, clock })
    this.nodes = this.objectsOf({ kind: FLEET_LOCK_NODES }, { isSame: isSameNode })
    this.schedules = this.objectsOf({ kind: ROLL_SCHEDULES, namespace }, {})
    this.rolls = this.objectsOf({ kind: ROLLS, namespace, labelSelector: FLEET_LOCK_LABEL }, {})
  }
}

/** Kubelets write their Nodes each few seconds, and most of it is no matter here. */
const isSameNode = (before: FleetLockNode, now: FleetLockNode): boolean =>
  JSON.stringify(before) === JSON.stringify(now)

/**
 * Answers clients that ask by FleetLock, one after another. A refusal comes from the caches. What is more than a refusal is decided once
 * more on fresh reads: a yes, and a Roll that is made or removed. Nothing is kept in memory, so that it does not matter which replica is
 * asked, or whether it leads.
 */
export class FleetLock implements FleetLockAnswers {
  readonly #parts: FleetLockParts
  readonly #caches: FleetLockCaches
  readonly #groups = new WeakMap<RollSchedule, FleetLockGroup>()
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(parts: FleetLockParts) {
    this.#parts = parts
    this.#caches = new FleetLockCaches(parts)
  }

  /** Runs the caches until aborted, then rejects with the signal's reason. */
  run(signal: AbortSignal): Promise<void> {
    return this.#caches.run(signal)
  }

  async answer(call: FleetLockCall, signal: AbortSignal): Promise<FleetLockReply> {
    if (this.#waiting >= WAITING_MAX) return BUSY
    this.#waiting += 1
    const limit = { clock: this.#parts.clock, limitMs: LIMIT_MS, signal, what: 'the API server' }
    const before = this.#turn
    const made = withDeadline(limit, async (limited) => {
      await before
      return this.#answer(call, limited)
    }).catch((error: unknown) => unanswered(error, signal))
    this.#turn = made.catch(() => undefined)
    try {
      return await made
    } finally {
      this.#waiting -= 1
    }
  }

  async #answer(call: FleetLockCall, signal: AbortSignal): Promise<FleetLockReply> {
    const { nodes, rolls } = this.#caches
    const id = plainId(call.id)
    const found = nodes.objects().filter(({ ids }) => ids.includes(id))
    const first = this.#decided(call, { nodes: found, rolls: rolls.objects() })
    if (first.status !== 200 && first.action === undefined) return first
    const second = this.#decided(call, await this.#fresh(found, signal))
    if (second.action !== undefined) await this.#perform(second.action, signal)
    const { action, status, kind, value } = second
    if (status === 200 || action !== undefined)
      this.#parts.log.warn('a client was answered', { node: found[0]?.name, asked: call.verb, kind, answer: value })
    return { status, kind, value }
  }

  #decided({ verb, group }: FleetLockCall, read: Pick<Parameters<typeof fleetLockAnswer>[0], 'nodes' | 'rolls'>) {
    const schedule = this.#caches.schedules.get(`${this.#parts.namespace}/${group}`)
    const isFresh = this.#caches.isFresh()
    const answer: FleetLockAnswer = fleetLockAnswer({
      ...{ verb, groupName: group, isFresh },
      ...read,
      ...present({ group: schedule && this.#groupOf(schedule) }),
    })
    return answer
  }

  /** To check a large file takes a second. */
  #groupOf(schedule: RollSchedule): FleetLockGroup {
    const known = this.#groups.get(schedule) ?? this.#parts.groupOf(schedule)
    this.#groups.set(schedule, known)
    return known
  }

  /** Nodes by a list of one each: a controller of Rolls has the right to list them. */
  async #fresh(found: readonly FleetLockNode[], signal: AbortSignal) {
    const { objects, namespace } = this.#parts
    const nodeOf = (name: string) =>
      objects.list({ kind: FLEET_LOCK_NODES, fieldSelector: `metadata.name=${name}` }, signal)
    const [nodes, rolls] = await Promise.all([
      Promise.all(found.map(({ name }) => nodeOf(name))),
      objects.list({ kind: ROLLS, namespace, labelSelector: FLEET_LOCK_LABEL }, signal),
    ])
    return { nodes: nodes.flat(), rolls }
  }

  /** Another replica may have done it a moment before. */
  async #perform(action: FleetLockAction, signal: AbortSignal): Promise<void> {
    const { objects, namespace } = this.#parts
    if (action.kind === 'makeRoll') {
      await unlessThere(objects.create({ kind: ROLLS, namespace, object: wantedFleetLockRoll(action) }, signal))
      return
    }
    const { name, uid } = action.roll
    await objects.delete({ kind: ROLLS, namespace, name, uid }, signal)
  }
}

function unanswered(error: unknown, signal: AbortSignal): FleetLockReply {
  signal.throwIfAborted()
  if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
  return { status: 503, kind: 'unknown', value: `${escapeForeign(error.message)}; ask again` }
}
