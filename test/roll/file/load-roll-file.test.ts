import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { rollSpecFromSelection } from '../../../src/roll/file/load-roll-file.ts'
import { selectionFromFlags } from '../../../src/roll/file/node-selection.ts'
import { load, rollYaml } from './roll-file.ts'

test('a file that says only which nodes is filled with the defaults', () => {
  assert.deepEqual(load(rollYaml('  nodes: {all: true}')), {
    name: 'prod',
    nodes: { names: [], all: true, allowUnbalanced: false },
    slots: { namespace: 'evenkeel', leaseDurationMs: 120_000 },
    balancers: [],
    detach: { idleLimitMs: 180_000 },
    drain: {
      daemonSets: [],
      deleteEmptyDirData: false,
      deleteUnmanaged: false,
      blockedLimitMs: 600_000,
      stageLimitMs: 1_800_000,
    },
    reboot: {
      kind: 'ssh',
      command: ['sudo', '-n', 'systemctl', 'reboot'],
      resendAfterMs: 120_000,
      returnLimitMs: 900_000,
    },
    dns: { namespace: 'evenkeel' },
    settle: { limitMs: 600_000, timesInARow: 3, dataPort: true },
    attach: { limitMs: 300_000 },
    soakMs: 30_000,
  })
})

const FULL = `# a comment
apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata:
  name: prod-eu1
spec:
  nodes:
    names: [w-1, cp-1.example.com]
    allowUnbalanced: true
  slots: {namespace: kube-system, leaseDuration: 30s}
  balancers:
    - name: edge
      instances:
        - {name: lb-1, socket: /run/haproxy/admin.sock}
        - {name: lb-2, tcp: '10.0.0.5:9999'}
        - {name: lb-3, tcp: '[fd00::5]:9999'}
        - name: lb-4
          ssh: {host: ops@lb-4.example.com, socket: /run/haproxy/admin.sock}
      backends: [web, api.v2]
      allowLastServer: true
  detach: {idleLimit: 90s}
  drain:
    firstStage: tier=database,disk in (ssd, nvme),!legacy,env!=dev
    daemonSets:
      - app=edge-proxy
      - matchLabels: {app: nginx}
        matchExpressions: [{key: zone, operator: In, values: [a, b]}]
    deleteEmptyDirData: true
    deleteUnmanaged: true
    grace: 45s
    polite:
      - selector: app=cart
      - {selector: app=pay, namespaces: [shop], leaveAfter: 20s}
    blocked:
      - {selector: app=legacy, wait: 2min, surge: 5min, ask: 1h, delete: true}
      - {namespaces: [shop], ask: 30min}
    blockedLimit: 1h30m
    stageLimit: 20min
  reboot:
    ssh: {configFile: /etc/evenkeel/ssh, user: ops, command: [doas, reboot]}
    resendAfter: 3min
    returnLimit: 30min
    onlyIfNeeded:
      sentinel: /run/reboot-required
      command: [needs-restarting, -r]
      neededExitCode: 1
      kernelVersion: 6.1.0-30-amd64
      kubeletVersion: v1.35.4
      osImage: Debian GNU/Linux 13 (trixie)
  dns: {service: kube-system/dns, zone: k8s.example, image: 'registry.example/evenkeel:1.0', namespace: ops}
  settle: {limit: 5min, timesInARow: 5, dataPort: false}
  attach: {limit: 1min}
  soak: 0s
  maxUnavailable: 1
  probes:
    - name: shop
      url: https://app.example.com/health
      rate: 50
      keptShare: 0.25
      kept: 8
      timeout: 1500ms
      expectStatus: 200
      expectBody: ok
      servedByHeader: x-pod
      insecure: true
    - name: control
      url: http://status.example.net/
      expectStatus: 200-299
      control: true
  baseline: {duration: 20s, limit: 5min}
`

test('every field of a file reaches the roll', () => {
  assert.deepEqual(load(FULL), {
    name: 'prod-eu1',
    nodes: { names: ['w-1', 'cp-1.example.com'], all: false, allowUnbalanced: true },
    slots: { namespace: 'kube-system', leaseDurationMs: 30_000 },
    balancers: [
      {
        name: 'edge',
        instances: ['lb-1', 'lb-2', 'lb-3', 'lb-4'],
        backends: ['web', 'api.v2'],
        allowLastServer: true,
        via: {
          kind: 'haproxy',
          instances: [
            { name: 'lb-1', address: { kind: 'unix', path: '/run/haproxy/admin.sock' } },
            { name: 'lb-2', address: { kind: 'tcp', host: '10.0.0.5', port: 9999 } },
            { name: 'lb-3', address: { kind: 'tcp', host: 'fd00::5', port: 9999 } },
            { name: 'lb-4', address: { kind: 'ssh', host: 'ops@lb-4.example.com', path: '/run/haproxy/admin.sock' } },
          ],
        },
      },
    ],
    detach: { idleLimitMs: 90_000 },
    drain: {
      firstStage: {
        matchLabels: { tier: 'database' },
        matchExpressions: [
          { key: 'disk', operator: 'In', values: ['ssd', 'nvme'] },
          { key: 'legacy', operator: 'DoesNotExist', values: [] },
          { key: 'env', operator: 'NotIn', values: ['dev'] },
        ],
      },
      daemonSets: [
        { matchLabels: { app: 'edge-proxy' }, matchExpressions: [] },
        {
          matchLabels: { app: 'nginx' },
          matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
        },
      ],
      deleteEmptyDirData: true,
      deleteUnmanaged: true,
      graceSeconds: 45,
      polite: [
        { selector: { matchLabels: { app: 'cart' }, matchExpressions: [] }, leaveAfterMs: 6_000 },
        { selector: { matchLabels: { app: 'pay' }, matchExpressions: [] }, namespaces: ['shop'], leaveAfterMs: 20_000 },
      ],
      blocked: [
        {
          selector: { matchLabels: { app: 'legacy' }, matchExpressions: [] },
          waitMs: 120_000,
          surgeMs: 300_000,
          askMs: 3_600_000,
          delete: true,
        },
        { namespaces: ['shop'], waitMs: 60_000, askMs: 1_800_000, delete: false },
      ],
      blockedLimitMs: 5_400_000,
      stageLimitMs: 1_200_000,
    },
    reboot: {
      kind: 'ssh',
      configFile: '/etc/evenkeel/ssh',
      user: 'ops',
      command: ['doas', 'reboot'],
      resendAfterMs: 180_000,
      returnLimitMs: 1_800_000,
      onlyIfNeeded: {
        sentinel: '/run/reboot-required',
        command: { argv: ['needs-restarting', '-r'], neededExitCode: 1, otherExitCode: 0 },
        versions: {
          kernelVersion: '6.1.0-30-amd64',
          kubeletVersion: 'v1.35.4',
          osImage: 'Debian GNU/Linux 13 (trixie)',
        },
      },
    },
    dns: {
      service: { namespace: 'kube-system', name: 'dns' },
      zone: 'k8s.example',
      image: 'registry.example/evenkeel:1.0',
      namespace: 'ops',
    },
    settle: { limitMs: 300_000, timesInARow: 5, dataPort: false },
    attach: { limitMs: 60_000 },
    soakMs: 0,
    probe: {
      targets: [
        {
          name: 'shop',
          url: 'https://app.example.com/health',
          ratePerSecond: 50,
          keptShare: 0.25,
          keptConnections: 8,
          timeoutMs: 1_500,
          expectStatus: [200, 200],
          expectBody: 'ok',
          servedByHeader: 'x-pod',
          insecure: true,
          control: false,
        },
        {
          name: 'control',
          url: 'http://status.example.net/',
          ratePerSecond: 100,
          keptShare: 0.5,
          keptConnections: 8,
          timeoutMs: 2_000,
          expectStatus: [200, 299],
          servedByHeader: 'X-Served-By',
          insecure: false,
          control: true,
        },
      ],
      baselineMs: 20_000,
      baselineLimitMs: 300_000,
    },
  })
})

test('a reboot command of your own takes the place of ssh', () => {
  const spec = load(rollYaml('  nodes: {all: true}', "  reboot: {command: [power-cycle, '{node}', '{bootId}']}"))
  assert.deepEqual(spec.reboot, {
    kind: 'command',
    command: ['power-cycle', '{node}', '{bootId}'],
    resendAfterMs: 120_000,
    returnLimitMs: 900_000,
  })
})

test("where no way to know that a reboot is needed is named, Debian's file is looked for; else only what is named", () => {
  const needOf = (written: string) =>
    load(rollYaml('  nodes: {all: true}', `  reboot: {onlyIfNeeded: ${written}}`)).reboot.onlyIfNeeded
  assert.deepEqual(needOf('{}'), { sentinel: '/var/run/reboot-required', versions: {} })
  assert.deepEqual(needOf('{osImage: A}'), { versions: { osImage: 'A' } })
  assert.deepEqual(needOf('{condition: RebootRequired}'), { condition: true, versions: {} })
  const command = { argv: ['check'], neededExitCode: 0, otherExitCode: 1 }
  assert.deepEqual(needOf('{command: [check], neededExitCode: 0}'), { command, versions: {} })
})

test('the command line takes the place of the nodes in the file', () => {
  const file = rollYaml('  nodes: {all: true, allowUnbalanced: true}')
  const named = selectionFromFlags({ names: ['w-2', 'w-1', 'w-2'], all: false })
  assert.deepEqual(load(file, named).nodes, { names: ['w-2', 'w-1'], all: false, allowUnbalanced: true })
  const labelled = selectionFromFlags({ names: [], selector: 'role=web', all: false })
  assert.deepEqual(load(file, labelled).nodes, {
    names: [],
    selector: { matchLabels: { role: 'web' }, matchExpressions: [] },
    all: false,
    allowUnbalanced: true,
  })
  assert.deepEqual(load(rollYaml('  soak: 1s'), selectionFromFlags({ names: [], all: true })).nodes, {
    names: [],
    all: true,
    allowUnbalanced: false,
  })
})

test('a roll without a file has the nodes of the command line, no balancer and no probe', () => {
  const spec = rollSpecFromSelection({ names: ['w-1'], all: false })
  assert.deepEqual(spec.nodes, { names: ['w-1'], all: false, allowUnbalanced: false })
  assert.deepEqual(spec.balancers, [])
  assert.equal(spec.probe, undefined)
  assert.equal(spec.name, 'roll')
})

const CONTRADICTIONS = [
  { names: ['w-1'], all: true },
  { names: [], selector: 'a=b', all: true },
  { names: ['w-1'], selector: 'a=b', all: false },
  { names: ['W_1'], all: false },
  { names: [], selector: '', all: false },
  { names: [], selector: 'a in (b', all: false },
]

test('nodes chosen twice or in a way that cannot be read are refused', () => {
  for (const flags of CONTRADICTIONS) assert.throws(() => selectionFromFlags(flags), UserError, JSON.stringify(flags))
  assert.equal(selectionFromFlags({ names: [], all: false }), undefined)
})
