import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MarkedLines } from '../../../src/ground/machine/marked-lines.ts'
import type { ProcessEnd } from '../../../src/ground/machine/run-process.ts'
import { rebootAnswer } from '../../../src/roll/io/reboot-answer.ts'

const BOOT = '22222222-2222-4222-8222-222222222222'

function answerTo(printed: readonly string[], end: Partial<ProcessEnd> = {}) {
  const lines = new MarkedLines('evenkeel')
  for (const line of printed) lines.take(Buffer.from(`evenkeel ${line}\n`))
  return rebootAnswer('n1', lines, { cause: 'exited', exitCode: 0, errorTail: '', ...end } as ProcessEnd)
}

test('a command that died with the machine counts as sent; one that failed by itself is not known', () => {
  for (const code of ['128', '137', '143', '0']) {
    assert.deepEqual(answerTo(['sent', `ended ${code}`]), { kind: 'sent' }, code)
  }
  assert.deepEqual(answerTo(['sent']), { kind: 'sent' })
  assert.equal(answerTo(['sent', 'ended 127'], { errorTail: 'shutdown: not found' }).kind, 'unknown')
})

test('a machine that says that it has another boot id is believed with one alone', () => {
  assert.deepEqual(answerTo([`boot ${BOOT}`, 'other']), { kind: 'otherBoot', bootId: BOOT })
  for (const printed of [['other'], ['boot nonsense', 'other']]) {
    assert.deepEqual(answerTo(printed), { kind: 'refused', text: 'n1 reported no boot id' })
  }
})
