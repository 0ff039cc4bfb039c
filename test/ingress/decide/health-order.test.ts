import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deploymentPatch } from '../../../src/ground/model/owned/difference.ts'
import { healthOrder, wantedDeployment } from '../../../src/ingress/decide/deployment.ts'
import { newIdentity } from '../../../src/ingress/decide/names.ts'
import { templateHash } from '../../../src/ingress/decide/revision.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../../src/service/model/health-order.ts'
import { anIngress, anIngressSpec } from '../../support/ingress-objects.ts'
import { served } from '../../support/served-object.ts'

const KEY = 'evenkeel.dev/detach'
const OP = 'evenkeel.dev/ingress-operation'

const order = (minReadyPods: number, { key = KEY, ports = [30_080] } = {}): string =>
  JSON.stringify({ version: 1, ports, minReadyPods, mark: { key, value: '' } })
const found = (text: string | undefined, ready: number, more: Readonly<Record<string, string>> = {}) => ({
  ready,
  annotations: { ...more, ...(text === undefined ? {} : { [HEALTH_ANNOTATION]: text }) },
})
const spec = (pods: number, change: Parameters<typeof anIngressSpec>[0] = {}) =>
  anIngressSpec({ podsPerNode: pods, minReadyPodsPerNode: pods, ...change })

test('law: a higher number of ready pods counts on a node once so many are ready there; until then the lower one does', () => {
  const rows: readonly (readonly [before: number | undefined, wanted: number, ready: number, enough: number])[] = [
    [undefined, 2, 0, 2],
    [2, 4, 2, 2],
    [2, 4, 3, 2],
    [2, 4, 4, 4],
    [2, 4, 5, 4],
    [4, 4, 0, 4],
    [4, 2, 4, 2],
    [4, 2, 0, 2],
    [1, 2, 0, 1],
  ]
  for (const [before, wanted, ready, enough] of rows) {
    const text = healthOrder(spec(wanted), found(before === undefined ? undefined : order(before), ready))
    assert.equal(text, order(enough), JSON.stringify([before, wanted, ready]))
  }
})

test('an order that cannot be read is written anew as the object has it', () => {
  assert.equal(healthOrder(spec(3), found('{"version":9}', 0)), order(3))
  assert.equal(healthOrder(spec(3)), order(3))
})

test('the mark that stands counts until the operation is over, though the object names another one by now', () => {
  const detach = { ...anIngressSpec().detach, deployment: { key: 'new/key', value: '', graceMs: 0 } }
  const renamed = spec(2, { detach })
  const markIn = (annotations: Readonly<Record<string, string>>): unknown => {
    const read = parseHealthOrder(healthOrder(renamed, found(order(2), 2, annotations)))
    return typeof read === 'string' ? read : read.mark.key
  }
  assert.equal(markIn({ [OP]: 'x', [KEY]: '' }), KEY)
  assert.equal(markIn({ [OP]: 'x', [KEY]: '', 'new/key': '' }), 'new/key')
  assert.equal(markIn({ [OP]: 'x' }), 'new/key')
  assert.equal(markIn({ [KEY]: '' }), 'new/key')
})

test('another port, and another number of ready pods, are written beside the pods and replace none', () => {
  const before = anIngress()
  const wantedOf = (ids: typeof before) =>
    wantedDeployment(ids, {
      identity: newIdentity(ids, 'n1'),
      revision: { number: 1, hash: templateHash(ids.spec) },
      replicas: 2,
    })
  const deployment = served('Deployment', wantedOf(before))
  const after = anIngress({ healthCheckNodePorts: [30_080, 30_081], minReadyPodsPerNode: 1 })
  assert.equal(templateHash(after.spec), templateHash(before.spec))
  for (const pods of ['keep', 'replace'] as const) {
    assert.deepEqual(deploymentPatch(deployment, wantedOf(after), pods), {
      metadata: {
        resourceVersion: '7',
        annotations: { [HEALTH_ANNOTATION]: order(1, { ports: [30_080, 30_081] }) },
      },
    })
  }
  const none = wantedOf(anIngress({ healthCheckNodePorts: [] }))
  assert.equal(none.metadata.annotations[HEALTH_ANNOTATION], order(2, { ports: [] }))
})

test('an object that gives way keeps the ports in force, and asks for none on a new node', () => {
  const portsOf = (text: string): readonly number[] | undefined => {
    const parsed = parseHealthOrder(text)
    return typeof parsed === 'string' ? undefined : parsed.ports
  }
  const edited = spec(2, { healthCheckNodePorts: [30_081] })
  const before = found(order(2), 2)
  assert.deepEqual(portsOf(healthOrder(edited, before)), [30_081])
  assert.deepEqual(portsOf(healthOrder(edited, before, { givesWay: true })), [30_080])
  assert.deepEqual(portsOf(healthOrder(edited, undefined, { givesWay: true })), [])
})
