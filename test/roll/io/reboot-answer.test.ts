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

test('what inhibits a reboot is told, before the advice of systemctl', () => {
  const errorTail = `Operation inhibited by "apt" (PID 900 "apt-get", user root), reason is "packages are being installed".
Please retry operation after closing inhibitors and logging out other users.
'systemd-inhibit' can be used to list active inhibitors.
Alternatively, ignore inhibitors and users with 'systemctl reboot -i'.
`
  const answer = answerTo(['sent', 'ended 1'], { errorTail })
  assert.match(answer.kind === 'unknown' ? answer.text : '', /exit code 1: Operation inhibited by "apt" \(PID 900/)
})

test('a machine that says that it has another boot id is believed with one alone', () => {
  assert.deepEqual(answerTo([`boot ${BOOT}`, 'other']), { kind: 'otherBoot', bootId: BOOT })
  for (const printed of [['other'], ['boot nonsense', 'other']]) {
    assert.deepEqual(answerTo(printed), { kind: 'refused', text: 'n1 reported no boot id' })
  }
})

test('a command for which no connection came about was not sent; a connection that broke may have carried it', () => {
  const without = (errorTail: string) => answerTo([], { exitCode: 255, errorTail }).kind
  const REFUSED = 'ssh: connect to host 10.0.0.11 port 22: Connection refused\n'
  for (const errorTail of [
    REFUSED,
    `Warning: Permanently added\r\n${REFUSED}`,
    'ssh: connect to host n1 port 22: No route to host\r\n',
    'ssh: Could not resolve hostname n1: Name or service not known',
  ])
    assert.equal(without(errorTail), 'unsent', errorTail)
  for (const errorTail of [
    'Connection to 10.0.0.11 closed by remote host.',
    `${REFUSED}client_loop: send disconnect: Broken pipe`,
    'kex_exchange_identification: Connection closed by remote host',
    '',
  ])
    assert.equal(without(errorTail), 'unknown', errorTail)
  assert.equal(answerTo(['sent'], { exitCode: 255, errorTail: REFUSED }).kind, 'sent')
})
