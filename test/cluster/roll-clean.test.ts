import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { STEPS } from '../../src/model/step.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests, unusedRules } from '../support/roll-bed/audit.ts'
import type { Judgement } from '../support/roll-bed/judge.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { evictedPods, unwritten } from '../support/roll-bed/unwritten.ts'

const real = requires('testbed')

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open()
})
after(async () => opened?.close())

const podsOf = async (apps: readonly string[]): Promise<readonly string[]> => {
  const names = ['get', 'pods', '-l', `app in (${apps.join(',')})`, '-o', 'jsonpath={.items[*].metadata.name}']
  const pods = (await bed().bed.kubectl(names)).trim().split(' ')
  assert.ok(pods.length >= 10, `${pods.length} pods`)
  return pods.map((pod) => `default/${pod}`)
}

test('a whole cluster is rebooted under traffic without one failed request', {
  ...real,
  timeout: 600_000,
}, async (t) => {
  const judged = await unlessVoid(t, wholeRoll)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

async function wholeRoll(): Promise<Judgement> {
  const before = await bed().bootIds()
  const pods = await podsOf(['whoami', 'db', 'edge'])
  const judge = bed().judge()
  const roll = bed().roll('-f', bed().file(), '--yes')
  const end = await roll.ended()
  const judged = await judge.verdict()
  assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  const after = await bed().bootIds()
  assert.deepEqual(
    Object.keys(before).filter((node) => before[node] === after[node]),
    [],
    'nodes that were not rebooted',
  )
  assert.deepEqual(await bed().leftovers(), [])
  assert.deepEqual(
    roll.events.filter((event) => event.type === 'stray'),
    [],
  )
  for (const node of bed().bed.nodes) {
    const steps = roll.events.flatMap((event) =>
      event.type === 'step.started' && event.node === node ? [event.step] : [],
    )
    assert.deepEqual(
      STEPS.filter((step) => !steps.includes(step)),
      [],
      `steps ${node} did not take`,
    )
    for (const backend of ['web', 'edge']) {
      assert.deepEqual(unwritten(roll.events, node, backend), [], `what was not written for ${node} and ${backend}`)
    }
  }
  const moved = evictedPods(roll.events)
  assert.deepEqual(
    pods.filter((pod) => !moved.includes(pod)),
    [],
    'pods that were there before and were evicted from no node',
  )
  assert.deepEqual(
    roll.events.map((event) => event.seq).filter((seq, i) => seq !== i),
    [],
    'events are numbered without gaps',
  )
  return judged
}

test('the identity that is shipped was refused nothing and used every right it has', real, () => {
  const lines = readFileSync(bed().bed.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const user = 'system:serviceaccount:evenkeel:evenkeel-roll'
  assert.deepEqual(refusedRequests(lines, user), [])
  assert.deepEqual(unusedRules(lines, user), [])
})

test('the journal tells the roll again', real, async () => {
  const report = bed().roll('report')
  const { code } = await report.ended()
  const last = report.events.at(-1)
  assert.equal(code, 0)
  assert.ok(last?.type === 'roll.ended')
  assert.deepEqual([last.outcome, last.load?.failed], ['completed', 0])
})
