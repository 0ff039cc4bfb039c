import { type Reason, waitOf } from '../../../ground/model/reason.ts'
import { monoMs } from '../../../ground/model/time.ts'
import { baselineGreen, readSinceSlot, runAble, trafficWell } from '../guards.ts'
import { lockOfKured } from '../others-work.ts'
import { windowClosed } from '../window/window-reasons.ts'
import type { MachineSnapshot } from './machine-snapshot.ts'
import {
  answersSince,
  disagreements,
  notTakenOver,
  notWhole,
  peerInstances,
  silentInstances,
  silentMachines,
} from './pair-state.ts'

type Guard = (s: MachineSnapshot) => readonly Reason[]

/**
 * A machine whose reboot is announced is finished in any case, and one without its addresses where the roll file says so.
 *
 * Law: outside of a time window nothing disrupts a machine before the announcement of its reboot, unless the roll file has it finished.
 */
const windowOpen: Guard = ({ spec, window, memory }) => {
  if (spec.window === undefined || window?.open !== undefined) return []
  const isFinished = memory.intent === true || (memory.isAway === true && spec.window.onClose === 'finish')
  return isFinished ? [] : [windowClosed(spec.window, window)]
}

/** While a node is out, no instance restarts: it would forget that it has the node's servers out. */
const noNodeOut: Guard = ({ nodesOut, clusterUnknown }) => {
  if (clusterUnknown)
    return [
      { code: 'ApiUnreachable', text: 'the API server cannot be followed, so it is not known which nodes are out' },
    ]
  return nodesOut.map((node) => ({
    code: 'NodeStillOut',
    object: node,
    text: `${node} is out: no machine of a load balancer is rebooted until it is back`,
  }))
}

/** The other machines answer, and their instances can carry all traffic. */
export const othersCarry: Guard = (s) => {
  const silent = [...silentMachines(s), ...silentInstances(peerInstances(s))]
  return silent.length > 0 ? silent : [...disagreements(s), ...notTakenOver(s)]
}

/** Before each disruptive effect. */
export const mayTouch: Guard = (s) => {
  const lacking = runAble(s)
  return lacking.length > 0 ? lacking : [...windowOpen(s), ...trafficWell(s), ...noNodeOut(s)]
}

/**
 * Before each disruptive effect until the reboot is announced. The baseline comes first, since its time belongs to no machine. After the
 * announcement the machine may be down already, so the lock of kured is not asked any more.
 */
export const mayLeave: Guard = (s) => {
  const unmeasured = baselineGreen(s)
  return unmeasured.length > 0 ? unmeasured : [...mayTouch(s), ...lockOfKured(s)]
}

/** Before the first change. */
export const mayBegin: Guard = (s) => {
  const refused = mayLeave(s)
  if (refused.some((reason) => waitOf(reason) === 'baseline')) return refused
  const against = [...refused, ...readSinceSlot(s), ...unreadSinceSlot(s)]
  return against.length > 0 ? against : [...notWhole(s), ...notTakenOver(s)]
}

const NEVER = monoMs(Number.POSITIVE_INFINITY)

/** The boot id that is recorded has to be read while this run has the slot. */
const unreadSinceSlot: Guard = ({ machines, evidence, slot }) =>
  slot.state !== 'mine'
    ? []
    : machines
        .filter((facts) => facts.silentForMs === 0 && !answersSince(facts, evidence.slotTakenAt ?? NEVER))
        .map(({ machine }) => ({
          code: 'ReadBeforeSlot',
          object: machine.name,
          text: `${machine.name} was read before the slot was taken`,
        }))
