import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { AgentBed } from '../support/agent-bed/agent-bed.ts'
import { articleProgram } from '../support/agent-bed/article-program.ts'
import { agentProcess } from '../support/agent-install/agent-process.ts'
import { runsOfOthers } from '../support/agent-install/checks.ts'
import { requires } from '../support/requires.ts'
import { askSocket } from '../support/roll-bed/ask-socket.ts'

const OUTAGE_MS = 120_000

let opened: AgentBed | undefined
const place = (): AgentBed => {
  assert.ok(opened)
  return opened
}
const real = requires('testbed', 'haproxy')

before(async () => {
  if (real.skip !== false) return
  opened = await AgentBed.open()
  await opened.serve('hostNetwork', 'hostNetwork')
  await opened.bed.apply(articleProgram())
  await opened.bed.kubectl(['rollout', 'status', 'daemonset/nodecheck', '--timeout=120s'])
})
after(async () => opened?.close())

test('two minutes without an API server change no answer and fail no request; a program that asks it loses every node', {
  ...real,
  timeout: 400_000,
}, async (t) => {
  const { bed, place: install } = place()
  const lb = await place().haproxy({ dialects: ['plain', 'article'] })
  const checks = install.check()
  // What runs on a node that is rebooted now would be missed until the API server is back.
  await bed.kubectl(['drain', 'n3', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=60s'], {
    limitMs: 70_000,
  })
  await bed.kubectl(['rollout', 'status', 'deployment/whoami', '--timeout=60s'])
  await checks.say({ n1: '200 OK', n2: '200 OK', n3: '503 Down' })
  const up = async (back: string): Promise<readonly string[]> =>
    (await askSocket(lb.socket, 'show stat -1 4 -1'))
      .split('\n')
      .filter((row) => row.startsWith(`${back},n`) && /,UP,/.test(row))
      .map((row) => row.split(',')[1] ?? '')
  await waitFor({ what: 'n3 to have left', limitMs: 30_000 }, async () =>
    (await up('back-0')).join() === 'n1,n2' ? true : undefined,
  )
  const judge = place().judge(0, 200)
  const from = checks.count
  const away = Date.now()
  await bed.api.stop()
  await waitFor({ what: 'the article’s program to lose every node', limitMs: 30_000 }, async () =>
    (await up('back-1')).length === 0 ? true : undefined,
  )
  t.diagnostic(`the program that asks had lost every node after ${Date.now() - away} ms`)

  const before = await agentProcess(install, 'n1')
  await bed.exec('n1', ['kill', '-9', String(before.pid)])
  const again = await waitFor({ what: 'another agent on n1', limitMs: 60_000 }, async () => {
    const now = await agentProcess(install, 'n1').catch(() => undefined)
    return now === undefined || now.pid === before.pid ? undefined : now
  })
  assert.notEqual(again.pid, before.pid)
  await checks.say({ n1: '200 OK', n2: '200 OK' })
  await bed.reboot('n3')
  const left = OUTAGE_MS - (Date.now() - away)
  await waitFor({ what: 'two minutes to be over', limitMs: left + 10_000, everyMs: 500 }, () =>
    Date.now() - away >= OUTAGE_MS ? true : undefined,
  )
  assert.deepEqual(await up('back-0'), ['n1', 'n2'])
  assert.deepEqual(await up('back-1'), [])
  await bed.api.start()
  const { failedRequests, sentRequests } = await judge.verdict()
  t.diagnostic(`${failedRequests} of ${sentRequests} requests failed`)
  assert.equal(failedRequests, 0)
  assert.ok(sentRequests > 15_000)
  assert.deepEqual(runsOfOthers(checks.of('n2', from), '200 OK'), [])
  // Between the end of the killed agent and the next one nobody listens on n1: no answer is no other answer.
  const others = runsOfOthers(checks.of('n1', from), '200 OK').flat()
  assert.deepEqual(
    others.filter(({ outcome }) => !/^ECONN(REFUSED|RESET)$/.test(outcome)),
    [],
  )
  const ofN3 = checks.of('n3', from)
  assert.equal(
    ofN3.some(({ outcome }) => outcome === '200 OK'),
    false,
  )
  await waitFor({ what: 'n3 to be Ready again', limitMs: 120_000 }, async () => {
    const conditions = JSON.parse(await bed.kubectl(['get', 'node', 'n3', '-o', 'json'])).status.conditions
    return conditions.some(({ type, status }: Condition) => type === 'Ready' && status === 'True') ? true : undefined
  })
  await checks.say({ n3: '503 Down' }, 120_000)
  await bed.kubectl(['uncordon', 'n3'])
  await checks.say({ n1: '200 OK', n2: '200 OK', n3: '200 OK' })
})

interface Condition {
  readonly type: string
  readonly status: string
}
