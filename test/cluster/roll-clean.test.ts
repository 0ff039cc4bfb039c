import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { cleanRoll } from '../scenarios/clean.ts'
import { sampleOf, unlikeLines } from '../support/page-sample.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests, unusedRules } from '../support/roll-bed/audit.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

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

test('a whole cluster is rebooted under traffic without one failed request', {
  ...real,
  timeout: 600_000,
}, async (t) => {
  const judged = await unlessVoid(t, () => cleanRoll(new RealGround(bed)))
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

test('the identity that is shipped was refused nothing and used every right it has', real, () => {
  const lines = readFileSync(bed().bed.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const user = 'system:serviceaccount:evenkeel:evenkeel-roll'
  assert.deepEqual(refusedRequests(lines, user), [])
  assert.deepEqual(unusedRules(lines, user), [])
})

test('kubectl describe shows on each node what the roll did to it', real, async () => {
  for (const node of bed().bed.nodes) {
    const described = await bed().bed.kubectl(['describe', 'node', node])
    const shown = [...described.matchAll(/(EvenKeel[A-Za-z]+) .* evenkeel-roll /g)].map(([, code]) => code)
    const expected = ['Cordon', 'Detach', 'Drain', 'Reboot', 'Uncordon', 'Attach', 'InService'].map(
      (word) => `EvenKeel${word}`,
    )
    assert.deepEqual(
      expected.filter((code) => !shown.includes(code)),
      [],
      described,
    )
  }
})

// What is warned of, the time that is estimated, and the file's own path differ from run to run.
const VARIES = /^$|^ {2}\d|^ {7}|^Load|^Checks|^Time|Run it/

test('a plan has the form that the README shows', real, async () => {
  const { stdout } = await bed().evenkeel('roll', '-f', bed().file(), '--dry-run')
  const sample = sampleOf('README.md', 'Nothing was changed').replace('Plan for dev ', 'Plan for bed ')
  assert.deepEqual(unlikeLines(sample, stdout, VARIES), [], stdout)
})

test('the journal tells the roll again', real, async () => {
  const report = bed().roll('report')
  const { code } = await report.ended()
  const last = report.events.at(-1)
  assert.equal(code, 0)
  assert.ok(last?.type === 'roll.ended')
  assert.deepEqual([last.outcome, last.load?.failed], ['completed', 0])
})
