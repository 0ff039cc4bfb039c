import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, Agent as HttpAgent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { diagnose } from '../../../src/dns/decide/diagnosis/diagnose.ts'
import { decideRepair } from '../../../src/dns/decide/repair/decide-repair.ts'
import { kubeDnsRepairer } from '../../../src/dns/io/kube-dns-repairer.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import { checkDns } from '../../../src/dns/run/check-dns.ts'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { answerOf, type DnsWorld, dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { RepairWorld, SICK, WELL } from '../../support/dns/repair-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { aScene, DEAD, SILENT } from '../decide/a-scene.ts'

/** The six faults of the checker that this one follows (wjayesh/coredns-healthcheck), each as what it must not do here. */

const never = new AbortController().signal
const SELECTOR = { 'k8s-app': 'kube-dns' }

const check = ({ objects }: Pick<DnsWorld, 'objects'>) =>
  checkDns(
    {
      objects,
      asker: new SocketAsker(clock, systemRandom),
      loopback: { ask: async () => ({ kind: 'notAsked', text: 'forbidden' }) },
      control: { reaches: async () => true },
      clock,
      random: new SeededRandom(1),
      sought: {},
      timeoutMs: 100,
    },
    never,
  )

type Labelled = { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }

/** Of a list what the selector picks. */
function selected(found: object | undefined, selector: string | null): object | undefined {
  if (found === undefined || !('items' in found) || selector === null) return found
  const wanted = selector.split(',').map((one) => one.split('='))
  const items = (found.items as readonly Labelled[]).filter(({ metadata: { labels = {} } }) =>
    wanted.every(([key = '', value]) => labels[key] === value),
  )
  return { ...found, items }
}

/** An API server that has these objects by their paths, and what is written to it. */
async function serving(t: TestContext, objects: Readonly<Record<string, object>>) {
  const written: { readonly what: string; readonly body: unknown }[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://of.test')
    if (request.method !== 'GET') written.push({ what: `${request.method} ${path}`, body: JSON.parse(body) })
    const found = selected(objects[path], searchParams.get('labelSelector'))
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
    const absent = {
      kind: 'Status',
      code: 404,
      reason: 'NotFound',
      message: 'not found',
      details: { name: path.split('/').at(-1) },
    }
    response.end(JSON.stringify(found ?? absent))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new HttpAgent()
  t.after(() => {
    agent.destroy()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const connection = { server: url, agent, headers: {} }
  const credentials = { current: async () => connection, accept: () => undefined, drop: () => undefined }
  const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test' })
  return { repairer: kubeDnsRepairer({ client, log: { debug: () => undefined, warn: () => undefined } }), written }
}

const SYSTEM = '/api/v1/namespaces/kube-system/pods'
const list = (...items: readonly object[]): object => ({ metadata: { resourceVersion: '1' }, items })
const aPod = (name: string, address: string, owner = 'coredns-1'): object => ({
  metadata: {
    name,
    namespace: 'kube-system',
    uid: `uid-${name}`,
    resourceVersion: '7',
    labels: { ...SELECTOR, 'pod-template-hash': '1', team: 'platform' },
    ownerReferences: [{ kind: 'ReplicaSet', name: owner, uid: `uid-${owner}`, controller: true }],
  },
  spec: { nodeName: 'n1', hostNetwork: true },
  status: { podIP: address },
})
const EMPTY = {
  '/api/v1/nodes': list(),
  '/apis/policy/v1/namespaces/kube-system/poddisruptionbudgets': list(),
  '/apis/apps/v1/namespaces/kube-system/daemonsets': list(),
  '/readyz': {},
}

test('fault 1, the first lost packet was an out-of-memory: here it is nothing, and memory is reported and never changed', async (t) => {
  const world = await dnsWorld(t)
  for (const pod of world.pods) {
    let isFirst = true
    pod.answering = (query) => {
      const answer = isFirst ? [] : likeCoreDns(query)
      isFirst = false
      return answer
    }
  }
  const pods: DnsObjects['pods'] = async (...at) =>
    (await world.objects.pods(...at)).map((pod, at) => (at === 0 ? { ...pod, endedBy: ['OOMKilled'] } : pod))
  const { verdict, notes } = await check({ objects: { ...world.objects, pods } })
  assert.equal(verdict, 'ok')
  assert.ok(notes.includes('coredns-1 ran out of memory and was killed (OOMKilled)'))
})

test('fault 2, an owner that is not found ended the program: here the pod is not touched, and it is said why', async (t) => {
  const { repairer } = await serving(t, { ...EMPTY, [SYSTEM]: list(aPod('coredns-1', '10.0.0.1')) })
  const ground = await repairer.read({ namespace: 'kube-system', selector: SELECTOR }, never)
  assert.equal(ground.workload, undefined)
  const past = { past: [], memory: { namespace: 'evenkeel', name: 'evenkeel-dns-repairs' }, wallMs: 0 }
  const decision = decideRepair({ ...ground, ...past, scene: SICK, findings: diagnose(SICK), rounds: 2 })
  assert.ok(decision.kind === 'held')
  assert.deepEqual(
    decision.guards.filter(({ holds }) => !holds).map(({ text: why }) => why),
    ['the pods do not belong to one Deployment or DaemonSet that would replace it'],
  )
})

test('pods that an earlier repair has put in quarantine are found, and are none of DNS', async (t) => {
  const kept = { metadata: { name: 'old', namespace: 'kube-system', uid: 'uid-old', resourceVersion: '7' } }
  const labels = (mark: string) => ({ metadata: { ...kept.metadata, labels: { 'evenkeel.dev/quarantine': mark } } })
  const pods = list(aPod('coredns-1', '10.0.0.1'), labels('dns'), labels('of something else'))
  const { repairer } = await serving(t, { ...EMPTY, [SYSTEM]: pods })
  const ground = await repairer.read({ namespace: 'kube-system', selector: SELECTOR }, never)
  assert.deepEqual([ground.quarantined, Object.keys(ground.budgets)], [['old'], ['uid-coredns-1']])
})

test('of all nodes, those that are not Ready are read for a repair, and of those with a pod of DNS the cordoned ones', async (t) => {
  const aNode = (name: string, ready: string, unschedulable = false): object => ({
    metadata: { name },
    spec: { unschedulable },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  })
  const nodes = list(aNode('n1', 'True', true), aNode('n2', 'True', true), aNode('n3', 'Unknown'), aNode('n4', 'False'))
  const { repairer } = await serving(t, {
    ...EMPTY,
    [SYSTEM]: list(aPod('coredns-1', '10.0.0.1')),
    '/api/v1/nodes': nodes,
  })
  const { cordoned, downNodes } = await repairer.read({ namespace: 'kube-system', selector: SELECTOR }, never)
  assert.deepEqual([cordoned, downNodes], [['n1'], ['n3', 'n4']])
})

test('fault 3, a Service’s address that is silent had every pod deleted: here it is no pod’s fault', async () => {
  for (const scene of [
    aScene({ service: DEAD }),
    aScene({ service: { v1: SILENT } }),
    aScene({ pods: { a: DEAD, b: DEAD }, service: DEAD }),
  ]) {
    const world = new RepairWorld(scene)
    const repair = await world.repair()
    assert.ok(!('busy' in repair) && repair.decision.kind === 'nothing')
    assert.deepEqual(world.touched, [])
  }
})

test('fault 4, pods were deleted by their address, which those of a node’s network share: here one is, by name and uid', async (t) => {
  const sick = aPod('coredns-1', '192.0.2.1')
  const { repairer, written } = await serving(t, {
    [`${SYSTEM}/coredns-1`]: sick,
    [`${SYSTEM}/kube-proxy-1`]: aPod('kube-proxy-1', '192.0.2.1'),
  })
  const at = { namespace: 'kube-system', name: 'coredns-1' }
  assert.equal(await repairer.quarantine({ ...at, uid: 'of another one with this name' }, never), false)
  assert.deepEqual(written, [])
  assert.equal(await repairer.quarantine({ ...at, uid: 'uid-coredns-1' }, never), true)
  // Another Service may select by any label that it keeps.
  assert.deepEqual(written, [
    {
      what: `PATCH ${SYSTEM}/coredns-1`,
      body: [
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'replace', path: '/metadata/labels', value: { 'evenkeel.dev/quarantine': 'dns' } },
      ],
    },
  ])
})

test('fault 5, a cluster of another domain was restarted for ever: here its domain is found and all is well', async (t) => {
  const world = await dnsWorld(t)
  for (const server of [...world.pods, world.service]) server.answering = (query) => answerOf(query, 'corp.internal')
  const configMap: DnsObjects['configMap'] = async () => ({
    Corefile: '.:53 {\n  kubernetes corp.internal in-addr.arpa {\n  }\n}\n',
  })
  const { verdict, askedZone } = await check({ objects: { ...world.objects, configMap } })
  assert.deepEqual([verdict, askedZone.zone], ['ok', 'corp.internal'])
})

test('fault 6, each node deleted pods at once, at will and again: here one of two repairs acts, and the next one waits', async () => {
  const world = new RepairWorld(SICK, WELL, WELL, WELL, WELL, WELL, WELL, WELL, SICK)
  let over = 0
  const both = ['one', 'two'].map((identity) =>
    world.begin(never, identity).finally(() => {
      over += 1
    }),
  )
  while (over < both.length) await world.clock.advance(500)
  const repairs = await Promise.all(both)
  assert.deepEqual(repairs.map((repair) => ('busy' in repair ? 'busy' : repair.outcome?.kind)).toSorted(), [
    'busy',
    'cured',
  ])
  const next = await world.repair()
  assert.ok(!('busy' in next) && next.decision.kind === 'held')
  assert.deepEqual(
    next.decision.guards.filter(({ holds }) => !holds).map(({ guard }) => guard),
    ['pace'],
  )
  assert.equal(world.touched.length, 1)
})
