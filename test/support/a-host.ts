import { invariant } from '../../src/ground/model/invariant.ts'
import { monoMs, wallMs } from '../../src/ground/model/time.ts'
import { judge } from '../../src/roll/decide/judge.ts'
import { decideMachine } from '../../src/roll/decide/pair/decide-machine.ts'
import type { MachineMemory } from '../../src/roll/decide/pair/machine-memory.ts'
import type { MachineEvidence, MachineSnapshot, MachineState } from '../../src/roll/decide/pair/machine-snapshot.ts'
import type { ServerReading } from '../../src/service/model/balancer.ts'
import { twoHosts } from './memory-pair.ts'
import { anInstance, aServer, aSpec } from './roll-world.ts'

const BEFORE = 'aaaaaaaa-0000-4000-8000-000000000000'
export const AFTER = 'aaaaaaaa-0000-4000-8000-000000000001'
const ADDRESS = '10.0.0.100'
export const NOW = 1_000_000
export const at = (agoMs: number) => monoMs(NOW - agoMs)

const server = (instance: string, change: Partial<ServerReading> = {}): ServerReading =>
  aServer('n1', { ref: { instance, backend: 'web', server: 'n1' }, weight: 10, ...change })
export const drained = { adminState: 'drain', ownState: 'drain' } as const

export interface Given {
  readonly on?: readonly string[]
  readonly bootId?: string
  /** Machines that do not answer. */
  readonly silent?: readonly string[]
  readonly silentForMs?: number
  readonly lb1?: Partial<ServerReading>
  readonly lb2?: Partial<ServerReading>
  readonly memory?: MachineMemory
  readonly evidence?: MachineEvidence
  readonly change?: Partial<MachineSnapshot>
}

export function aHost({
  on = ['lb-1'],
  bootId = BEFORE,
  silent = [],
  silentForMs = 1,
  lb1,
  lb2,
  memory = {},
  evidence = {},
  change,
}: Given): MachineSnapshot {
  const [pair] = twoHosts().pairs
  const [host] = pair?.machines ?? []
  invariant(pair !== undefined && host !== undefined, 'there is a pair')
  const machine = (name: string): MachineState => ({
    machine: { name, ssh: name, instances: [name] },
    reading: {
      bootId: name === 'lb-1' ? bootId : 'bbbbbbbb-0000-4000-8000-000000000000',
      // An address that only begins alike is another one.
      addresses: ['10.0.0.10', '10.0.0.1001', ...(on.includes(name) ? [ADDRESS] : [])],
    },
    askedAt: at(0),
    silentForMs: silent.includes(name) ? silentForMs : 0,
  })
  const instance = (name: string, reading: ServerReading) =>
    anInstance([reading], { instance: name, askedAt: at(0), silentForMs: silent.includes(name) ? silentForMs : 0 })
  return {
    now: monoMs(NOW),
    wall: wallMs(NOW),
    spec: aSpec({ hosts: twoHosts() }),
    run: { id: 'run-1', order: [], done: [] },
    slot: { state: 'mine', mayAct: true },
    journalWritable: true,
    reloads: [],
    pair,
    host,
    machines: [machine('lb-1'), machine('lb-2')],
    instances: [instance('lb-1', server('lb-1', lb1)), instance('lb-2', server('lb-2', lb2))],
    connections: { count: 0, askedAt: at(0) },
    nodesOut: [],
    cluster: { workloads: [] },
    clusterUnknown: false,
    memory,
    evidence: { slotTakenAt: at(1000), ...evidence },
    ...change,
  }
}

export const RECORD = {
  bootId: BEFORE,
  servers: [{ ref: server('lb-1').ref, state: 'ready', weight: 10, up: true }],
} as const
export const began: MachineMemory = { record: RECORD }
export const away: MachineMemory = { record: RECORD, isAway: true, wasAway: true }
export const announced: MachineMemory = { ...away, intent: true }
export const proven: MachineMemory = { ...announced, isProven: true }
export const moved = { moved: { to: 'away', at: at(5000) }, awaySince: at(4000) } as const
export const back = { moved: { to: 'back', at: at(5000) }, provenSince: at(9000), attachingSince: at(5000) } as const

export const said = (s: MachineSnapshot): string => {
  const decision = decideMachine(s)
  if (decision.kind === 'act') return `${decision.step}: ${decision.actions.map(({ kind }) => kind).join(' ')}`
  if (decision.kind === 'settled') return decision.end
  return `${decision.step}? ${decision.reasons.map(({ code }) => code).join(' ')}`
}

export const verdictOf = (given: Given): string => {
  const verdict = judge(aHost(given))
  return verdict === undefined
    ? 'none'
    : `${verdict.kind}${verdict.keepOut ? ' keepOut' : ''} ${verdict.reasons.map(({ code }) => code).join(' ')}`
}
