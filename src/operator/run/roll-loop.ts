import { EventsOnce, type EventTypes, sayingsOf } from '../../ground/loop/owned/events-once.ts'
import { Latest } from '../../ground/loop/owned/latest.ts'
import { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { OwnedLoop, type OwnedSystem } from '../../ground/loop/owned/owned-loop.ts'
import { RefusedWrites, type Subject } from '../../ground/loop/owned/refused-writes.ts'
import type { LoopStatus } from '../../ground/loop/reconciler.ts'
import { StatusWriter } from '../../ground/loop/status-writer.ts'
import type { LoopDecision } from '../../ground/model/loop-decision.ts'
import type { ControllerParts } from '../../service/run/controller-parts.ts'
import { type RollAction, rollActionKey } from '../decide/action.ts'
import { decideRoll } from '../decide/decide.ts'
import { rollStatus } from '../decide/status.ts'
import { ROLLS } from '../model/roll-kind.ts'
import type { RollObject } from '../model/roll-object.ts'
import type { FileOfRoll } from '../reading/file-faults.ts'
import type { RunSource } from '../reading/journal-runs.ts'
import { RollEffects } from './perform.ts'
import { RollCaches } from './roll-caches.ts'
import { RollReader, type RollSeen } from './roll-reader.ts'

interface RollLoopParts
  extends Pick<ControllerParts, 'objects' | 'notices' | 'leader' | 'clock' | 'random' | 'log' | 'namespace'> {
  readonly runs: RunSource
  readonly fileOf: (name: string, spec: Readonly<Record<string, unknown>>) => FileOfRoll
  readonly template: Readonly<Record<string, unknown>>
}

/** Carries out Rolls: each by the pods of Jobs, one Roll at a time. A key is the name of a Roll. */
export class RollLoop implements OwnedSystem<RollSeen, RollAction> {
  readonly name = 'rolls'
  readonly keyOf = rollActionKey
  readonly #caches: RollCaches
  readonly #reader: RollReader
  readonly #effects: RollEffects
  readonly #events: EventsOnce
  readonly #status: StatusWriter<RollObject>
  readonly #refused = new RefusedWrites<RollAction>(rollActionKey)
  readonly #loop: OwnedLoop<RollSeen, RollAction>
  readonly #namespace: string

  constructor(parts: RollLoopParts) {
    const { objects, clock, namespace, template } = parts
    this.#namespace = namespace
    // What becomes of one Roll decides whether the next one may begin.
    this.#caches = new RollCaches({ objects, clock, namespace, onChange: () => this.wake() })
    this.#reader = new RollReader({ ...parts, caches: this.#caches })
    this.#effects = new RollEffects({
      ...{ objects, template },
      owned: new OwnedEffects({ objects, latest: new Latest() }),
    })
    this.#events = new EventsOnce(parts.notices)
    this.#status = new StatusWriter({ objects, kind: ROLLS, clock })
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

  /** We lead now, or something changed that may concern each Roll. */
  wake(): void {
    for (const { name } of this.#caches.rolls.objects()) this.#loop.changed(name)
  }

  status(): LoopStatus {
    return this.#loop.status()
  }

  async gather(name: string, signal: AbortSignal): Promise<RollSeen | undefined> {
    await this.#caches.synced(signal)
    const roll = this.#caches.rolls.get(`${this.#namespace}/${name}`)
    if (roll === undefined) return undefined
    return this.#reader.of(roll, this.#refused.of(roll), signal)
  }

  decide({ snapshot }: RollSeen): LoopDecision<RollAction> {
    return decideRoll(snapshot)
  }

  againInMs(): undefined {
    return undefined
  }

  objectOf(action: RollAction, { snapshot }: RollSeen): string | undefined {
    if ('job' in action) return action.job.uid
    return action.kind === 'createJob' || action.kind === 'createFile' ? undefined : snapshot.roll.uid
  }

  subjectOf({ snapshot: { roll } }: RollSeen): Subject {
    return roll
  }

  isKnown({ snapshot }: RollSeen): boolean {
    return snapshot.isFresh
  }

  /** The pod of a run takes nodes out, and asks before each. */
  takesOut(): boolean {
    return false
  }

  gatherFresh(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  perform(action: RollAction, { snapshot, file }: RollSeen, signal: AbortSignal): Promise<void> {
    return this.#effects.perform(action, { roll: snapshot.roll, file }, signal)
  }

  async tell({ snapshot }: RollSeen, decision: LoopDecision<RollAction>, signal: AbortSignal): Promise<void> {
    const { roll } = snapshot
    const refusals = decision.reasons.filter(({ code }) => code === 'WriteRefused' || code === 'WriteUndone')
    const wanted = rollStatus(snapshot, refusals)
    if (wanted === undefined) return
    await this.#status.write(roll, wanted, signal)
    const sayings = sayingsOf(decision.reasons, EVENTS, ({ code }) => code)
    await this.#events.tellAll({ ...roll, kind: ROLLS }, sayings, signal)
  }
}

const EVENTS: EventTypes = {
  RollBegins: 'Normal',
  RollDone: 'Normal',
  RollPaused: 'Normal',
  RollNotApproved: 'Normal',
  RollAborting: 'Normal',
  RollStopped: 'Warning',
  RollRefused: 'Warning',
  RollBlocked: 'Warning',
  RollCopied: 'Warning',
  RollEdited: 'Warning',
  RollJournalGone: 'Warning',
  RollJournalUnreadable: 'Warning',
  RunnerFailed: 'Warning',
  WriteRefused: 'Warning',
  WriteUndone: 'Warning',
}
