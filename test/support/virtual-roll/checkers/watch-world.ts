import type { JournalEntry } from '../../../../src/roll/ports/journal.ts'
import { LEASES, PODS } from '../../../../src/sim/world/api-resource.ts'
import type { RequestWitness } from '../engine-request.ts'
import type { VirtualRoll } from '../virtual-roll.ts'
import type { Checker } from './checker.ts'
import { cutsOverdue } from './cuts-overdue.ts'
import { evictionsOnly } from './evictions-only.ts'
import { journalFirst } from './journal-first.ts'
import { keptOut } from './kept-out.ts'
import { lastToWithdraw } from './last-to-withdraw.ts'
import type { LossLog } from './loss-log.ts'
import { noAttachBeforeProof } from './no-attach-before-proof.ts'
import { noLostRequest } from './no-lost-request.ts'
import { oneNodeOut } from './one-node-out.ts'
import { oneServerLeft } from './one-server-left.ts'
import { onlyWithSlot } from './only-with-slot.ts'
import { priorRestored } from './prior-restored.ts'
import { quorumKept } from './quorum-kept.ts'
import { rebootOnlyOut } from './reboot-only-out.ts'
import { replacedFirst } from './replaced-first.ts'
import type { Scene } from './scene.ts'
import { stopsOnLoss } from './stops-on-loss.ts'

const LOOK_EVERY_MS = 100

export interface WatchedWorld {
  /** For the ports of one roll. */
  readonly witness: (roll: VirtualRoll) => RequestWitness
  /** For the journal of one roll: an entry was synced. */
  readonly synced: (roll: VirtualRoll) => (entry: JournalEntry) => void
  /** Everything is over: the last look. */
  readonly end: () => void
}

/** Every checker on one world, from now on. `drained`: labels `app` of DaemonSets whose pods leave before a reboot. */
export function watchWorld(scene: Scene, losses: LossLog, drained: readonly string[]): WatchedWorld {
  const { time, world } = scene.cluster
  const checkers: readonly Checker[] = [
    oneNodeOut(scene),
    evictionsOnly(scene),
    rebootOnlyOut(scene, drained),
    replacedFirst(scene),
    quorumKept(scene),
    noAttachBeforeProof(scene),
    onlyWithSlot(scene),
    keptOut(scene),
    lastToWithdraw(scene),
    cutsOverdue(scene),
    noLostRequest(scene, losses),
    oneServerLeft(scene),
    stopsOnLoss(scene, losses),
    priorRestored(scene),
    journalFirst(scene),
  ]
  const ends = [LEASES, PODS].map((resource) =>
    world.store.subscribe(resource, (change) => {
      for (const { onChange } of checkers) onChange?.(change)
    }),
  )
  let callOff: () => void = () => undefined
  const look = (): void => {
    scene.takenOut.look()
    for (const { onLook } of checkers) onLook?.()
  }
  const lookOften = (): void => {
    look()
    callOff = time.later(LOOK_EVERY_MS, lookOften)
  }
  scene.onHand = look
  lookOften()
  return {
    witness: (roll) => (request) => {
      const asked = { run: roll.run, request }
      for (const { onAsked } of checkers) onAsked?.(asked)
      scene.takenOut.note(request)
      return (code) => {
        for (const { onDone } of checkers) onDone?.(asked, code)
      }
    },
    synced: (roll) => (entry) => {
      for (const { onJournaled } of checkers) onJournaled?.({ run: roll.run, entry })
    },
    end: () => {
      callOff()
      for (const end of ends) end()
      for (const { atEnd } of checkers) atEnd?.()
    },
  }
}
