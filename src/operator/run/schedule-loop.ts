import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import { FollowCaches } from '../../ground/loop/follow-caches.ts'
import { EventsOnce, type EventTypes, sayingsOf } from '../../ground/loop/owned/events-once.ts'
import { Latest } from '../../ground/loop/owned/latest.ts'
import { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { OwnedLoop, type OwnedSystem } from '../../ground/loop/owned/owned-loop.ts'
import { RefusedWrites, type Subject } from '../../ground/loop/owned/refused-writes.ts'
import type { LoopStatus } from '../../ground/loop/reconciler.ts'
import { StatusWriter } from '../../ground/loop/status-writer.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import { present } from '../../ground/model/present.ts'
import type { ControllerParts } from '../../service/run/controller-parts.ts'
import {
  decideSchedule,
  type ScheduleAction,
  type ScheduleSnapshot,
  scheduleActionKey,
  scheduledSince,
  scheduleStatus,
  wantedRoll,
} from '../decide/schedule.ts'
import { ROLLS } from '../model/roll-kind.ts'
import type { RollObject } from '../model/roll-object.ts'
import { NODE_NEEDS, ROLL_SCHEDULES, type RollSchedule, SCHEDULE_UID_LABEL } from '../model/roll-schedule.ts'
import type { ScheduleTimes } from '../model/schedule-times.ts'

interface ScheduleLoopParts
  extends Pick<ControllerParts, 'objects' | 'notices' | 'leader' | 'clock' | 'random' | 'log' | 'namespace'> {
  readonly faultsOf: (schedule: RollSchedule) => readonly string[]
  readonly timesOf: (
    schedule: RollSchedule,
    at: Pick<ScheduleSnapshot, 'now'> & { since: ScheduleSnapshot['now'] },
  ) => ScheduleTimes
}

class ScheduleCaches extends FollowCaches {
  readonly schedules: FollowCache<RollSchedule>
  readonly #rolls: FollowCache<RollObject>

  constructor(parts: Pick<ScheduleLoopParts, 'objects' | 'clock' | 'namespace'>, onChange: () => void) {
    super(parts)
    const { namespace } = parts
    this.schedules = this.objectsOf({ kind: ROLL_SCHEDULES, namespace }, { onKey: onChange })
    this.#rolls = this.objectsOf({ kind: ROLLS, namespace, labelSelector: SCHEDULE_UID_LABEL }, { onKey: onChange })
  }

  rollsOf({ uid }: RollSchedule): readonly RollObject[] {
    return this.#rolls.objects().filter(({ labels }) => labels[SCHEDULE_UID_LABEL] === uid)
  }
}

/** Makes the Rolls of RollSchedules. A key is the name of a RollSchedule. */
export class ScheduleLoop implements OwnedSystem<ScheduleSnapshot, ScheduleAction> {
  readonly name = 'schedules'
  readonly keyOf = scheduleActionKey
  readonly #parts: ScheduleLoopParts
  readonly #caches: ScheduleCaches
  readonly #owned: OwnedEffects
  readonly #events: EventsOnce
  readonly #status: StatusWriter<RollSchedule>
  readonly #refused = new RefusedWrites<ScheduleAction>(scheduleActionKey)
  readonly #loop: OwnedLoop<ScheduleSnapshot, ScheduleAction>

  constructor(parts: ScheduleLoopParts) {
    const { objects, clock } = parts
    this.#parts = parts
    this.#caches = new ScheduleCaches(parts, () => this.wake())
    this.#owned = new OwnedEffects({ objects, latest: new Latest() })
    this.#events = new EventsOnce(parts.notices)
    this.#status = new StatusWriter({ objects, kind: ROLL_SCHEDULES, clock })
    this.#loop = new OwnedLoop({ ...parts, system: this, refused: this.#refused })
  }

  /** Runs the caches and the loop until aborted, then rejects with the signal's reason. After `stop`, only the caches go on. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#caches.run(signal), this.#loop.run(signal)])
  }

  /** Starts no new pass, and resolves when the running passes have ended. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** We lead now, or something changed that may concern each of them. */
  wake(): void {
    for (const { name } of this.#caches.schedules.objects()) this.#loop.changed(name)
  }

  status(): LoopStatus {
    return this.#loop.status()
  }

  async gather(name: string, signal: AbortSignal): Promise<ScheduleSnapshot | undefined> {
    await this.#caches.synced(signal)
    const schedule = this.#caches.schedules.get(`${this.#parts.namespace}/${name}`)
    if (schedule === undefined) return undefined
    const now = this.#parts.clock.wallMs()
    const faults = this.#parts.faultsOf(schedule)
    const rolls = this.#caches.rollsOf(schedule)
    const since = scheduledSince({ schedule, rolls, now })
    const isTimed = faults.length === 0 && schedule.when !== 'FleetLock'
    const times = isTimed ? this.#parts.timesOf(schedule, { now, since }) : undefined
    const asks = times?.due !== undefined && schedule.when === 'RebootRequired'
    return {
      ...{ now, schedule, faults, rolls },
      isFresh: this.#caches.isFresh(),
      refusals: this.#refused.of(schedule) ?? new Map(),
      ...present({ times, needs: asks ? await this.#needs(signal) : undefined }),
    }
  }

  async #needs(signal: AbortSignal): Promise<number> {
    const nodes = await this.#parts.objects.list({ kind: NODE_NEEDS }, signal)
    return nodes.filter(({ isNeeded }) => isNeeded).length
  }

  decide(seen: ScheduleSnapshot): LoopDecision<ScheduleAction> {
    return decideSchedule(seen)
  }

  againInMs(): undefined {
    return undefined
  }

  objectOf(action: ScheduleAction): string | undefined {
    return action.kind === 'deleteRoll' ? action.roll.uid : undefined
  }

  subjectOf({ schedule }: ScheduleSnapshot): Subject {
    return schedule
  }

  isKnown({ isFresh }: ScheduleSnapshot): boolean {
    return isFresh
  }

  /** A Roll takes nodes out, and asks before each. */
  takesOut(): boolean {
    return false
  }

  gatherFresh(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  async perform(action: ScheduleAction, { schedule }: ScheduleSnapshot, signal: AbortSignal): Promise<void> {
    if (action.kind === 'deleteRoll') return this.#owned.delete(ROLLS, action.roll, signal)
    await this.#owned.create({ kind: ROLLS, namespace: schedule.namespace }, wantedRoll(schedule, action.name), signal)
  }

  async tell(seen: ScheduleSnapshot, { reasons }: LoopDecision<ScheduleAction>, signal: AbortSignal): Promise<void> {
    const { schedule } = seen
    const refusals = reasons.filter(({ code }) => code === 'WriteRefused' || code === 'WriteUndone')
    const wanted = scheduleStatus(seen, refusals)
    if (wanted === undefined) return
    await this.#status.write(schedule, wanted, signal)
    const sayings = sayingsOf(reasons, EVENTS, ({ code }) => code)
    await this.#events.tellAll({ ...schedule, kind: ROLL_SCHEDULES }, sayings, signal)
  }
}

const EVENTS: EventTypes = {
  ScheduleMissed: 'Warning',
  ScheduleForbidden: 'Normal',
  ScheduleNotNeeded: 'Normal',
  ScheduleRefused: 'Warning',
  WriteRefused: 'Warning',
  WriteUndone: 'Warning',
}
