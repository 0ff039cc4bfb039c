import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTROLLER_HELP, controllerOptions } from '../../../bin/controller/controller-options.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'

const POD = { podNamespace: 'kube-system' }
const OUTSIDE = { podNamespace: undefined }

test('a pod needs no option', () => {
  assert.deepEqual(controllerOptions([], POD), {
    namespace: 'kube-system',
    grantsNamespace: 'kube-system',
    limit: { kind: 'percent', percent: 50 },
    returnMs: 10_000,
    leaseDurationMs: 15_000,
    statusPort: 8081,
  })
})

test('everything can be said', () => {
  const words = [
    ...['--namespace', 'evenkeel', '--grants-namespace', 'edge', '--max-cordoned-out', '2', '--selector', 'a=b,!c'],
    ...['--return-delay', '1m', '--lease-duration', '30s', '--status-port', '9000', '--address', '127.0.0.1'],
    ...['--kubeconfig', 'k'],
  ]
  assert.deepEqual(controllerOptions(words, OUTSIDE), {
    namespace: 'evenkeel',
    grantsNamespace: 'edge',
    limit: { kind: 'count', count: 2 },
    selector: 'a=b,!c',
    returnMs: 60_000,
    leaseDurationMs: 30_000,
    statusPort: 9000,
    address: '127.0.0.1',
    kubeconfig: 'k',
  })
})

test('DNS is looked at where it is switched on, and repaired where that is, too', () => {
  const dnsOf = (words: string, nodeName?: string) =>
    controllerOptions(words === '' ? [] : words.split(' '), { ...POD, nodeName })?.dns
  assert.equal(dnsOf('', 'n1'), undefined)
  assert.deepEqual(dnsOf('--dns'), { intervalMs: 30_000, repair: false })
  assert.deepEqual(dnsOf('--dns', 'n1'), { intervalMs: 30_000, repair: false, node: 'n1' })
  assert.deepEqual(dnsOf('--dns --dns-interval 5s --dns-image a/b:1 --dns-repair --node-name n2', 'n1'), {
    intervalMs: 5_000,
    repair: true,
    image: 'a/b:1',
    node: 'n2',
  })
})

test('NodeGuards and IngressDaemonSets are acted on where that is switched on, and share the slots', () => {
  const loopsOf = (words: string) => {
    const { ingress, guard } = controllerOptions(words === '' ? [] : words.split(' '), POD) ?? {}
    return { ingress: ingress?.slotsNamespace, guard: guard?.slotsNamespace }
  }
  assert.deepEqual(loopsOf(''), { ingress: undefined, guard: undefined })
  assert.deepEqual(loopsOf('--guard'), { ingress: undefined, guard: 'evenkeel' })
  assert.deepEqual(loopsOf('--guard --slots-namespace s'), { ingress: undefined, guard: 's' })
  assert.deepEqual(loopsOf('--guard --ingress --slots-namespace s'), { ingress: 's', guard: 's' })
})

const WRONG: readonly (readonly [words: string, message: string])[] = [
  ['', '--namespace is missing: outside a pod it must be given'],
  ['--namespace Edge', '--namespace: "Edge" names no namespace'],
  ['--namespace a --max-cordoned-out 0', '--max-cordoned-out: "0" is not a number of nodes: write 2, or 50%'],
  ['--namespace a --max-cordoned-out all', '--max-cordoned-out: "all" is not a number of nodes: write 2, or 50%'],
  ['--namespace a --selector a=b,,', '--selector: there is nothing between two commas: write it as for kubectl -l'],
  ['--namespace a --lease-duration 100ms', '--lease-duration: write 1s or more'],
  ['--namespace a --return-delay 10', '--return-delay: "10" has no unit: write ms, s, min or h'],
  ['--namespace a --status-port x', '--status-port: "x" is no port: write 1 to 65535'],
  ['--namespace a --dns --dns-interval 4s', '--dns-interval: write 5s or more'],
  ['--namespace a --dns --dns-image=', '--dns-image: name one, as in registry.example/evenkeel:1.0'],
  ['--namespace a --dns --node-name N_1', '--node-name: "N_1" names no node'],
  [
    '--namespace a --dns --dns-repair',
    '--dns-repair needs --dns-image: a pod is replaced only if two nodes see that it is unhealthy',
  ],
  ['--namespace a --dns-interval 1m', '--dns-interval needs --dns'],
  ['--namespace a --dns-repair', '--dns-repair needs --dns'],
  ['--namespace a --slots-namespace b', '--slots-namespace needs --ingress or --guard'],
  ['--namespace a --guard --slots-namespace B', '--slots-namespace: "B" names no namespace'],
  [
    '--namespace a --ingress --webhook-port 9443',
    '--webhook-port is gone, and so is the webhook: remove the option and the ValidatingWebhookConfiguration evenkeel-ingress (docs/controller.md)',
  ],
  ['--namespace a --max-out 3', "Unknown option '--max-out'"],
]

for (const [words, message] of WRONG) {
  test(`"${words}" is refused: ${message}`, () => {
    const refused = (error: unknown): boolean => {
      assert.ok(error instanceof UserError)
      assert.deepEqual([error.code, error.message], ['CONTROLLER_OPTIONS', message])
      return true
    }
    assert.throws(() => controllerOptions(words === '' ? [] : words.split(' '), OUTSIDE), refused)
  })
}

test('all that is wrong is named at once', () => {
  const refused = (error: unknown): boolean => {
    assert.ok(error instanceof UserError)
    assert.equal(error.details.length, 3)
    return true
  }
  assert.throws(() => controllerOptions(['--max-cordoned-out', '-', '--status-port', '-'], OUTSIDE), refused)
})

test('the help fits a terminal', () => {
  assert.deepEqual(
    CONTROLLER_HELP.split('\n').filter((line) => line.length > 80),
    [],
  )
})

test('clients of FleetLock are answered where Rolls are carried out, and never without a token', () => {
  const rollsOf = (words: string) => controllerOptions(words.split(' '), POD)?.rolls
  assert.deepEqual(rollsOf('--rolls /etc/rolls'), { directory: '/etc/rolls' })
  assert.deepEqual(rollsOf('--rolls /etc/rolls --fleetlock-port 8082 --fleetlock-token /etc/token'), {
    directory: '/etc/rolls',
    fleetLock: { port: 8082, tokenFile: '/etc/token' },
  })
  const refused = (words: string): string => {
    try {
      rollsOf(words)
      return ''
    } catch (error) {
      return error instanceof UserError ? error.message : String(error)
    }
  }
  assert.match(refused('--fleetlock-port 8082 --fleetlock-token /etc/token'), /--fleetlock-port needs --rolls/)
  assert.match(refused('--rolls /etc/rolls --fleetlock-port 8082'), /--fleetlock-port needs --fleetlock-token/)
  assert.match(refused('--rolls /etc/rolls --fleetlock-port 8082 --fleetlock-token='), /needs --fleetlock-token/)
  assert.match(refused('--rolls /etc/rolls --fleetlock-token /etc/token'), /--fleetlock-token needs --fleetlock-port/)
})
