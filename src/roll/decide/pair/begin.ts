import { invariant } from '../../../ground/model/invariant.ts'
import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { act, done, type Hold, hold, holdWhere, type StepAnswer } from '../../../service/decide/step-answer.ts'
import type { MachineAction, ServerBefore } from '../../model/host-pair.ts'
import type { Step } from '../../model/step.ts'
import { gatesHold } from '../gates/gates-hold.ts'
import { slotLive } from '../guards.ts'
import { beforeRecord } from '../requests.ts'
import type { MachineRule } from '../step-rule.ts'
import { windowAgainst } from '../window/time-windows.ts'
import { mayBegin } from './machine-guards.ts'
import type { MachineSnapshot } from './machine-snapshot.ts'
import { ownInstances, ownMachine, serversOf } from './pair-state.ts'

/** Step 1: the first slot of the node budget and no other one, so that two rolls never have a machine each. */
export const slot: MachineRule = {
  step: 'slot',
  next(s) {
    const outside = windowAgainst(s)
    if (outside !== undefined) return withoutSlot(s, outside)
    const gates = gatesHold(s, 'node')
    const failing = gates.find(({ code }) => code !== 'GateAsked')
    if (s.slot.state === 'mine') return failing === undefined ? done : withoutSlot(s, failing)
    // While another owner has the slot, no gate is asked.
    const asked = s.evidence.slotRefused === undefined ? holdWhere(gates) : undefined
    // No node bears a record, or the machine would not begin: what is left of the owner of an abandoned slot is its Lease alone.
    return holdWhere(mayBegin(s)) ?? asked ?? takeSlot(s, s.evidence.slotRefused?.isLeft)
  },
}

/** Step 1 of a machine that was begun: only the run that has the slot moves its addresses, sets its servers or reboots it. */
export const slotHeld: MachineRule = {
  step: 'slot',
  next: (s) => (s.slot.state === 'mine' ? done : takeSlot(s)),
  /** On the way back it is waited for as long as the machine may settle. */
  limit(s) {
    const { ms, reasons } = s.evidence.returning ?? { ms: 0, reasons: [] }
    return ms < s.spec.settle.limitMs ? undefined : { kind: 'stopped', keepOut: true, reasons }
  },
}

/** While the slot is not renewed, nothing is sent: the ladder waits here, and shows `step`. */
export const renewed = (step: Step): MachineRule => ({ step, next: (s) => holdWhere(slotLive(s)) ?? done })

/** While a time window or a gate is waited for, the slot is given back: the wait may take hours, and other owners need it. */
const withoutSlot = (s: MachineSnapshot, awaited: Reason): StepAnswer<MachineAction> =>
  refusedLately(s) ?? (s.slot.state === 'mine' ? act([{ kind: 'releaseSlot' }], awaited) : hold([awaited]))

function takeSlot(s: MachineSnapshot, takeStale?: true): StepAnswer<MachineAction> {
  const { state, holderRun } = s.slot
  const owner = holderRun === undefined ? 'another owner' : `run ${holderRun}`
  if (state === 'lost') return hold([{ code: 'SlotTaken', text: `the slot was taken by ${owner}, so nothing is sent` }])
  const reason: Reason = { code: 'SlotFree', text: 'a machine is rebooted only while the roll has a slot' }
  return refusedLately(s) ?? act([{ kind: 'takeSlot', ...present({ takeStale }) }], reason)
}

const ASK_SLOT_EVERY_MS = 2000

/** Why the slot was not taken, or given back, a moment ago. */
const refusedLately = ({ evidence: { slotRefused }, now }: MachineSnapshot): Hold | undefined =>
  slotRefused !== undefined && now - slotRefused.at < ASK_SLOT_EVERY_MS ? hold([slotRefused.reason]) : undefined

/** Step 2: the boot id and the servers as they are now go into the journal. */
export const record: MachineRule = {
  step: 'record',
  next: (s) => holdWhere(mayBegin(s)) ?? beforeRecord(s) ?? writeRecord(s),
}

function writeRecord(s: MachineSnapshot): StepAnswer<MachineAction> {
  const bootId = ownMachine(s)?.reading?.bootId
  invariant(bootId !== undefined, 'a machine that may be begun has answered')
  const servers = serversOf(ownInstances(s)).map(
    ({ ref, ownState: state, weight, operational }): ServerBefore => ({ ref, state, weight, up: operational === 'up' }),
  )
  const text = `what ${s.host.name} was like is not recorded yet`
  return act([{ kind: 'record', record: { bootId, servers } }], {
    code: 'HostNotRecorded',
    object: s.host.name,
    text,
  })
}
