import { STEPS, type Step } from '../../../../src/roll/model/step.ts'
import type { WorldFault } from './world-fault.ts'

/** Each kind of fault by the name that `faultName` gives it: those that the seeds below `FIRST_WITH_MORE` know. */
const FIRST_NAMES = [
  'api.away',
  'api.conflicts',
  'api.cut',
  'api.errors',
  'api.evictionsUnheard',
  'api.forbidden',
  'api.hidesEvents',
  'api.silent',
  'api.slow',
  'api.staleLists',
  'api.tooMany',
  'api.unauthorized',
  'api.unheard',
  'watchesStop',
  'logForgotten',
  'leaseDeleted',
  'balancerSilent',
  'balancerSlow',
  'reload.forgets',
  'reload.keeps',
  'byHand.drain',
  'byHand.maint',
  'byHand.ready',
  'partition',
  'ssh.ignored',
  'ssh.lost',
  'ssh.refused',
  'ssh.unheard',
  'machine.never',
  'machine.neverReady',
  'machine.noKubelet',
  'machine.slow',
  'nodeAnew',
  'nodeDies',
  'cordoned',
  'uncordoned',
  'clock',
  'journal.failing',
  'journal.full',
  'journal.slow',
  'kill',
  'amended',
  'journalLost',
] as const

const MORE_NAMES = [
  'api.doneErrors',
  'api.foreign',
  'oneWatchStops.nodes',
  'oneWatchStops.pods',
  'ssh.unreached',
  'weight0',
  'podComes',
  'volumeLeaks',
] as const

export const FAULT_NAMES = [...FIRST_NAMES, ...MORE_NAMES] as const

/** What only some worlds know comes at times that their seeds draw, and no step brings it about. */
export const WORLD_FAULT_NAMES = [
  'agent',
  'agentRestarted',
  'controlFails',
  'detacherAway',
  'instanceByHand',
  'instanceReload',
  'instanceSilent',
  'memberAway',
  'outage',
  'proberCutOff',
  'registryAway',
  'weightless',
] as const satisfies readonly WorldFault['kind'][]

export type FaultName = (typeof FAULT_NAMES)[number]

export interface Cell {
  readonly step: Step
  readonly fault: FaultName
}

/** Why a fault cannot happen in a step; undefined where it can. */
export function whyImpossible({ step, fault }: Cell): string | undefined {
  if (fault.startsWith('ssh.') && step !== 'reboot') return 'nothing is sent by ssh but the reboot'
  if (fault.startsWith('machine.') && step !== 'reboot' && !(fault === 'machine.neverReady' && step === 'proof'))
    return 'a boot that goes wrong is waited for in the reboot step, or in the proof where its kubelet runs'
  if (fault === 'api.evictionsUnheard' && step !== 'drain') return 'pods are evicted in the drain alone'
  if (fault === 'uncordoned' && step === 'cordon')
    return 'what is not cordoned yet cannot be uncordoned, and the step is over with its write'
  return undefined
}

const cellsOf = (faults: readonly FaultName[]): readonly Cell[] =>
  faults.flatMap((fault) =>
    STEPS.map((step): Cell => ({ step, fault })).filter((cell) => whyImpossible(cell) === undefined),
  )

/** Every cell that can be filled. */
export const CELLS = cellsOf(FAULT_NAMES)
/** Those of seeds that mean for good what they meant before there were more. */
export const FIRST_CELLS = cellsOf(FIRST_NAMES)

/** Seeds that follow each other are to have nothing in common: this has no common divisor with the number of cells. */
const STRIDE = 173

/** The cell of a number: numbers that follow each other fill all cells before any comes again. */
export function cellOf(number: number, cells: readonly Cell[] = CELLS): Cell {
  const cell = cells[(number * STRIDE) % cells.length]
  if (cell === undefined) throw new Error(`no cell has the number ${number}`)
  return cell
}
