import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aBudget, aPod, aWorkload } from '../../../support/roll-world.ts'
import { FACTS, proposed } from './init-world.ts'

const found = <T>(...value: readonly T[]) => ({ is: 'found', value }) as const

test('a backend tells through which Service, or which DaemonSet, its port leads', () => {
  const service = {
    ...{ namespace: 'shop', name: 'web', type: 'NodePort', selector: { app: 'cart' }, nodePorts: [30_080] },
    ...{ externalTrafficPolicy: 'Cluster', internalTrafficPolicy: 'Cluster' },
  }
  const facts = {
    ...FACTS,
    services: found(service),
    pods: found(aPod('cart-1', 'n1')),
    workloads: found(
      aWorkload({ controller: { kind: 'Deployment', name: 'cart', uid: 'uid-d' } }),
      aWorkload({ kind: 'Deployment', uid: 'uid-d', desired: 1 }),
    ),
  }
  const { text, spec } = proposed(facts)
  assert.match(text, /# 3 servers of nodes, port 30080 \(NodePort of Service shop\/web\)\n +- web\n/)
  assert.match(text, /# {3}polite:\n +# {5}# Deployment shop\/cart, which has 1 replica\n +# {5}- selector: app=cart\n/)
  assert.equal(spec.drain.polite, undefined, 'it is a suggestion')
})

test('data that would be lost is a question, and stays unless a person says otherwise', () => {
  const pods = found(
    aPod('cache', 'n1', { usesEmptyDir: true }),
    aPod('by-hand', 'n2', { controller: undefined } as never),
    aPod('elsewhere', 'n9', { usesEmptyDir: true }),
  )
  const asked = proposed({ ...FACTS, pods })
  assert.deepEqual(asked.questions.map(({ id, preset }) => `${id} ${preset}`).slice(0, 2), [
    'emptyDir n',
    'unmanaged n',
  ])
  assert.deepEqual([asked.spec.drain.deleteEmptyDirData, asked.spec.drain.deleteUnmanaged], [false, false])
  assert.match(asked.questions[0]?.why ?? '', /^1 pod of these nodes \(shop\/cache\) keeps data in an emptyDir/)
  const allowed = proposed({ ...FACTS, pods }, { emptyDir: 'y', unmanaged: 'yes' })
  assert.deepEqual([allowed.spec.drain.deleteEmptyDirData, allowed.spec.drain.deleteUnmanaged], [true, true])
})

test('a budget that allows no eviction is a finding, with a way on as a suggestion', () => {
  const made = proposed({ ...FACTS, budgets: found(aBudget()) })
  assert.ok(made.found.includes('allows no eviction now: PodDisruptionBudget shop/cart'))
  assert.match(made.text, /# {3}blocked:\n +# {5}- namespaces: \[shop\]\n/)
  assert.equal(made.spec.drain.blocked, undefined)
})

test('how a node is rebooted is an answer: ssh, ssh with a user, or a command', () => {
  const rebootBy = (reboot: string) => proposed(FACTS, { reboot }).spec.reboot
  const ssh = rebootBy('ssh')
  assert.ok(ssh.kind === 'ssh' && ssh.user === undefined)
  const ops = rebootBy('ssh ops')
  assert.ok(ops.kind === 'ssh' && ops.user === 'ops')
  assert.deepEqual(ops.command, ['sudo', '-n', 'systemctl', 'reboot'])
  const root = rebootBy('ssh root')
  assert.ok(root.kind === 'ssh' && root.user === 'root')
  assert.deepEqual(root.command, ['systemctl', 'reboot'])
  const own = rebootBy(`"/opt/my tools/cycle" {node} '{bootId} now' a\\ b`)
  assert.ok(own.kind === 'command')
  assert.deepEqual(own.command, ['/opt/my tools/cycle', '{node}', '{bootId} now', 'a b'])
})

const HOW: readonly (readonly [answer: string, fault: RegExp | undefined])[] = [
  ['ssh', undefined],
  ['ssh root', undefined],
  ['ssh ro ot', /^answer "ssh"/],
  ['', /^answer "ssh"/],
  ['reboot {node}', /must get \{bootId\}/],
  ['reboot "{bootId}', /quote is not closed/],
  ['reboot {bootId}', undefined],
]

test('an answer that cannot be is refused', () => {
  const fault = (id: string, answer: string) =>
    proposed(FACTS)
      .questions.find((question) => question.id === id)
      ?.faultOf?.(answer)
  for (const [answer, expected] of HOW) {
    if (expected === undefined) assert.equal(fault('reboot', answer), undefined, answer)
    else assert.match(fault('reboot', answer) ?? '', expected, answer)
  }
  assert.match(fault('probe', 'ftp://a/') ?? '', /not an http or https URL/)
  assert.match(fault('probe', 'http://me:pw@a/') ?? '', /without a user/)
  assert.equal(fault('probe', 'http://a/ https://b/x'), undefined)
})

test('foreign names cannot end a comment or steer a terminal', () => {
  const context = { context: 'a b\n  evil: true\u001b[2J', server: 'https://x', user: 'u' }
  const { text, spec } = proposed({ ...FACTS, context })
  assert.equal(spec.name, 'a-b-evil-true-2J')
  assert.match(text, /# For context a b\\x0a {2}evil: true\\x1b\[2J \(https:\/\/x\)\.\n/)
})

test('probes by the address that haproxy.cfg binds to, which is the default of the question', () => {
  const config = {
    ...{
      file: 'haproxy.cfg',
      sockets: [],
      doubts: [{ line: 3, text: '.if x', why: 'conditions are not evaluated' }],
    },
    backends: [{ name: 'web', mode: 'http', disabled: false, servers: [] }],
    frontends: [
      { name: 'in', mode: 'http', backends: ['web'], binds: [{ address: '192.0.2.7', port: 80, tls: false }] },
      { name: 'tls', mode: 'http', backends: ['web'], binds: [{ address: '192.0.2.7', port: 443, tls: true }] },
      { name: 'any', mode: 'http', backends: ['web'], binds: [{ address: '*', port: 80, tls: false }] },
    ],
  } as const
  const made = proposed({ ...FACTS, config })
  assert.deepEqual(
    made.spec.probe?.targets.map(({ url }) => url),
    ['http://192.0.2.7:80/'],
  )
  assert.deepEqual(made.leftOut, [{ what: 'haproxy.cfg:3 ".if x"', why: 'conditions are not evaluated' }])
})
