import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node, Taint } from '../../../src/ground/model/node.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { toComeTaint } from '../../../src/ground/model/to-come.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { takeOffMarks, writeMark } from '../../../src/roll/run/marks-to-come.ts'
import { newRun } from '../../../src/roll/run/run-state.ts'
import { NodeStore } from '../../support/node-store.ts'
import { aNode, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const GPU: Taint = { key: 'gpu', effect: 'NoSchedule' }
const SPEC = aSpec({ drain: { ...aSpec().drain, preferDone: true } })
const RUN = newRun({ spec: SPEC, order: ['n1', 'n2'] }, { wall: wallMs(0), suffix: '0001' })
const MINE = toComeTaint(RUN.id)
const THEIRS = toComeTaint('run-9')

function storeOf(nodes: Readonly<Record<string, readonly Taint[] | undefined>>): NodeStore {
  const store = new NodeStore()
  for (const [name, taints] of Object.entries(nodes))
    store.make({ name, bootId: 'b', ...(taints === undefined ? {} : { taints }) })
  return store
}

const taintsOf = async (store: NodeStore, name: string): Promise<readonly string[] | undefined> =>
  (await store.readNode(name))?.taints.map(({ key, value }) => (value === undefined ? key : `${key}=${value}`))

const WRITES: readonly (readonly [
  title: string,
  kind: 'markToCome' | 'unmarkToCome',
  before: readonly Taint[] | undefined,
  after: readonly Taint[],
])[] = [
  ['a node without taints is marked', 'markToCome', undefined, [MINE]],
  ['a mark comes beside other taints', 'markToCome', [GPU], [GPU, MINE]],
  ['a mark that stands is not written twice', 'markToCome', [MINE], [MINE]],
  ['the mark of another run stays the only one', 'markToCome', [THEIRS], [THEIRS]],
  ['a mark goes, and other taints stay', 'unmarkToCome', [GPU, MINE], [GPU]],
  ['the mark of another run is not taken off', 'unmarkToCome', [THEIRS, GPU], [THEIRS, GPU]],
]

for (const [title, kind, before, after] of WRITES) {
  test(title, async () => {
    const store = storeOf({ n1: before })
    assert.equal((await writeMark({ kind, node: 'n1' }, { run: RUN.id, cluster: store }, never)).ok, true)
    assert.deepEqual(await taintsOf(store, 'n1'), await taintsOf(storeOf({ n1: after }), 'n1'))
  })
}

test('a node that is no more needs no mark, and one that is made anew meanwhile is not written to', async () => {
  const store = storeOf({ n1: [MINE] })
  assert.deepEqual(await writeMark({ kind: 'markToCome', node: 'n9' }, { run: RUN.id, cluster: store }, never), {
    ok: true,
  })
  store.meanwhile = () => store.make({ name: 'n1', bootId: 'b', taints: [MINE] })
  const writing = writeMark({ kind: 'unmarkToCome', node: 'n1' }, { run: RUN.id, cluster: store }, never)
  await assert.rejects(writing, { code: 'KUBE_CONFLICT' })
})

test('taints that others wrote between the reading and the write are kept', async () => {
  const store = storeOf({ n1: [MINE, GPU] })
  store.meanwhile = () => store.patch('n1', [{ op: 'remove', path: '/spec/taints/0' }])
  const writing = writeMark({ kind: 'unmarkToCome', node: 'n1' }, { run: RUN.id, cluster: store }, never)
  await assert.rejects(writing, { code: 'KUBE_CONFLICT' })
  assert.deepEqual(await taintsOf(store, 'n1'), ['gpu'])
})

const SLOT = { free: { kind: 'free' }, held: { kind: 'held', node: 'n1', renewedAt: 0 } } as const

/** The end of a run whose nodes stand in `store`; `away`: how long the API server does not answer. */
async function ended(store: NodeStore, { away = 0, seen = [], slot = 'free', mayAct = true }: Partial<Ending> = {}) {
  const clock = new VirtualClock()
  const events: RollEvent[] = []
  const names = ['n1', 'n2', 'n3']
  const answers = async <T>(work: () => Promise<T>): Promise<T> => {
    if (clock.monoMs() < away) throw new WorldError('connection refused', { code: 'KUBE_REFUSED', retry: 'backoff' })
    return work()
  }
  const list = () => answers(async () => (await Promise.all(names.map((name) => store.readNode(name)))).filter(isThere))
  const parts = {
    run: RUN,
    cluster: {
      list: list as never,
      readNode: (name: string) => answers(() => store.readNode(name)),
      patchNode: (name: string, patch: never) => answers(() => store.patchNode(name, patch)),
    },
    view: { reading: () => ({ ...aSnapshot().cluster, nodes: seen }) },
    keeper: { state: () => SLOT[slot] as never, mayAct: () => mayAct },
    events: { emit: (event: RollEvent) => void events.push(event) },
    clock,
    random: new SeededRandom(1),
  }
  const work = takeOffMarks(parts, never)
  for (let second = 0; second < 40; second += 1) await clock.advance(1000)
  await work
  return events
}

interface Ending {
  readonly away: number
  readonly seen: readonly Node[]
  readonly slot: keyof typeof SLOT
  readonly mayAct: boolean
}

const isThere = (node: Node | undefined): node is Node => node !== undefined

test('at its end a run takes off its marks, those too that no watch has shown yet', async () => {
  const store = storeOf({ n1: [GPU], n2: [MINE], n3: [THEIRS] })
  const events = await ended(store)
  assert.deepEqual(
    [await taintsOf(store, 'n1'), await taintsOf(store, 'n2'), await taintsOf(store, 'n3')],
    [['gpu'], [], ['evenkeel.dev/to-be-rolled=run-9']],
  )
  assert.deepEqual(
    events.map((event) => event.type === 'write' && [event.action, event.node, event.ok]),
    [['unmarkToCome', 'n2', true]],
  )
})

test('an API server that is away for a moment is asked again', async () => {
  const store = storeOf({ n2: [MINE] })
  await ended(store, { away: 6_000 })
  assert.deepEqual(await taintsOf(store, 'n2'), [])
})

test('where it stays away, the roll ends and says what to type', async () => {
  const events = await ended(storeOf({ n2: [MINE] }), {
    away: 60_000,
    seen: [aNode('n2', { taints: [MINE] }), aNode('n3', { taints: [MINE] })],
  })
  const [warning] = events
  assert.deepEqual([events.length, warning?.type], [1, 'warning'])
  assert.match(
    warning?.type === 'warning' ? warning.text : '',
    /n2, n3 still bear .*connection refused.*: kubectl taint nodes n2 n3 evenkeel\.dev\/to-be-rolled-$/,
  )
})

test('a process whose slot is not renewed sends nothing', async () => {
  const store = storeOf({ n2: [MINE] })
  const events = await ended(store, { slot: 'held', mayAct: false })
  assert.deepEqual([await taintsOf(store, 'n2'), events.length], [[`evenkeel.dev/to-be-rolled=${RUN.id}`], 1])
})
