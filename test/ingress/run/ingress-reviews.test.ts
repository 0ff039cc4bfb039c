import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { Neighbours } from '../../../src/ingress/decide/neighbours.ts'
import { IngressReviews } from '../../../src/ingress/run/ingress-reviews.ts'
import { around, checked, service, stored } from '../../support/ingress/around.ts'
import { ingress, rolling } from '../../support/ingress/ingress-row.ts'

type Json = Readonly<Record<string, unknown>>

const TAKEN = { healthCheckNodePorts: [10_080] }
const FREE = { healthCheckNodePorts: [10_090] }
const BESIDE: Neighbours = around({
  objects: [checked(stored('api', TAKEN, { second: 50 }))],
  services: [service('lb', { nodePorts: [10_081] })],
})

const reviews = (beside = BESIDE) =>
  new IngressReviews({ around: async () => beside, log: { debug: () => undefined, warn: () => undefined } })

const review = (request: Json): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'r1', kind: { group: 'evenkeel.dev', version: 'v1alpha1', kind: 'IngressDaemonSet' }, ...request },
  })

interface Answer {
  readonly response: {
    readonly uid: string
    readonly allowed: boolean
    readonly status?: { readonly code: number; readonly reason: string; readonly message: string }
    readonly warnings?: readonly string[]
  }
}

async function answer(request: Json): Promise<Answer['response']> {
  const page = await reviews().answer(review(request))
  assert.equal(page.status, 200, page.body)
  return (JSON.parse(page.body) as Answer).response
}

const create = (object: object): Json => ({ operation: 'CREATE', object, oldObject: null })
const update = (object: object, oldObject: object): Json => ({ operation: 'UPDATE', object, oldObject })

test('an object that is right is allowed without a word', async () => {
  assert.deepEqual(await answer(create(ingress(FREE))), { uid: 'r1', allowed: true })
})

test('one with a port of another object is refused, however young that is, by the field and with what to write', async () => {
  assert.deepEqual((await answer(create(stored('web', TAKEN)))).status, {
    code: 422,
    reason: 'Invalid',
    message:
      'spec.healthCheckNodePorts[0]: IngressDaemonSet default/api answers health checks at port 10080 of the same nodes: choose another port, also in the health check of the load balancer, or other nodes by spec.nodeSelector',
  })
})

test('everything that is wrong is said at once', async () => {
  const { allowed, status } = await answer(
    create(rolling({ maxUnavailableNodes: 2, maxDegradedNodes: 3, maxSurgedPodsPerNode: 1 }, { podsPerNode: 0 })),
  )
  assert.equal(allowed, false)
  assert.match(status?.message ?? '', /\n- spec\.podsPerNode: /)
  assert.match(status?.message ?? '', /\n- spec\.updateStrategy\.rollingUpdate\.maxDegradedNodes: .* are both set/)
})

test('a misspelt name is allowed with a warning, of which an API server cuts nothing', async () => {
  const { allowed, warnings = [] } = await answer(create(rolling({ maxUnavaiablePodsPerNode: 1 })))
  assert.equal(allowed, true)
  assert.deepEqual(warnings, [
    'spec.updateStrategy.rollingUpdate.maxUnavaiablePodsPerNode: maxUnavaiablePodsPerNode is a misspelt name, which is taken for maxUnavailablePodsPerNode: write maxUnavailablePodsPerNode',
  ])
  const long = rolling({ maxUnavailableNodes: 1, attachGraceSeconds: 1 }, { healthCheckNodePorts: [30_000] })
  for (const warning of (await answer(create(long))).warnings ?? []) assert.ok(warning.length <= 256)
})

describe('an update', () => {
  test('into a conflict is refused', async () => {
    assert.equal((await answer(update(ingress(TAKEN), ingress(FREE)))).allowed, false)
  })
  test('of what was in conflict before is allowed with a warning, so that it can be put right in steps', async () => {
    const { allowed, warnings } = await answer(update(ingress({ ...TAKEN, podsPerNode: 2 }), ingress(TAKEN)))
    assert.equal(allowed, true)
    assert.match(warnings?.[0] ?? '', /^spec\.healthCheckNodePorts\[0\]: IngressDaemonSet default\/api/)
  })
  test('from one conflict into another one is refused', async () => {
    const { allowed } = await answer(
      update(
        { ...stored('web', { healthCheckNodePorts: [10_080, 10_081] }, { second: 9 }) },
        stored('web', TAKEN, { second: 9 }),
      ),
    )
    assert.equal(allowed, false)
  })
  const ofYounger = around({ services: [service('lb', { nodePorts: [10_081], createdAt: wallMs(Date.UTC(2030, 0)) })] })
  const beside = async (ports: readonly number[], before: readonly number[], spec: Json = {}) => {
    const [object, old] = [
      stored('web', { healthCheckNodePorts: ports, ...spec }),
      stored('web', { healthCheckNodePorts: before }),
    ]
    const page = await reviews(ofYounger).answer(review(update(object, old)))
    const { allowed, warnings = [] } = (JSON.parse(page.body) as Answer).response
    return [allowed, warnings.length]
  }
  test('of a health port onto a port of a Service is refused, also where the Service is younger', async () => {
    assert.deepEqual(await beside([10_081], [10_080]), [false, 0])
    assert.deepEqual(await beside([10_080, 10_081], [10_080]), [false, 0])
  })
  test('of other fields is allowed with a warning where the younger Service took the health port', async () => {
    assert.deepEqual(await beside([10_081], [10_081], { podsPerNode: 2 }), [true, 1])
    assert.deepEqual(await beside([10_080, 10_081], [10_081]), [true, 1])
  })
  test('of metadata alone is allowed whatever the spec says', async () => {
    const { metadata, ...rest } = ingress({ podsPerNode: 0, ...TAKEN }) as { readonly metadata: object }
    const labelled = { ...rest, metadata: { ...metadata, labels: { a: 'b' } } }
    assert.deepEqual(await answer(update(labelled, { ...rest, metadata })), { uid: 'r1', allowed: true })
  })
  test('of one that is being deleted is allowed, whatever it says', async () => {
    const { metadata, ...rest } = ingress({ ...TAKEN, podsPerNode: 0 }) as { readonly metadata: object }
    const leaving = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    assert.deepEqual(await answer(update(leaving, ingress(FREE))), { uid: 'r1', allowed: true })
  })
  test('of an object that an older schema took is judged by itself', async () => {
    assert.equal((await answer(update(ingress(FREE), { spec: 'text' }))).allowed, true)
  })
})

test('a deletion is allowed', async () => {
  assert.equal((await answer({ operation: 'DELETE', object: null, oldObject: ingress(TAKEN) })).allowed, true)
})

describe('400 is the answer to', () => {
  const rows: readonly [string, string][] = [
    ['nothing', ''],
    ['half of a review', review(create(ingress({}))).slice(0, -20)],
    ['a list', '[]'],
    ['a text', '"a"'],
    ['another version', review(create(ingress({}))).replace('admission.k8s.io/v1', 'admission.k8s.io/v1beta1')],
    ['another kind', review(create(ingress({}))).replace('"kind":"IngressDaemonSet"},', '"kind":"Deployment"},')],
    ['another group', review({ ...create(ingress({})), kind: { group: 'apps', kind: 'IngressDaemonSet' } })],
    ['no uid', review({ ...create(ingress({})), uid: '' })],
    ['an object that is a number', review({ operation: 'CREATE', object: 5 })],
  ]
  for (const [title, body] of rows)
    test(title, async () => {
      assert.equal((await reviews().answer(body)).status, 400)
    })
})

test('hostile reviews are answered, whatever they hold', async () => {
  const asked = reviews()
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.json(), async (object, old) => {
      const { status } = await asked.answer(review(update(JSON.parse(object), JSON.parse(old))))
      assert.ok([200, 400, 500].includes(status))
    }),
  )
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  for (const spec of [
    `{"a":${deep}}`,
    `{"healthCheckNodePorts":[${deep}]}`,
    `{"__proto__":${deep},"template":${deep}}`,
  ]) {
    const body = review(create({ metadata: { name: 'a' }, spec: 'SPEC' })).replace('"SPEC"', spec)
    assert.ok([200, 400, 500].includes((await asked.answer(body)).status))
  }
  const { allowed, refused, failed } = asked.counts()
  assert.ok(allowed + refused + failed > 100)
})

test('while nothing is known of the cluster there is no answer, and the API server goes by its failurePolicy', async () => {
  const unknown = new IngressReviews({
    around: () => Promise.reject(new Error('not listed yet')),
    log: { debug: () => undefined, warn: () => undefined },
  })
  assert.equal((await unknown.answer(review(create(ingress(FREE))))).status, 500)
  assert.deepEqual(unknown.counts(), { allowed: 0, refused: 0, failed: 1 })
})
