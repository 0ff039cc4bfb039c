import type { Node } from '../../src/ground/model/node.ts'
import type { SeenSlot } from '../../src/ground/model/slot.ts'
import { decide } from '../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../src/roll/decide/snapshot.ts'
import type { BudgetFacts } from '../../src/service/decide/budget/budget-facts.ts'
import { aNode, anInstance, aRecord, aServer, aSnapshot } from './roll-world.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

export const slot = (index: number, run: string, node: string, change: Partial<SeenSlot> = {}): SeenSlot => ({
  index,
  owner: { holder: `${run}/a`, run, node },
  isStale: false,
  renewTime: '2026-01-01T00:00:00Z',
  durationMs: 120_000,
  ...change,
})

export interface World {
  readonly max?: number
  readonly slots?: readonly SeenSlot[]
  readonly bad?: Readonly<Record<string, Partial<Node>>>
  readonly budget?: Partial<BudgetFacts>
  readonly slot?: RollSnapshot['slot']['state']
  readonly record?: boolean
  readonly change?: Partial<RollSnapshot>
}

/** n1 of six nodes is to be begun by run-1. */
export function decisionOf({
  max = 2,
  slots = [],
  bad = {},
  budget = {},
  slot: state = 'free',
  record,
  change = {},
}: World): ReturnType<typeof decide> {
  const s = aSnapshot(record === true ? { record: aRecord(), node: { unschedulable: false } } : {})
  const nodes = NAMES.map((name) => (name === 'n1' ? s.current.node : aNode(name, bad[name])))
  return decide({
    ...s,
    cluster: { ...s.cluster, nodes },
    instances: [anInstance(NAMES.map((name) => aServer(name)))],
    slot: { state, mayAct: state === 'mine' },
    budget: { limit: { kind: 'count', count: max }, cordons: 'noBrake', slots, ...budget },
    ...change,
  })
}

export function decided(world: World): string {
  const decision = decisionOf(world)
  const what =
    decision.kind === 'act'
      ? decision.actions.map((action) =>
          action.kind === 'takeSlot'
            ? `take ${action.slot ?? 0}${action.takeStale ? ' from a stale one' : ''}`
            : action.kind,
        )
      : [decision.kind]
  const why = decision.kind === 'hold' ? decision.reasons.map(({ code, object }) => object ?? code) : []
  return [...what, ...why].join(' ')
}
