import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { InstanceReading } from '../../../../../src/service/model/balancer.ts'
import { never, opened, ref } from './opened.ts'
import { RECORDED, replyText, replyWith } from './recorded-reply.ts'
import { type Script, saying, scriptedPeer } from './scripted-peer.ts'

const LIMITS = { deadlineMs: 300, replyBytes: 200_000 }

async function balancerBefore(t: TestContext, script: Script) {
  return opened(t, { address: await scriptedPeer(t, script), backends: ['web'], limits: LIMITS })
}

async function readingOf(t: TestContext, script: Script): Promise<InstanceReading> {
  return (await balancerBefore(t, script)).read('lb-1', never)
}

const COMPLETE = replyText(RECORDED)

test('the recorded reply is read as it is meant', async (t) => {
  const reading = await readingOf(t, saying(COMPLETE))
  assert.deepEqual([reading.process, reading.version], ['4711@1795249160', '2.6.12'])
  assert.deepEqual(
    reading.servers.map((it) => [it.ref.server, it.adminState, it.check, it.checkText, it.currentSessions, it.weight]),
    [
      ['a', 'ready', 'passing', 'L7OK/200', 1, 1],
      ['b', 'drain', 'passing', 'L4OK', 2, 5],
    ],
  )
})

test('columns are found by name: another order and columns never heard of change nothing', async (t) => {
  const turned = (line: string, separator: string): string =>
    [...line.split(separator).reverse(), 'new'].join(separator)
  const [version = '', header = '', ...rows] = RECORDED.states
  const states = [version, `# ${turned(header.slice(2), ' ')}`, ...rows.map((row) => turned(row, ' '))]
  const known = await readingOf(t, saying(COMPLETE))
  const other = await readingOf(t, saying(replyText({ ...RECORDED, states })))
  assert.deepEqual(other.servers, known.servers)
})

test('no part of a reply is taken for the whole', async (t) => {
  let length = 0
  const balancer = await balancerBefore(t, (socket) => socket.end(COMPLETE.slice(0, length)))
  for (length = 0; length < COMPLETE.length; length += 1) {
    const code = length === 0 ? 'BALANCER_UNREACHABLE' : 'BALANCER_REPLY'
    await assert.rejects(balancer.read('lb-1', never), { code }, `after ${length} bytes`)
  }
})

const NONSENSE: Readonly<Record<string, string>> = {
  'a page of the web': 'HTTP/1.1 400 Bad Request\r\n\r\n<html></html>\n\n',
  'empty lines alone': '\n\n\n',
  'one answer too many': `${COMPLETE}\n`,
  'a process without an id': replyWith('Pid: 4711', 'Pid: none'),
  'a format of another day': replyWith('\n1\n#', '\n2\n#'),
  'a column that is gone': replyWith('srv_admin_state', 'srv_something_else'),
  'a statistic that is gone': replyWith(',scur,', ',other,'),
  'a row too short': replyWith(' 80 - 0 0 - - 0\n', '\n'),
  'a row too long': replyWith(',10.0.0.1:80,', ',10.0.0.1:80,,'),
  'a negative count': replyWith('web,b,0,0,2,9', 'web,b,0,0,-2,9'),
  'a count beyond counting': replyWith('web,b,0,0,2,9', 'web,b,0,0,2,99999999999999999'),
  'a count in hex': replyWith('web,b,0,0,2,9', 'web,b,0,0,0x2,9'),
  'an admin bit without a meaning': replyWith('10.0.0.2 2 8', '10.0.0.2 2 136'),
  'an operational state without a meaning': replyWith('10.0.0.2 2 8', '10.0.0.2 4 8'),
  'a name that is a command': replyWith('2 b 10', '2 b;quit 10'),
  'a server that is there twice': replyWith('3 web 2 b', '3 web 1 a'),
  'a server twice in both tables': replyWith('3 web 2 b', '3 web 1 a').replace('web,b,', 'web,a,'),
  'a server without a state': replyWith('2 b 10', '2 c 10'),
  'a row that is no server': replyWith(',0,,2,L7OK', ',0,,1,L7OK'),
  'quotes that do not close': replyWith('and more"', 'and more'),
  'text behind quotes': replyWith('and more"', 'and more"!'),
  'random bytes': Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 7919) % 256)).toString('latin1'),
}

for (const [what, reply] of Object.entries(NONSENSE)) {
  test(`${what} is no reading`, async (t) => {
    await assert.rejects(readingOf(t, saying(reply)), { name: 'WorldError', code: 'BALANCER_REPLY' })
  })
}

test('a denied question is a lack of rights, whatever else was answered', async (t) => {
  const denied = saying(replyText({ ...RECORDED, stats: ['Permission denied'] }))
  await assert.rejects(readingOf(t, denied), { code: 'BALANCER_PERMISSION', retry: 'never', message: /level admin/ })
})

test('a process that is about to end is asked again', async (t) => {
  const ending = saying(replyWith('Stopping: 0', 'Stopping: 1'))
  await assert.rejects(readingOf(t, ending), { code: 'BALANCER_UNREACHABLE', retry: 'backoff' })
})

test('a reload between two questions voids both', async (t) => {
  const other = replyWith('Pid: 4711', 'Pid: 4712')
  const script: Script = (socket, line) =>
    saying(line.startsWith('show info; show table') ? other : COMPLETE)(socket, line)
  await assert.rejects(readingOf(t, script), { code: 'BALANCER_REPLY', message: /reloaded while it was asked/ })
})

test('a peer that hangs, or drips, is given up at the deadline', async (t) => {
  const late = { code: 'BALANCER_TIMEOUT', retry: 'backoff', message: /within 300 ms/ }
  await assert.rejects(
    readingOf(t, () => undefined),
    late,
  )
  await assert.rejects(
    readingOf(t, (socket) => socket.write(COMPLETE)),
    late,
  )
  const dripping: Script = (socket) => {
    const drip = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(drip))
  }
  await assert.rejects(readingOf(t, dripping), late)
})

test('a hundred megabytes are not read to the end', async (t) => {
  let sent = 0
  const flood: Script = (socket) => {
    const chunk = Buffer.alloc(100_000, 'x')
    const pour = (): void => {
      while (sent < 100_000_000 && !socket.destroyed) {
        sent += chunk.length
        if (!socket.write(chunk)) return
      }
      socket.end()
    }
    socket.on('drain', pour)
    pour()
  }
  const endless = { code: 'BALANCER_REPLY', message: /longer than 200000 bytes/ }
  await assert.rejects(readingOf(t, flood), endless)
  assert.ok(sent < 10_000_000, `${sent} bytes were sent`)
})

test('the error of a reset connection depends on when it was reset', async (t) => {
  await assert.rejects(
    readingOf(t, (socket) => socket.destroy()),
    { code: 'BALANCER_UNREACHABLE' },
  )
})

test('a change that is answered by anything but silence was not made', async (t) => {
  const answers = {
    'ok\n\n': 'BALANCER_REPLY',
    'Permission denied\n\n': 'BALANCER_PERMISSION',
    '\n\n': 'BALANCER_REPLY',
  }
  for (const [answer, code] of Object.entries(answers)) {
    const balancer = await balancerBefore(t, (socket) => socket.end(answer))
    await assert.rejects(balancer.setState(ref('web/a'), 'ready', never), { code })
  }
})

test('foreign text reaches an error in one harmless line', async (t) => {
  const reply = 'Refused\u001b[2J\u001b]0;x\u0007\nsecond line\n\n'
  const balancer = await balancerBefore(t, (socket) => socket.end(reply))
  await assert.rejects(balancer.setState(ref('web/a'), 'ready', never), (error: Error) => {
    assert.match(error.message, /^[\x20-\x7e]+$/)
    return true
  })
})
