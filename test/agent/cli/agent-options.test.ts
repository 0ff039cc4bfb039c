import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentOptions } from '../../../src/agent/cli/agent-options.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'

/** What is said of options beside `--node n1`. */
function wrong(...args: readonly string[]): readonly string[] {
  try {
    agentOptions(['--node', 'n1', ...args], {})
    return []
  } catch (error) {
    assert.ok(error instanceof UserError)
    return error.details.length > 0 ? error.details : [error.message]
  }
}

test('the node may come from the environment, and everything else has a default', () => {
  const { node, port, statusPort, dialect, checkers } = agentOptions([], { NODE_NAME: 'n1' }) ?? {}
  assert.deepEqual([node, port, statusPort, dialect, checkers], ['n1', 8080, 8081, 'plain', {}])
})

test('checkers are named by their addresses, however these are written', () => {
  const options = agentOptions(['--node', 'n1', '--checker', '::ffff:10.0.0.5=3', '--checker', '10.0.0.6=1'], {})
  assert.deepEqual(options?.checkers, { '10.0.0.5': 3, '10.0.0.6': 1 })
})

test('the brake is looked for in the given namespace', () => {
  assert.equal(agentOptions(['--node', 'n1', '--grants-namespace', 'evenkeel'], {})?.grantsNamespace, 'evenkeel')
  assert.equal(agentOptions(['--node', 'n1'], {})?.grantsNamespace, undefined)
})

const WRONG: readonly (readonly [args: readonly string[], said: string])[] = [
  [['--node', 'N_1'], '--node: "N_1" names no node'],
  [['--data-port', '65536'], '--data-port: "65536" is no port: write 1 to 65535'],
  [['--data-port', '10.0.0.1'], '--data-port: "10.0.0.1" is no port: write 1 to 65535'],
  [['--data-port', '0'], '--data-port: nothing can be asked at port 0'],
  [['--data-every', '0'], '--data-every: write 100ms or more'],
  [['--checker-interval', '50ms'], '--checker-interval: write 100ms or more'],
  [['--checker', '10.0.0.5'], '--checker: "10.0.0.5" is not ADDRESS=N'],
  [['--grants-namespace', ''], '--grants-namespace: "" names no namespace'],
  [['--grants-namespace', 'Even.Keel'], '--grants-namespace: "Even.Keel" names no namespace'],
  [['--fall', '0'], '--fall: "0" is no count: write 1 to 999'],
  [['--up-delay', '5'], '--up-delay: "5" has no unit: write ms, s, min or h'],
  [['--ingress-only', 'web'], '--ingress-only: "web" is not NAMESPACE/NAME, or GROUP/NAMESPACE/NAME'],
  [['--ingress-only', 'a.b/c/d'], '--ingress-only: "a.b/c/d" is not NAMESPACE/NAME, or GROUP/NAMESPACE/NAME'],
  [['--ingress-only', 'a/b', '--data-port', '1'], '--data-port does not go with --ingress-only'],
  [['--ingress-only', 'a/b', '--ingress'], '--ingress does not go with --ingress-only'],
  [['--ingress-only', 'a/b', '--ingress-ports', '1-2'], '--ingress-ports does not go with --ingress-only'],
  ...['10000', '5-1', '0-9', '1-65536', 'a-b'].map(
    (text) =>
      [
        ['--ingress-ports', text],
        `--ingress-ports: "${text}" is no range of ports: write one such as 10000-10199`,
      ] as const,
  ),
  [['--stale-after', '1h'], '--stale-after and --stale-answer go together, and the answer is up or down'],
]

for (const [args, said] of WRONG) test(`wrong: ${args.join(' ')}`, () => assert.deepEqual(wrong(...args), [said]))

test('one IngressDaemonSet is named by namespace and name, and by its group where that is not ours', () => {
  const only = (text: string) => agentOptions(['--node', 'n1', '--ingress-only', text], {})?.ingressOnly
  assert.deepEqual(only('shop/web'), { group: 'evenkeel.dev', namespace: 'shop', name: 'web' })
  const original = 'ingressdaemonsets.mumoshu.github.io'
  assert.deepEqual(only(`${original}/shop/web`), { group: original, namespace: 'shop', name: 'web' })
})

test('all that is wrong is said at once', () => {
  assert.equal(wrong('--port', 'x', '--dialect', 'y', '--rise', 'z').length, 3)
  assert.deepEqual(wrong('--status-port', '8080'), ['--status-port: 8080 is the port of --port'])
  assert.deepEqual(wrong('--agent-check-port', '8081'), ['--agent-check-port: 8081 is the port of --status-port'])
  assert.deepEqual(wrong('--port', '0', '--status-port', '0'), [])
})
