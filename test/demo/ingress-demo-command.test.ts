import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { addDemoCommand } from '../../src/demo/demo-command.ts'
import type { IngressDemoActions, RolloutKind } from '../../src/demo/ingress/ingress-demo-actions.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { twoRequests } from './two-requests.ts'

interface Luck {
  /** Whose traffic loses a request. */
  readonly lossy?: readonly RolloutKind[]
  /** Which rollout does not finish. */
  readonly stuck?: RolloutKind
}

function demo(words: readonly string[], { lossy = ['DaemonSet'], stuck }: Luck = {}) {
  const { context } = memoryContext()
  const up: RolloutKind[] = []
  const actions: IngressDemoActions = {
    program: 'evenkeel',
    probeSource: ([target]) => twoRequests(target?.url ?? ''),
    open: async ({ kind }) => {
      up.push(kind)
      return {
        nodes: ['n1', 'n2'],
        url: `http://127.0.0.1:1/${kind}${lossy.includes(kind) ? '-lossy' : ''}`,
        balancer: 'HAProxy 9.9.9',
        kubeconfig: '/kept/kubeconfig',
        rollOut: async (tell) => {
          if (kind === stuck) return { failure: 'waited 180 s' }
          for (const node of ['n2', 'n1']) for (const step of ['detaching', 'done']) tell(node, step)
          return {}
        },
        end: async () => void up.splice(up.indexOf(kind), 1),
      }
    },
  }
  const unasked = () => Promise.reject(new Error('it was not asked for'))
  const demos = {
    plans: unasked,
    dns: unasked,
    ingress: () => Promise.resolve(actions),
    guard: unasked,
    operator: unasked,
  }
  const command = addDemoCommand(demos)
  const here = { ...context, clock: systemClock }
  const running = runProgram({ version: '0', context: here, commands: [command] }, ['demo', '--ingress', ...words])
  return { running, up, context }
}

test('both rollouts are compared, the DaemonSet first, and their clusters are gone', async () => {
  const { running, up, context } = demo([])
  assert.equal(await running, 0)
  const [head = '', daemonSet = '', ingress = ''] = context.out.text.split('\n')
  assert.match(head, /^rollout of +time +per node +sent +failed +share +longest outage$/)
  assert.match(daemonSet, /^DaemonSet +0:00 +0\.0 to 0\.0 s +4 +1 +25 % +0 ms or more$/)
  assert.match(ingress, /^IngressDaemonSet +0:00 +0\.0 to 0\.0 s +4 +0 +<75 % +none seen$/)
  assert.match(context.out.text, /\nThe DaemonSet lost 1 request of 4\.\n {2}It replaces /)
  assert.match(context.out.text, /\nThe IngressDaemonSet lost no requests of 4\.\n {2}It takes /)
  assert.match(context.err.text, /Z IngressDaemonSet {2}n2 +done {2}0:00, 0 failed of 0\n/)
  assert.deepEqual(up, [])
})

test('as JSON, each rollout is an object with its nodes in the order in which they were done', async () => {
  const { running, context } = demo(['-o', 'json', '--progress', 'none'])
  assert.equal(await running, 0)
  const { version, sound, rollouts } = JSON.parse(context.out.text)
  assert.deepEqual([version, sound], ['1', true])
  const [daemonSet, ingress] = rollouts
  assert.deepEqual(
    [daemonSet.kind, daemonSet.failedRequests, daemonSet.sentRequests, daemonSet.windows.length],
    ['DaemonSet', 1, 4, 1],
  )
  assert.equal(daemonSet.longestOutageMs.low, 0)
  assert.deepEqual(
    [ingress.kind, ingress.failedRequests, ingress.windows, ingress.nodes],
    ['IngressDaemonSet', 0, [], ['n2', 'n1'].map((name) => ({ name, seconds: 0 }))],
  )
  assert.equal(context.err.text, '')
})

test('a request that the IngressDaemonSet loses is a failure; what a DaemonSet loses is none', async () => {
  const lost = demo(['-o', 'json', '-q'], { lossy: ['IngressDaemonSet'] })
  const none = demo(['-q'], { lossy: [] })
  assert.deepEqual([await lost.running, await none.running], [1, 0])
  assert.equal(JSON.parse(lost.context.out.text).sound, false)
  assert.match(none.context.out.text, /\nThe DaemonSet lost no requests of 4\.\nThe /)
})

test('a rollout that does not finish is a failure, and says why', async () => {
  const { running, up, context } = demo([], { stuck: 'IngressDaemonSet' })
  assert.equal(await running, 1)
  assert.match(context.out.text, /\nThe rollout of the IngressDaemonSet did not finish: waited 180 s\n/)
  assert.match(context.out.text, /\nIngressDaemonSet +0:00 +- /)
  assert.deepEqual(up, [])
})

test('--keep leaves the cluster of the IngressDaemonSet up until Ctrl-C, with commands to roll it out again', async () => {
  const { running, up, context } = demo(['--keep'])
  const said = Promise.withResolvers<void>()
  const write = context.out.write.bind(context.out)
  context.out.write = (text) => {
    write(text)
    if (text.includes('stays up')) said.resolve()
  }
  await said.promise
  assert.deepEqual(up, ['IngressDaemonSet'])
  assert.match(context.out.text, /kubectl --kubeconfig \/kept\/kubeconfig patch ingressdaemonset web --type=merge \\\n/)
  context.interrupts.press()
  assert.equal(await running, 0)
  assert.deepEqual(up, [])
})

test('Ctrl-C ends it with 130, and no cluster is left', async () => {
  const { running, up, context } = demo([])
  context.interrupts.press()
  assert.equal(await running, 130)
  assert.deepEqual(up, [])
})
