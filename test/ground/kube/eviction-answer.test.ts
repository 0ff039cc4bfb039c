import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiCall } from '../../../src/ground/kube/api-call.ts'
import { evictionAnswer } from '../../../src/ground/kube/eviction-answer.ts'
import type { EvictionAnswer } from '../../../src/ground/model/eviction.ts'

interface Row {
  readonly title: string
  readonly http: number
  /** What the answer says is not there. */
  readonly absent?: string
  /** The resource of that; absent: the answer does not say. */
  readonly of?: string
  readonly message?: string
  readonly cause?: readonly [reason: string, message: string]
  readonly retryAfterMs?: number
  readonly retryAfterSeconds?: number
  readonly answer: EvictionAnswer
}

const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
const TWO = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
const CONFLICT = 'Operation cannot be fulfilled on Pod "web-0": the UID in the precondition (a) does not match the UID'
const OLD_CONFLICT = 'Precondition failed: UID in precondition: a, UID in object meta: b'
const PASSING = `couldn't update PodDisruptionBudget "web" due to conflicts`
const MOVED_FIRST =
  'admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: Eviction triggered evacuation of VMI "shop/vm"'

const ROWS: readonly Row[] = [
  { title: 'accepted', http: 201, answer: { kind: 'accepted' } },
  { title: 'accepted, as the documentation has it', http: 200, answer: { kind: 'accepted' } },
  { title: 'gone', http: 404, absent: 'web-0', of: 'pods', answer: { kind: 'gone' } },
  {
    title: 'gone, in the words of a subresource',
    http: 404,
    absent: 'web-0',
    of: 'pods/eviction',
    answer: { kind: 'gone' },
  },
  { title: 'gone, from a server that names no resource', http: 404, absent: 'web-0', answer: { kind: 'gone' } },
  { title: 'gone with its namespace', http: 404, absent: 'shop', of: 'namespaces', answer: { kind: 'gone' } },
  ...['shop', 'web-0'].map((name) => ({
    title: `a budget "${name}" that was deleted meanwhile`,
    http: 404,
    absent: name,
    of: 'poddisruptionbudgets',
    message: `poddisruptionbudgets.policy "${name}" not found`,
    answer: { kind: 'passing', text: `poddisruptionbudgets.policy "${name}" not found` } as const,
  })),
  {
    title: 'a name of the path that is no object of the call',
    http: 404,
    absent: 'shop',
    answer: { kind: 'passing', text: 'HTTP 404' },
  },
  { title: 'the page of a gateway', http: 404, answer: { kind: 'passing', text: 'HTTP 404' } },
  {
    title: 'a gateway that does not know the cluster',
    http: 404,
    absent: 'prod-1',
    message: 'cluster "prod-1" not found',
    answer: { kind: 'passing', text: 'cluster "prod-1" not found' },
  },
  { title: 'another pod bears the name', http: 409, message: CONFLICT, answer: { kind: 'replaced' } },
  {
    title: 'another pod bears the name, in older words',
    http: 409,
    message: OLD_CONFLICT,
    answer: { kind: 'replaced' },
  },
  {
    title: 'a conflict between writes of the server',
    http: 409,
    message: 'the object has been modified',
    answer: { kind: 'passing', text: 'the object has been modified' },
  },
  {
    title: 'a budget that is used up',
    http: 429,
    message: VIOLATES,
    cause: ['DisruptionBudget', 'The disruption budget web needs 2 healthy pods and has 2 currently'],
    retryAfterMs: 0,
    answer: { kind: 'budget', refusal: { budget: 'web', need: 2, have: 2 } },
  },
  {
    title: 'a budget that does not allow it for a reason of its own',
    http: 429,
    message: VIOLATES,
    cause: [
      'DisruptionBudget',
      'The disruption budget web does not allow evicting pods currently (InsufficientPods): x',
    ],
    answer: { kind: 'budget', refusal: { budget: 'web' } },
  },
  {
    title: 'a budget whose status is behind its spec',
    http: 429,
    message: VIOLATES,
    cause: ['DisruptionBudget', 'The disruption budget web is still being processed by the server.'],
    retryAfterMs: 10_000,
    answer: { kind: 'budgetStale', refusal: { budget: 'web' }, retryAfterMs: 10_000 },
  },
  {
    title: 'a budget that cannot be computed',
    http: 429,
    message: VIOLATES,
    cause: [
      'DisruptionBudget',
      'The disruption budget web does not allow evicting pods currently because it failed sync: found no controller',
    ],
    answer: {
      kind: 'budgetBroken',
      refusal: { budget: 'web' },
      text: 'The disruption budget web does not allow evicting pods currently because it failed sync: found no controller',
    },
  },
  {
    title: 'too many requests, which no budget is the cause of',
    http: 429,
    message: 'too many requests, please try again later',
    retryAfterMs: 1000,
    answer: { kind: 'throttled', retryAfterMs: 1000 },
  },
  {
    title: 'an admission webhook that puts it off',
    http: 429,
    message: MOVED_FIRST,
    answer: { kind: 'putOff', text: MOVED_FIRST },
  },
  {
    title: 'a namespace that is on its way out',
    http: 403,
    message: 'forbidden',
    cause: ['NamespaceTerminating', 'namespace x is being terminated'],
    answer: { kind: 'namespaceTerminating' },
  },
  {
    title: 'a negative budget',
    http: 403,
    message: 'poddisruptionbudget "web" is forbidden: pdb disruptions allowed is negative',
    answer: {
      kind: 'refused',
      status: 403,
      text: 'poddisruptionbudget "web" is forbidden: pdb disruptions allowed is negative',
    },
  },
  { title: 'two budgets', http: 500, message: TWO, answer: { kind: 'twoBudgets', text: TWO } },
  {
    title: 'conflicts over a budget',
    http: 504,
    message: PASSING,
    retryAfterSeconds: 10,
    answer: { kind: 'passing', text: PASSING, retryAfterMs: 10_000 },
  },
  { title: 'a failing server', http: 503, answer: { kind: 'passing', text: 'HTTP 503' } },
  { title: 'a credential that ran out', http: 401, answer: { kind: 'passing', text: 'HTTP 401' } },
  { title: 'a request that is wrong', http: 422, answer: { kind: 'refused', status: 422, text: 'HTTP 422' } },
]

const CALL: ApiCall = {
  verb: 'create',
  resource: 'pods/eviction',
  path: '/api/v1/namespaces/shop/pods/web-0/eviction',
}

for (const { title, http, absent, of, message = '', cause, retryAfterMs, retryAfterSeconds, answer } of ROWS) {
  test(`an eviction's answer: ${title}`, () => {
    const causes = cause === undefined ? [] : [{ reason: cause[0], message: cause[1] }]
    const reason = absent === undefined ? undefined : 'NotFound'
    const body = {
      kind: 'Status',
      code: http,
      reason,
      message,
      details: { name: absent, kind: of, causes, retryAfterSeconds },
    }
    assert.deepEqual(evictionAnswer(CALL, { status: http, body, retryAfterMs }), answer)
  })
}

test('a success that does not come from the API server is no accepted eviction', () => {
  for (const body of [undefined, {}, [], 'ok', { status: 'maintenance' }]) {
    assert.equal(evictionAnswer(CALL, { status: 200, body, retryAfterMs: undefined }).kind, 'passing')
  }
})

test('no answer, however odd, is taken for an accepted eviction or thrown', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ max: 199 }), fc.integer({ min: 300 })), fc.jsonValue(), (status, body) => {
      assert.notEqual(evictionAnswer(CALL, { status, body, retryAfterMs: undefined }).kind, 'accepted')
    }),
  )
})
