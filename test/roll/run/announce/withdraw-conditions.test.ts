import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../../src/ground/model/node.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { ConditionsChange } from '../../../../src/ground/ports/cluster.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import { withdrawConditions } from '../../../../src/roll/run/announce/withdraw-conditions.ts'
import { newRun } from '../../../../src/roll/run/run-state.ts'
import { aNode, aRecord, aSnapshot, aSpec } from '../../../support/roll-world.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const never = new AbortController().signal
const SPEC = aSpec({ announce: { conditions: true } })
const RUN = newRun({ spec: SPEC, order: ['n1', 'n2'] }, { wall: wallMs(0), suffix: '0001' })
const MINE = { Drained: RUN.id, MaintenanceInProgress: RUN.id }
const SLOT = { free: { kind: 'free' }, held: { kind: 'held', node: 'n1', renewedAt: 0 } } as const

interface Ending {
  /** How long the API server does not answer. */
  readonly away: number
  readonly seen: readonly Node[]
  readonly slot: keyof typeof SLOT
  readonly mayAct: boolean
  readonly spec: typeof SPEC
}

/** The end of a run with these nodes, what was written, and what it told. */
async function ended(nodes: readonly Node[], change: Partial<Ending> = {}) {
  const { away = 0, seen = [], slot = 'free', mayAct = true, spec = SPEC } = change
  const clock = new VirtualClock()
  const events: RollEvent[] = []
  const writes: ConditionsChange[] = []
  let lists = 0
  const isAway = (): void => {
    if (clock.monoMs() < away) throw new WorldError('connection refused', { code: 'KUBE_REFUSED', retry: 'backoff' })
  }
  const list = async (): Promise<readonly Node[]> => {
    lists += 1
    isAway()
    const written = new Set(writes.map(({ uid }) => uid))
    return nodes.map((node) => (written.has(node.uid) ? aNode(node.name) : node))
  }
  const work = withdrawConditions(
    {
      run: { ...RUN, spec },
      cluster: {
        list: list as never,
        setConditions: async (asked) => {
          isAway()
          writes.push(asked)
        },
      },
      view: { reading: () => ({ ...aSnapshot().cluster, nodes: seen }) },
      keeper: { state: () => SLOT[slot] as never, mayAct: () => mayAct },
      events: { emit: (event) => void events.push(event) },
      clock,
      random: new SeededRandom(1),
    },
    never,
  )
  for (let second = 0; second < 40; second += 1) await clock.advance(1000)
  await work
  return { writes, events, lists }
}

test('at its end a run takes back what it has announced, also where no watch has shown it, and leaves alone what others say', async () => {
  const record = { 'evenkeel.dev/record': JSON.stringify(aRecord({ run: RUN.id })) }
  const { writes, events } = await ended([
    aNode('n1', { announced: MINE }),
    aNode('n2', { announced: { Drained: 'run-9', MaintenancePlanned: RUN.id } }),
    aNode('n3', { announced: { Drained: 'run-9' } }),
    aNode('n4', { announced: MINE, annotations: record }),
  ])
  assert.deepEqual(
    writes.map(({ node, conditions }) => [node, conditions]),
    [
      ['n1', { Drained: null, MaintenanceInProgress: null }],
      ['n2', { MaintenancePlanned: null }],
    ],
  )
  assert.deepEqual(
    events.map((event) => event.type === 'write' && [event.action, event.node, event.ok]),
    [
      ['setConditions', 'n1', true],
      ['setConditions', 'n2', true],
    ],
  )
})

test('an API server that is away for a moment is asked again', async () => {
  const { writes, events } = await ended([aNode('n2', { announced: MINE })], { away: 6_000 })
  assert.deepEqual([writes.length, events.length], [1, 1])
})

test('where it stays away, the roll ends and says what to type', async () => {
  const node = aNode('n2', { announced: MINE })
  const { events } = await ended([node], { away: 60_000, seen: [node] })
  const [warning] = events
  assert.deepEqual([events.length, warning?.type], [1, 'warning'])
  assert.match(
    warning?.type === 'warning' ? warning.text : '',
    /^n2 still announces .*connection refused.*: kubectl patch node n2 --subresource=status --type=strategic -p '\{"status":/,
  )
})

test('a process whose slot is not renewed sends nothing', async () => {
  const { writes } = await ended([aNode('n2', { announced: MINE })], { slot: 'held', mayAct: false })
  assert.deepEqual(writes, [])
})

test('a run whose file asks for nothing to be announced lists no nodes for it', async () => {
  const { lists } = await ended([aNode('n1')], { spec: aSpec() as typeof SPEC })
  assert.equal(lists, 0)
})
