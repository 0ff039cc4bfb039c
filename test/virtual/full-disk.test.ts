import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import type { Disk } from '../support/virtual-roll/memory-journal.ts'
import { ABORTED } from '../support/virtual-roll/operate-roll.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const FILE = virtualRollFile({ rate: 7, spec: { nodes: { names: ['n1'] }, soak: '1s' } })
/** So many entries at one moment are a loop that waits for nothing. */
const MOST_AT_ONCE = 100

const begunRoll = async () => {
  const cluster = await articleCluster()
  const roll = new VirtualRoll(cluster, FILE)
  const first = await roll.begin()
  return { cluster, roll, first }
}

/** As `isFull` says at each entry; throws where more entries come at one moment than any roll has. */
function diskOf({ time }: VirtualCluster, isFull: (type: string) => boolean): Disk {
  let [atMs, atOnce] = [0, 0]
  return {
    luckOf: ({ type }) => {
      atOnce = time.monoMs() === atMs ? atOnce + 1 : 0
      atMs = time.monoMs()
      if (atOnce > MOST_AT_ONCE) throw new Error('entries without end')
      return { kind: isFull(type) ? 'full' : 'well' }
    },
    onSynced: () => undefined,
  }
}

test('a disk that is full when the slot is to be taken is tried again after a while, and the roll goes on once it has room', async () => {
  const { cluster, roll, first } = await begunRoll()
  let fullUntilMs = 0
  roll.journal.disk = diskOf(cluster, (type) => {
    if (type === 'step.started' && fullUntilMs === 0) fullUntilMs = cluster.time.monoMs() + 20_000
    return cluster.time.monoMs() < fullUntilMs
  })
  const end = await cluster.time.settle(first.ended, 600_000)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
  cluster.end()
})

test('while a journal in the cluster answers late that it takes nothing, no node is touched, and the roll goes on once it does', async () => {
  const { cluster, roll, first } = await begunRoll()
  const n1 = () => cluster.world.store.get(NODES, { name: 'n1' })
  let awayUntilMs = 0
  const seen: unknown[] = []
  roll.journal.disk = {
    luckOf: ({ type }) => {
      if (type === 'step.started' && awayUntilMs === 0) awayUntilMs = cluster.time.monoMs() + 90_000
      if (cluster.time.monoMs() >= awayUntilMs) return { kind: 'well' }
      seen.push(n1()?.metadata.annotations?.['evenkeel.dev/record'])
      return { kind: 'away', byMs: 15_000 }
    },
    onSynced: () => undefined,
  }
  const end = await cluster.time.settle(first.ended, 900_000)
  assert.equal(end === 'died' ? end : end.outcome, 'completed')
  assert.ok(seen.length > 3)
  assert.deepEqual(new Set(seen), new Set([undefined]))
  cluster.end()
})

test('a node that is out is put back though its journal in the cluster answers each entry late, and takes none', async () => {
  const { cluster, roll, first } = await begunRoll()
  await cluster.time.settle(
    first.log.first((event) => event.type === 'step.started' && event.step === 'drain'),
    600_000,
  )
  first.kill()
  roll.journal.disk = { luckOf: () => ({ kind: 'away', byMs: 15_000 }), onSynced: () => undefined }
  const from = cluster.time.monoMs()
  const end = await cluster.time.settle(roll.resume(ABORTED).ended, 600_000)
  assert.equal(end === 'died' ? end : end.outcome, 'aborted')
  assert.ok(cluster.time.monoMs() - from < 90_000, `${cluster.time.monoMs() - from} ms`)
  const node = cluster.world.store.get(NODES, { name: 'n1' })
  assert.equal(node?.metadata.annotations?.['evenkeel.dev/record'], undefined)
  cluster.end()
})

test('a node that is out is put back though its journal takes no entry any more', async () => {
  const { cluster, roll, first } = await begunRoll()
  await cluster.time.settle(
    first.log.first((event) => event.type === 'step.started' && event.step === 'drain'),
    600_000,
  )
  first.kill()
  roll.journal.disk = diskOf(cluster, () => true)
  const second = roll.resume(ABORTED)
  const end = await cluster.time.settle(second.ended, 600_000)
  assert.equal(end === 'died' ? end : end.outcome, 'aborted')
  const node = cluster.world.store.get(NODES, { name: 'n1' })
  assert.equal((node?.spec as { unschedulable?: boolean } | undefined)?.unschedulable ?? false, false)
  assert.equal(node?.metadata.annotations?.['evenkeel.dev/record'], undefined)
  const admin = cluster.balancer.state.backends.flatMap(({ servers }) => servers.map((server) => server.admin))
  assert.deepEqual(new Set(admin), new Set(['ready']))
  cluster.end()
})

test('a roll whose disk is full to the end says what its journal lacks, and that it is not to be resumed', async () => {
  const { cluster, roll, first } = await begunRoll()
  await cluster.time.settle(
    first.log.first((event) => event.type === 'step.started' && event.step === 'proof'),
    600_000,
  )
  roll.journal.disk = diskOf(cluster, () => true)
  const end = await cluster.time.settle(first.ended, 600_000)
  assert.notEqual(end, 'died')
  const said = first.events.findLast((event) => event.type === 'roll.ended')
  assert.equal(said?.outcome, 'completed')
  assert.match(
    said?.unwritten ?? '',
    /^it lacks \d+ lines since \d\d:\d\d:\d\dZ: cannot write the journal: ENOSPC: .*; it does not say how the roll ended, nor that n1 is through: do not resume this run, which would begin it again$/,
  )
  cluster.end()
})

test('a roll whose disk was full for a while says that reports lack that time', async () => {
  const { cluster, roll, first } = await begunRoll()
  await cluster.time.settle(
    first.log.first((event) => event.type === 'step.started' && event.step === 'proof'),
    600_000,
  )
  const fullUntilMs = cluster.time.monoMs() + 1_000
  roll.journal.disk = diskOf(cluster, () => cluster.time.monoMs() < fullUntilMs)
  await cluster.time.settle(first.ended, 600_000)
  const said = first.events.findLast((event) => event.type === 'roll.ended')
  assert.match(
    said?.unwritten ?? '',
    /^it lacks \d+ lines? since .*; it has room again, and reports of this run are incomplete$/,
  )
  cluster.end()
})
