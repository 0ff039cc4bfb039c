import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { Objects } from '../../../src/ground/ports/objects.ts'
import { HttpHolds } from '../../../src/guard/io/ask-hold.ts'
import { CelRules } from '../../../src/guard/io/cel/object-rules.ts'
import { HoldReader } from '../../../src/guard/run/hold-reader.ts'
import { type ApiResource, CONFIG_MAPS, PODS, VOLUME_ATTACHMENTS } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { answer, aServer } from '../../ground/net/a-server.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'
import { aNode } from '../../support/guard/guard-objects.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { readGuard } from '../decide/read-guard.ts'

type Json = Readonly<Record<string, unknown>>
type Verdict = readonly [kind: string, text: string]

class Ground {
  readonly api = new EmbeddedApi('data')
  /** How many verdicts were news. */
  news = 0

  create(resource: ApiResource, body: Json): void {
    createObject(this.api.world, { resource, namespace: 'data', body })
  }

  reader(change: Partial<Pick<Objects, 'get' | 'list'>> = {}): HoldReader {
    const { time: clock } = this.api
    const log = { debug: () => undefined, warn: () => undefined }
    const parts = { client: this.api.client(), reach: new ApiReach(clock), clock, random: new SeededRandom(1), log }
    return new HoldReader({
      objects: { ...kubeObjects(parts), ...change },
      cluster: this.api.cluster(),
      rules: new CelRules(clock),
      source: new HttpHolds({ timers }),
      clock,
      attachmentsOf: () => [],
      onNews: () => {
        this.news += 1
      },
    })
  }

  /** What one hold says of n1. */
  async ask(hold: Json, { node = aNode('n1'), reader = this.reader() } = {}): Promise<Verdict> {
    const guard = readGuard({ spec: { holds: [{ name: 'a', ...hold }] } })
    const asked = reader.fresh(guard, node, new AbortController().signal)
    const [verdict] = 'http' in hold ? await asked : await this.api.done(asked)
    return [verdict?.kind ?? '', verdict?.text ?? '']
  }
}

const attachment = (name: string, nodeName: string, attacher = 'csi.example.com'): Json => ({
  metadata: { name },
  spec: { attacher, nodeName, source: { persistentVolumeName: `pv-${name}` } },
})

test('volumes: held while one of its drivers is attached to the node, and clear otherwise', async () => {
  const ground = new Ground()
  for (const one of [attachment('a', 'n1'), attachment('b', 'n2'), attachment('c', 'n1', 'other.example.com')])
    ground.create(VOLUME_ATTACHMENTS, one)
  const driver = (...drivers: readonly string[]) => ground.ask({ volumes: { drivers } })
  assert.deepEqual(await driver(), ['held', 'volumes are attached: pv-a, pv-c'])
  assert.deepEqual(await driver('csi.example.com'), ['held', 'volumes are attached: pv-a'])
  assert.deepEqual(await driver('none.example.com'), ['clear', 'no volume is attached'])
})

const pod = (name: string, nodeName: string, phase = 'Running'): Json => ({
  metadata: { name, labels: { app: 'db' } },
  spec: { nodeName, containers: [{ name: 'a', image: 'b' }] },
  status: { phase },
})

test('pods: held while one that has not ended is on the node, and clear otherwise', async () => {
  const ground = new Ground()
  ground.create(PODS, pod('db-0', 'n1'))
  ground.create(PODS, pod('db-1', 'n2'))
  const selector = { app: 'db' }
  assert.deepEqual(await ground.ask({ pods: { selector } }), ['held', 'pods are on the node: data/db-0'])
  assert.deepEqual(await ground.ask({ pods: { selector, namespace: 'shop' } }), [
    'clear',
    'no pod with app=db is on the node',
  ])
  assert.equal((await ground.ask({ pods: { selector: { app: 'web' } } }))[0], 'clear')
  assert.equal((await ground.ask({ pods: { selector } }, { node: aNode('n3') }))[0], 'clear')
})

const OBJECT = { version: 'v1', resource: 'configmaps', namespace: 'data', name: 'state-{node}' }

test('object: clear where the expression is true, held where it is false, unknown where it has no answer or the object is not there', async () => {
  const ground = new Ground()
  ground.create(CONFIG_MAPS, { metadata: { name: 'state-n1' }, data: { state: 'green' } })
  const when = (clearWhen: string, node = aNode('n1')) => ground.ask({ object: { ...OBJECT, clearWhen } }, { node })
  const green = "object.data.state == 'green'"
  assert.deepEqual(await when(green), ['clear', `configmaps data/state-n1: ${green}`])
  assert.deepEqual(await when("object.data.state == 'red'"), [
    'held',
    "configmaps data/state-n1: not object.data.state == 'red'",
  ])
  const [absent, text] = await when("object.data.health == 'green'")
  assert.equal(absent, 'unknown')
  assert.match(text, /object\.data\.health is absent/)
  assert.deepEqual(await when(green, aNode('n2')), ['unknown', 'configmaps data/state-n2 is not there'])
  assert.equal((await when('object.data.state'))[0], 'unknown')
})

test('http: clear, held or unknown, as the answer of a real server says', async (t) => {
  const ground = new Ground()
  const { url } = await aServer(t, (socket) => socket.end(answer('{"status":"green"}')))
  const http = (equals: string) => ground.ask({ http: { url, jsonPath: '$.status', equals } })
  assert.equal((await http('green'))[0], 'clear')
  assert.equal((await http('red'))[0], 'held')
  assert.equal((await ground.ask({ http: { url, jsonPath: '$.other', equals: 'x' } }))[0], 'unknown')
  assert.equal((await ground.ask({ http: { url: 'http://127.0.0.1:1/' } }))[0], 'unknown')
})

test('http: a node without an address is unknown where the URL needs it', async () => {
  const node = aNode('n1', { internalAddresses: [] })
  const verdict = await new Ground().ask({ http: { url: 'http://{address}/' } }, { node })
  assert.deepEqual(verdict, ['unknown', 'n1 has no internal address'])
})

test('annotation: held while the Node has it, whatever its value, and clear otherwise', async () => {
  const annotation = { key: 'example.com/busy' }
  const busy = aNode('n1', { annotations: { 'example.com/busy': 'false' } })
  assert.deepEqual(await new Ground().ask({ annotation }, { node: busy }), [
    'held',
    'the Node has the annotation example.com/busy',
  ])
  assert.equal((await new Ground().ask({ annotation }))[0], 'clear')
})

test('law: what cannot be read of a hold is unknown, and never clear; an API server that refuses, or that never answers', async () => {
  const ground = new Ground()
  const refuses = () =>
    Promise.reject(new WorldError('pods is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'backoff' }))
  const hangs = <T>(_: unknown, signal: AbortSignal): Promise<T> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const pods = { pods: { selector: { app: 'db' } } }
  const object = { object: { ...OBJECT, clearWhen: 'true' } }
  for (const hold of [pods, object]) {
    const refused = ground.reader({ get: refuses, list: refuses })
    assert.deepEqual(await ground.ask(hold, { reader: refused }), ['unknown', 'pods is forbidden'])
    const [kind, text] = await ground.ask(hold, { reader: ground.reader({ get: hangs, list: hangs }) })
    assert.equal(kind, 'unknown')
    assert.match(text, /hold a/)
  }
})

test('what takes a request is read beside the passes, told when it changes, and not known before', async () => {
  const ground = new Ground()
  const reader = ground.reader()
  const guard = readGuard({ spec: { holds: [{ name: 'a', pods: { selector: { app: 'db' } } }] } })
  const [node, signal] = [aNode('n1'), new AbortController().signal]
  assert.deepEqual(reader.verdicts(guard, node), [])
  const refreshed = async (): Promise<readonly string[]> => {
    reader.refresh([[guard, node]], signal)
    await ground.api.done(ground.api.time.sleep(1_500, signal))
    return reader.verdicts(guard, node).map(({ kind }) => kind)
  }
  assert.deepEqual([await refreshed(), ground.news], [['clear'], 1])
  assert.deepEqual([await refreshed(), ground.news], [['clear'], 1])
  ground.create(PODS, pod('db-0', 'n1'))
  assert.deepEqual([await refreshed(), ground.news], [['held'], 2])
})

test('of many nodes that ask, the holds of the one that is granted are read first', async () => {
  const ground = new Ground()
  const reader = ground.reader()
  const guard = readGuard({ spec: { holds: [{ name: 'a', pods: { selector: { app: 'db' } } }] } })
  const names = Array.from({ length: 40 }, (_, at) => `n${at + 1}`)
  const claim = { owner: 'guard/default', id: 'a', at: '2026-01-01T00:00:00.000Z', why: 'it is being drained' }
  const annotations = { [MAINTENANCE_ANNOTATION]: formatClaims([claim]) }
  const nodes = names.map((name) => (name === 'n40' ? { ...aNode(name), annotations } : aNode(name)))
  const signal = new AbortController().signal
  reader.refresh(
    nodes.map((node) => [guard, node] as const),
    signal,
  )
  await ground.api.done(ground.api.time.sleep(500, signal))
  const read = nodes.filter((node) => reader.verdicts(guard, node).length > 0).map(({ name }) => name)
  assert.equal(read.length, 8)
  assert.ok(read.includes('n40'), read.join())
})

test('an object, and pods of other namespaces, are read with the rights of an account in the namespace of the NodeGuard, and Secrets never', async () => {
  const ground = new Ground()
  const asked: unknown[] = []
  const reader = ground.reader({
    get: async ({ name, as }) => void asked.push([name, as]),
    list: async ({ namespace, as }) => {
      asked.push([namespace, as])
      return []
    },
  })
  const object = { version: 'v1', resource: 'configmaps', namespace: 'payments', name: 'a', clearWhen: 'true' }
  const selector = { app: 'db' }
  for (const hold of [{ object }, { pods: { selector } }, { pods: { namespace: 'payments', selector } }])
    await ground.ask(hold, { reader })
  await ground.ask({ pods: { namespace: 'data', selector } }, { reader })
  const account = 'system:serviceaccount:data:evenkeel-holds'
  assert.deepEqual(asked, [
    ['a', account],
    [undefined, account],
    ['payments', account],
    ['data', undefined],
  ])
  assert.deepEqual(await ground.ask({ object: { ...object, resource: 'secrets' } }, { reader }), [
    'unknown',
    'Secrets are never read',
  ])
  assert.equal(asked.length, 4)
})

test('targets of one namespace that hang leave room for the holds of another one', async () => {
  const ground = new Ground()
  const asked: string[] = []
  const reader = ground.reader({
    list: ({ as = '' }, signal) => {
      asked.push(as)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  const holds = Array.from({ length: 16 }, (_, i) => ({ name: `h${i}`, pods: { selector: { app: 'db' } } }))
  const guardIn = (namespace: string) => readGuard({ metadata: { namespace, uid: namespace }, spec: { holds } })
  const stop = new AbortController()
  reader.refresh([[guardIn('one'), aNode('n1')]], stop.signal)
  reader.refresh(
    [guardIn('one'), guardIn('two')].map((guard) => [guard, aNode('n1')] as const),
    stop.signal,
  )
  const countOf = (namespace: string) => asked.filter((as) => as.includes(`:${namespace}:`)).length
  assert.deepEqual([countOf('one'), countOf('two')], [8, 8])
  stop.abort(new Error('over'))
})
