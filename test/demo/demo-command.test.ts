import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import type { DemoActions, DemoClusterOptions } from '../../src/demo/demo-actions.ts'
import { addDemoCommand } from '../../src/demo/demo-command.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { failedRun } from '../support/report-runs/report-runs.ts'
import { twoRequests } from './two-requests.ts'

const TAKEN = 18_081

/** Grounds on which nothing happens; `lossy` says whose traffic loses a request. */
function quietActions(lossy: readonly string[]): { readonly actions: DemoActions; readonly up: DemoClusterOptions[] } {
  const up: DemoClusterOptions[] = []
  const actions: DemoActions = {
    program: 'evenkeel',
    probeSource: ([target]) => twoRequests(target?.url ?? ''),
    checkPort: async (port) => {
      if (port === TAKEN) throw new UserError(`port ${port} is taken`, { code: 'demo.port' })
    },
    open: async (options) => {
      up.push(options)
      const { plan } = options
      return {
        nodes: ['cp-1', 'w-1'],
        url: `http://127.0.0.1:1/${plan}${lossy.includes(plan) ? '-lossy' : ''}`,
        balancer: 'HAProxy 9.9.9',
        kubeconfig: '/kept/kubeconfig',
        balancerSocket: '/kept/lb.sock',
        rollFile: '/kept/roll.yaml',
        stateDir: '/kept/state',
        run: async (tell) => {
          for (const node of ['cp-1', 'w-1']) for (const step of ['drain', 'reboot', 'done']) tell(node, step)
          return {}
        },
        history: async () =>
          plan === 'evenkeel'
            ? { run: 'r', events: [...failedRun()], running: false, journal: '/kept/state/r', tool: '0.1.0' }
            : undefined,
        end: async () => void up.splice(up.indexOf(options), 1),
      }
    },
  }
  return { actions, up }
}

async function demo(words: readonly string[], lossy: readonly string[] = ['naive']) {
  const { context, opened } = memoryContext()
  const { actions, up } = quietActions(lossy)
  const command = addDemoCommand({
    plans: () => Promise.resolve(actions),
    dns: () => Promise.reject(new Error('DNS was not asked for')),
    ingress: () => Promise.reject(new Error('a rollout was not asked for')),
    guard: () => Promise.reject(new Error('a guard was not asked for')),
    operator: () => Promise.reject(new Error('a Roll was not asked for')),
  })
  const here = { ...context, clock: systemClock }
  const running = runProgram({ version: '0', context: here, commands: [command] }, ['demo', ...words])
  return { running, up, context, opened }
}

test('the first plan and ours are compared, and their clusters are gone', async () => {
  const { running, up, context } = await demo([])
  assert.equal(await running, 0)
  const [head = '', naive = '', evenkeel = ''] = context.out.text.split('\n')
  assert.match(head, /^plan +time +sent +failed +share +downtime +at 1\/s$/)
  assert.match(naive, /^naive +0:00 +4 +1 +25 % +0\.00 to \d\.\d+ s/)
  assert.match(evenkeel, /^evenkeel +0:00 +4 +0 +<75 % +none seen +0$/)
  assert.match(context.out.text, /On your cluster:/)
  assert.match(context.err.text, /evenkeel +w-1 +done/)
  assert.deepEqual(up, [])
})

test('as JSON, each plan that was asked for is an object, in the article’s order', async () => {
  const { running, context } = await demo(['--plan', 'staged', '--plan', 'service', '-o', 'json', '--progress', 'none'])
  assert.equal(await running, 0)
  const { plans } = JSON.parse(context.out.text) as { plans: readonly Record<string, unknown>[] }
  assert.deepEqual(
    plans.map(({ name, failedRequests, sentRequests, failedAt1Hz, windows }) => [
      name,
      failedRequests,
      sentRequests,
      failedAt1Hz,
      windows,
    ]),
    [
      ['service', 0, 4, 0, []],
      ['staged', 0, 4, 0, []],
    ],
  )
  assert.deepEqual(Object.keys(plans[0]?.downtimeMs ?? {}), ['low', 'high'])
  assert.equal(context.err.text, '')
})

test('a request that ours loses is a failure; what a script loses is none', async () => {
  const lost = await demo(['--plan', 'evenkeel', '-q'], ['evenkeel'])
  const scripted = await demo(['--plan', 'naive', '-q'])
  assert.deepEqual([await lost.running, await scripted.running], [1, 0])
})

test('a request that was sent twice is named by its number, and is not lost', async () => {
  const { running, context } = await demo(['--plan', 'evenkeel'], ['evenkeel'])
  assert.equal(await running, 1)
  assert.match(context.out.text, /1 failed of 4 requests, 1 retried\./)
  const json = await demo(['--plan', 'naive', '--plan', 'staged', '-o', 'json', '--progress', 'none'])
  assert.equal(await json.running, 0)
  const { plans } = JSON.parse(json.context.out.text) as { plans: readonly Record<string, unknown>[] }
  assert.deepEqual(
    plans.map(({ retriedRequests }) => retriedRequests),
    [1, undefined],
  )
})

test('--html is the page of our roll, with the figures of the terminal in it', async () => {
  const { running, context, opened } = await demo(['--html', 'report.html', '--progress', 'plain'])
  assert.equal(await running, 0)
  assert.match(opened.get('report.html')?.text ?? '', /^<!doctype html>\n.*evenkeel 0\.1\.0.*<\/html>\n$/s)
  assert.match(context.err.text, /^wrote report\.html$/m)
})

test('a port that is taken ends it before any plan begins, though only the last plan would listen there', async () => {
  const { running, context } = await demo(['--compare', '--port', String(TAKEN)])
  assert.equal(await running, 2)
  assert.equal(context.err.text, `error: port ${TAKEN} is taken (demo.port)\n`)
})

test('a cluster that is kept stays up until Ctrl-C, and says how to reach it', async () => {
  const { running, up, context } = await demo(['--keep', '--port', '18080'])
  const said = Promise.withResolvers<void>()
  const write = context.out.write.bind(context.out)
  context.out.write = (text) => {
    write(text)
    if (text.includes('stays up')) said.resolve()
  }
  await said.promise
  assert.deepEqual(up, [{ plan: 'evenkeel', balancer: 'auto', port: 18_080 }])
  assert.match(context.out.text, /kubectl --kubeconfig \/kept\/kubeconfig get nodes/)
  assert.match(context.out.text, /balancer's socket +\/kept\/lb\.sock/)
  context.interrupts.press()
  assert.equal(await running, 0)
  assert.deepEqual(up, [])
})

test('Ctrl-C ends it with 130, and no cluster is left', async () => {
  const { running, up, context } = await demo([])
  context.interrupts.press()
  assert.equal(await running, 130)
  assert.deepEqual(up, [])
})

for (const [words, says] of [
  [['--plan', 'best'], /option '--plan <name>' argument 'best' is invalid\. There are naive, balancer/],
  [['--compare', '--plan', 'naive'], /--compare runs all plans \(usage\.plan\)/],
  [['--port', '0'], /Write a port from 1 to 65535/],
  [['--port', '99999'], /Write a port from 1 to 65535/],
  [['--balancer', 'nginx'], /Allowed choices are auto, embedded/],
  [['--dns', '--compare'], /option '--dns' cannot be used with option '--compare'/],
  [['--dns', '--balancer', 'embedded'], /option '--dns' cannot be used with option '--balancer <kind>'/],
  [['--ingress', '--dns'], /option '--ingress' cannot be used with option '--dns'/],
  [['--ingress', '--port', '18080'], /option '--ingress' cannot be used with option '--port <n>'/],
  [['--plan', 'naive', '--html', 'r.html'], /--html is the report of plan evenkeel, which is not among the plans/],
  [['--rate', '5'], /unknown option '--rate'/],
] as const) {
  test(`wrong usage is said and touches nothing: demo ${words.join(' ')}`, async () => {
    const { running, up, context } = await demo(words)
    assert.equal(await running, 2)
    assert.match(context.err.text, says)
    assert.deepEqual(up, [])
  })
}
