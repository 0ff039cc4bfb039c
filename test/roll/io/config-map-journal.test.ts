import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JournalEntry, OpenJournal } from '../../../src/roll/ports/journal.ts'
import type { Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import { ClusterJournals, type JournalProcess } from '../../support/cluster-journals.ts'
import { userError } from '../../support/plain.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const AT = '2026-01-01T00:00:00.000Z'
const BEGINNING = { at: AT, run: 'roll-1', cluster: 'cluster-1', tool: '0.1.0' }
const FAILED = { name: 'WorldError', code: 'JOURNAL_WRITE' }
const PASSES: Passage = { kind: 'passes' }

const entry = (n: number, padding = ''): JournalEntry => ({ at: AT, type: 'entry', n, padding })
const numbers = (entries: readonly JournalEntry[]): unknown[] => entries.map(({ n }) => n)

const isWrite = ({ method, path }: ApiRequest): boolean => method !== 'GET' && path.includes('/configmaps')
const answered = (code: number, message: string, isCarriedOut?: true): Passage => ({
  kind: 'answered',
  reply: { code, body: { kind: 'Status', status: 'Failure', code, message } },
  ...(isCarriedOut === undefined ? {} : { isCarriedOut }),
})

/** This becomes of the next writes of ConfigMaps, one each. */
function fate(process: JournalProcess, ...passages: readonly Passage[]): void {
  const next = [...passages]
  process.passage = (request) => (isWrite(request) ? next.shift() : undefined) ?? PASSES
}

interface Ground {
  readonly journals: ClusterJournals
  readonly process: JournalProcess
  readonly journal: OpenJournal
  readonly append: (...n: readonly number[]) => Promise<unknown>
  readonly kept: () => Promise<unknown[]>
}

async function begun(): Promise<Ground> {
  const journals = new ClusterJournals()
  const process = journals.process()
  const journal = await journals.done(process.store.create(BEGINNING))
  const reader = journals.process().store
  return {
    ...{ journals, process, journal },
    append: (...ns) => journals.done(Promise.all(ns.map((n) => journal.append(entry(n))))),
    kept: async () => numbers((await journals.done(reader.read('roll-1'))).entries),
  }
}

for (const [title, ...passages] of [
  ['is done and answered with 500', answered(500, 'etcdserver: request timed out', true)],
  ['is done and its answer is lost', { kind: 'unheard' }],
  ['is not done, and answered with 503', answered(503, 'no leader')],
  ['never reaches the server', { kind: 'silent' }],
  ['is refused twice by a server that restarts', { kind: 'refused' }, { kind: 'refused' }],
  ['has its answer cut off', { kind: 'cut' }],
  ['is throttled', answered(429, 'slow down')],
] as const) {
  test(`a write that ${title} is resolved: the entry is acknowledged, and is there once`, async () => {
    const { process, append, kept } = await begun()
    await append(1)
    fate(process, ...passages)
    await append(2)
    await append(3)
    assert.deepEqual(await kept(), [1, 2, 3])
  })
}

for (const [title, passage] of [
  ['by a quota', answered(403, 'exceeded quota: small')],
  ['since the right was taken away', answered(403, 'configmaps is forbidden')],
  ['as too large', answered(413, 'request entity too large')],
] as const) {
  test(`a write that is refused ${title} rejects the entry at once, and those that wait behind it; a later one is stored`, async () => {
    const { process, journal, journals, append, kept } = await begun()
    await append(1)
    fate(process, passage)
    const before = journals.api.time.monoMs()
    const second = journal.append(entry(2))
    const third = Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => journal.append(entry(3)))
    const taken = await journals.done(Promise.allSettled([second, third]))
    assert.deepEqual(
      taken.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.ok(journals.api.time.monoMs() - before < 100)
    assert.deepEqual(await kept(), [1])
    await append(4)
    assert.deepEqual(await kept(), [1, 4])
  })
}

test('an API server that is away rejects what is appended, the first within seconds, and takes the next once it is back', async () => {
  const { process, journals, append, kept } = await begun()
  await append(1)
  process.passage = () => ({ kind: 'refused' })
  const [time, from] = [journals.api.time, journals.api.time.monoMs()]
  await assert.rejects(append(2), FAILED)
  assert.ok(time.monoMs() - from <= 20_000)
  const again = time.monoMs()
  await assert.rejects(append(3), FAILED)
  assert.ok(time.monoMs() - again < 1_000, 'the second is tried once')
  process.passage = () => PASSES
  await append(4)
  assert.deepEqual(await kept(), [1, 4])
})

test('a rejected write that is carried out after all is gone once the next append has settled', async () => {
  const { process, journals, append, kept } = await begun()
  await append(1)
  const late: ApiRequest[] = []
  process.passage = (request) =>
    isWrite(request) && late.push(request) === 1 ? { kind: 'silent' } : { kind: 'refused' }
  await assert.rejects(append(2), FAILED)
  process.passage = () => PASSES
  assert.deepEqual(await kept(), [1])
  assert.deepEqual(journals.carryOut(late[0]), 200)
  assert.deepEqual(await kept(), [1, 2], 'whole')
  await append(3)
  assert.deepEqual(await kept(), [1, 3])
})

test('appends of one turn go together: a thousand entries cost a few requests', async () => {
  const { journals, append, kept } = await begun()
  const before = journals.api.requests.length
  const all = [...Array(1_000).keys()]
  await append(...all)
  const requests = journals.api.requests.length - before
  assert.ok(requests <= 3, `${requests} requests`)
  assert.deepEqual(await kept(), all)
})

test('a segment with 64 KiB of text is closed and compressed, and the next line begins another', async () => {
  const { journals, journal, kept } = await begun()
  for (let n = 0; n < 40; n += 1) await journals.done(journal.append(entry(n, 'x'.repeat(5_000))))
  const closed = (await journals.objects()).map(({ metadata, binaryData = {} }) => [
    metadata.name,
    Object.keys(binaryData).length,
  ])
  assert.deepEqual(closed, [
    ['evenkeel-run-roll-1-0', 1],
    ['evenkeel-run-roll-1-1', 1],
    ['evenkeel-run-roll-1-2', 1],
    ['evenkeel-run-roll-1-3', 0],
  ])
  assert.deepEqual(await kept(), [...Array(40).keys()])
})

test('a large entry stays whole; one beyond the limit of an object is refused, and those after it are taken', async () => {
  const { journals, journal, append, kept } = await begun()
  const noise = new SeededRandom(5)
  await append(1)
  await journals.done(journal.append(entry(2, noise.hex(900_000))))
  await assert.rejects(journals.done(journal.append(entry(3, noise.hex(1_100_000)))), {
    ...FAILED,
    message: /an entry of 22\d+ bytes is too large for a ConfigMap$/,
  })
  await append(4)
  await journals.done(journal.append(entry(5, noise.hex(900_000))))
  assert.deepEqual(await kept(), [1, 2, 4, 5])
})

test('none is acknowledged once its ConfigMap was deleted; what was edited by hand meanwhile is written over', async () => {
  const { journals, append, kept } = await begun()
  await append(1)
  await journals.put('roll-1', 'rubbish')
  await append(2)
  assert.deepEqual(await kept(), [1, 2])
  await journals.patch('evenkeel-run-roll-1-0', { metadata: { labels: { team: 'ops' } } })
  await append(3)
  assert.equal((await journals.objects())[0]?.metadata.labels.team, undefined)
  await journals.delete('evenkeel-run-roll-1-0')
  await assert.rejects(append(4), { ...FAILED, message: /its ConfigMap 0 was removed$/ })
})

test('a journal without one of its ConfigMaps cannot be trusted, and says how to go on', async () => {
  const { journals, process, journal } = await begun()
  for (let n = 0; n < 40; n += 1) await journals.done(journal.append(entry(n, 'x'.repeat(5_000))))
  await journals.done(journal.close())
  await journals.patch('evenkeel-run-roll-1-2', { binaryData: { 'journal.jsonl.gz': 'AAAA' } })
  const edited = userError(
    'journal.damaged',
    /^configmaps evenkeel\/evenkeel-run-roll-1-\* .*ConfigMap 2 has no lines/,
    /^restore its ConfigMaps; or remove them: /,
  )
  await assert.rejects(journals.done(process.store.read('roll-1')), edited)
  await journals.delete('evenkeel-run-roll-1-1')
  const missing = userError(
    'journal.damaged',
    /its ConfigMap 1 is missing$/,
    /kubectl -n evenkeel delete configmaps -l evenkeel.dev\/run=roll-1, then: evenkeel roll abort -f roll.yaml$/,
  )
  await assert.rejects(journals.done(process.store.read('roll-1')), missing)
  await assert.rejects(journals.done(process.store.open('roll-1', 'cluster-1')), missing)
  await journals.delete('evenkeel-run-roll-1-0')
  const [listed] = await journals.done(process.store.runs())
  assert.deepEqual([listed?.run, listed?.header], ['roll-1', undefined])
})

test('law: one process at a time works on a run; one that was killed keeps it until its Lease is stale, and then its last write counts for nothing', async () => {
  const { journals, process, journal, append, kept } = await begun()
  await append(1)
  const next = journals.process()
  // Its request is on the way when the process dies, and arrives after the other has the run.
  const late: ApiRequest[] = []
  process.passage = (request) => {
    if (isWrite(request)) late.push(request)
    return { kind: 'silent' }
  }
  journal.append(entry(2)).catch(() => undefined)
  const from = journals.api.time.monoMs()
  const taken = await journals.done(next.store.open('roll-1', 'cluster-1'))
  const waitedMs = journals.api.time.monoMs() - from
  assert.ok(waitedMs >= 119_000 && waitedMs < 140_000, `${waitedMs} ms`)
  assert.deepEqual(next.warnings, ['a process has the journal of run roll-1: whether it lives is known within 2 min'])
  assert.equal(journals.carryOut(late[0]), 422, 'it tests for a version that is no more')
  await journals.done(taken.append(entry(3)))
  assert.deepEqual(await kept(), [1, 3])
})

test('a late write of a process that was killed begins no segment after that which another has begun', async () => {
  const { journals, process, journal, kept } = await begun()
  await journals.done(journal.append(entry(1, 'x'.repeat(70_000))))
  const late: ApiRequest[] = []
  process.passage = (request) => {
    if (isWrite(request)) late.push(request)
    return { kind: 'silent' }
  }
  journal.append(entry(2)).catch(() => undefined)
  const next = journals.process()
  const taken = await journals.done(next.store.open('roll-1', 'cluster-1'))
  assert.deepEqual([late[0]?.method, journals.carryOut(late[0])], ['POST', 409])
  await journals.done(taken.append(entry(3)))
  assert.deepEqual(await kept(), [1, 3])
})

test('a write of a process that was killed counts where it is carried out before the other has the run', async () => {
  const { journals, process, journal, kept } = await begun()
  await journals.done(journal.append(entry(1, 'x'.repeat(70_000))))
  const late: ApiRequest[] = []
  process.passage = (request) => {
    if (isWrite(request)) late.push(request)
    return { kind: 'silent' }
  }
  journal.append(entry(2)).catch(() => undefined)
  const next = journals.process()
  next.passage = (request) => {
    // Between its look at the journal and its first write.
    if (isWrite(request) && late[0] !== undefined) journals.carryOut(late.pop())
    return PASSES
  }
  const taken = await journals.done(next.store.open('roll-1', 'cluster-1'))
  assert.deepEqual(numbers(taken.entries), [1, 2])
  await journals.done(taken.append(entry(3)))
  assert.deepEqual(await kept(), [1, 2, 3])
})

test('a process that lives is recognised by its renewal, long before its Lease could be stale', async () => {
  const { journals } = await begun()
  const next = journals.process()
  const from = journals.api.time.monoMs()
  await assert.rejects(journals.done(next.store.open('roll-1', 'cluster-1')), { code: 'journal.in-use' })
  assert.ok(journals.api.time.monoMs() - from <= 30_000)
})

test('a process that was cut off and comes back finds that another has the run: it appends nothing more, and is to stop', async () => {
  const { journals, process, journal, append, kept } = await begun()
  await append(1)
  process.passage = () => ({ kind: 'refused' })
  const next = journals.process()
  const taken = await journals.done(next.store.open('roll-1', 'cluster-1'))
  await assert.rejects(append(2), { ...FAILED, message: /the Lease of run roll-1 could not be renewed$/ })
  assert.equal(journal.lost?.aborted, false, 'an API server that is away is no loss')
  process.passage = () => PASSES
  await journals.api.time.advance(30_000)
  assert.equal(journal.lost?.aborted, true)
  assert.match(String(journal.lost?.reason), /another process has taken over run roll-1/)
  await assert.rejects(append(2), { ...FAILED, retry: 'never' })
  await journals.done(taken.append(entry(3)))
  await journals.done(journal.close())
  assert.equal(await journals.done(next.store.inUse('roll-1')), true, 'its close does not release what it has not')
  assert.deepEqual(await kept(), [1, 3])
})

test('a Lease that a person deletes lets another process in at once: the first one is refused by the journal itself', async () => {
  const { journals, process, journal, append, kept } = await begun()
  await append(1)
  await journals.deleteLease('roll-1')
  const next = journals.process()
  const taken = await journals.done(next.store.open('roll-1', 'cluster-1'))
  process.passage = ({ path }) => (path.includes('/leases/') ? { kind: 'silent' } : PASSES)
  await assert.rejects(append(2), { ...FAILED, retry: 'never', message: /another process has taken over run roll-1$/ })
  assert.equal(journal.lost?.aborted, true)
  await journals.done(taken.append(entry(3)))
  assert.deepEqual(await kept(), [1, 3])
})

test('an outage of an hour is no loss: the same process goes on with its journal', async () => {
  const { journals, process, journal, append, kept } = await begun()
  await append(1)
  process.passage = () => ({ kind: 'refused' })
  await journals.api.time.advance(3_600_000)
  await assert.rejects(append(2), FAILED)
  process.passage = () => PASSES
  await journals.api.time.advance(10_000)
  await append(3)
  assert.equal(journal.lost?.aborted, false)
  assert.deepEqual(await kept(), [1, 3])
})

test('a renewal of the Lease that is refused while the rights are replaced is no loss: the lock is good for minutes, and the next one passes', async () => {
  const { journals, process, journal, append, kept } = await begun()
  let refused = 0
  process.passage = ({ method, path }) => {
    if (method !== 'PATCH' || !path.includes('/leases/') || refused > 0) return PASSES
    refused += 1
    return answered(403, 'leases is forbidden')
  }
  await journals.api.time.advance(600_000)
  await append(1)
  assert.deepEqual([refused, journal.lost?.aborted, await kept()], [1, false, [1]])
})

test('a Lease that may not be renewed any more ends the work before another process can have the run', async () => {
  const { journals, process, journal } = await begun()
  process.passage = ({ method, path }) =>
    method === 'PATCH' && path.includes('/leases/') ? answered(403, 'leases is forbidden') : PASSES
  await journals.api.time.advance(110_000)
  assert.match(String(journal.lost?.reason), /the Lease of run roll-1 cannot be renewed: .*leases is forbidden/)
})

for (const [title, isFaulty] of [
  ['ConfigMaps', ({ method, path }: ApiRequest) => method === 'POST' && path.endsWith('/configmaps')],
  ['Leases', ({ path }: ApiRequest) => path.includes('/leases')],
] as const) {
  test(`a roll whose identity may not write ${title} does not begin, and is told which rights it lacks`, async () => {
    const journals = new ClusterJournals()
    const process = journals.process()
    process.passage = (request) => (isFaulty(request) ? answered(403, 'is forbidden') : PASSES)
    const refused = userError(
      'journal.state-dir',
      /^cannot use configmaps:evenkeel for the journal: /,
      /roll-journal-rbac/,
    )
    await assert.rejects(journals.done(process.store.create(BEGINNING)), refused)
  })
}

/** Random appends by one process after another, each killed at some write, whose write may be done or not. */
async function drawnLife(seed: number): Promise<void> {
  const random = new SeededRandom(seed)
  const journals = new ClusterJournals()
  const acknowledged: number[] = []
  let n = 0
  let writes = 0
  let process = journals.process()
  let journal = await journals.done(process.store.create(BEGINNING))
  for (let life = 0; life < 4; life += 1) {
    const killedAt = writes + 1 + Math.floor(random.next() * 12)
    const last: Passage = random.next() < 0.5 ? { kind: 'unheard' } : { kind: 'silent' }
    let isDead = false
    const mine = process
    let onTheWay: ApiRequest | undefined
    mine.passage = (request) => {
      if (isDead) return { kind: 'silent' }
      if (!isWrite(request)) return PASSES
      writes += 1
      isDead = writes >= killedAt
      if (isDead && last.kind === 'silent') onTheWay = request
      if (isDead) return last
      return random.next() < 0.2 ? answered(500, 'etcd', random.next() < 0.5 ? true : undefined) : PASSES
    }
    const appends: Promise<void>[] = []
    for (let turn = 0; !isDead; turn += 1) {
      assert.ok(turn < 200, `seed ${seed}: its appends reach the server`)
      const many = 1 + Math.floor(random.next() * 6)
      for (let i = 0; i < many; i += 1) {
        const mineN = n++
        const padding = 'x'.repeat(Math.floor(random.next() ** 4 * 60_000))
        const note = (): void => void (isDead || acknowledged.push(mineN))
        appends.push(journal.append(entry(mineN, padding)).then(note, () => undefined))
      }
      await journals.api.time.advance(1_000)
    }
    process = journals.process()
    journal = await journals.done(process.store.open('roll-1', 'cluster-1'))
    const kept = numbers(journal.entries) as number[]
    const of = new Set(acknowledged)
    assert.deepEqual(
      kept.filter((one) => of.has(one)),
      acknowledged,
      `seed ${seed}: each acknowledged entry, once`,
    )
    assert.deepEqual(
      kept,
      [...new Set(kept)].toSorted((left, right) => left - right),
      `seed ${seed}: in order`,
    )
    acknowledged.splice(0, acknowledged.length, ...kept)
    if (onTheWay !== undefined) assert.ok(journals.carryOut(onTheWay) >= 400, `seed ${seed}: it comes too late`)
  }
}

test('law: an acknowledged entry of the journal survives kill -9; in 40 drawn runs with a kill at any write each is there, in order and once', async () => {
  for (let seed = 1; seed <= 40; seed += 1) await drawnLife(seed)
})
