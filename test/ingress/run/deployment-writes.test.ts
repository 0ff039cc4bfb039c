import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { NodeAction } from '../../../src/ingress/decide/action.ts'
import { formatOp, OP_ANNOTATION } from '../../../src/ingress/decide/op.ts'
import type { IngressSpec } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { annotationsOf } from '../../../src/ingress/run/deployment-writes.ts'
import { HEALTH_ANNOTATION } from '../../../src/service/model/health-order.ts'
import { anIngress, anIngressSpec } from '../../support/ingress-objects.ts'

const KEY = 'evenkeel.dev/detach'
const OP = { id: 'op-1', revision: 'r1', phase: 'Detaching', t0: wallMs(0) } as const

const order = (minReadyPods: number, key = KEY): string =>
  JSON.stringify({ version: 1, ports: [30_080], minReadyPods, mark: { key, value: '' } })
const found = (ready: number, annotations: Readonly<Record<string, string>> = {}) => ({
  ready,
  annotations: { [HEALTH_ANNOTATION]: order(4), ...annotations },
})
const specOf = (pods: number) => anIngressSpec({ podsPerNode: pods, minReadyPodsPerNode: pods })
const of = (spec: IngressSpec) => ({ object: { ...anIngress(), spec } })
const scale = (replicas: number): NodeAction => ({ kind: 'scale', node: 'n1', replicas })

test('of fewer pods fewer are enough in the write that removes the others', () => {
  assert.deepEqual(annotationsOf(scale(1), of(specOf(1)), found(4)), { [HEALTH_ANNOTATION]: order(1) })
})

test('of more pods no more have to be ready in the write that adds them', () => {
  assert.deepEqual(annotationsOf(scale(8), of(specOf(8)), found(4)), {})
})

test('a health order that stands as it should is not written with what an operation writes', () => {
  const begun: NodeAction = { kind: 'writeOp', node: 'n1', op: OP }
  assert.deepEqual(annotationsOf(begun, of(specOf(4)), found(4)), { [OP_ANNOTATION]: formatOp(OP) })
})

test('a mark of another key counts from the write that sets it, and not while the old one stands for an operation', () => {
  const detach = { ...anIngressSpec().detach, deployment: { key: 'new/key', value: '', graceMs: 0 } }
  const renamed = { ...specOf(4), detach }
  const state = found(4, { [KEY]: '', [OP_ANNOTATION]: formatOp(OP) })
  const later: NodeAction = { kind: 'writeOp', node: 'n1', op: { ...OP, phase: 'Updating' } }
  assert.equal(HEALTH_ANNOTATION in annotationsOf(later, of(renamed), state), false)
  const marked: NodeAction = { ...later, mark: { key: 'new/key', value: '' } }
  assert.equal(annotationsOf(marked, of(renamed), state)[HEALTH_ANNOTATION], order(4, 'new/key'))
  const over: NodeAction = { kind: 'clearOp', node: 'n1' }
  assert.equal(annotationsOf(over, of(renamed), state)[HEALTH_ANNOTATION], order(4, 'new/key'))
})

test('a request to try it again goes with the write that meets it, and with no other', () => {
  const state = found(4, { 'evenkeel.dev/ingress-retry': 'op-1' })
  const again: NodeAction = { kind: 'writeOp', node: 'n1', op: OP }
  assert.equal('evenkeel.dev/ingress-retry' in annotationsOf(again, of(specOf(4)), state), false)
  const met: NodeAction = { ...again, isRetry: true }
  assert.equal(annotationsOf(met, of(specOf(4)), state)['evenkeel.dev/ingress-retry'], null)
})

const SKIP = 'evenkeel.dev/ingress-skip'
const ON = { [OP_ANNOTATION]: formatOp(OP) }
const SKIPPED: readonly (readonly [
  title: string,
  action: NodeAction,
  before: Readonly<Record<string, string>>,
  stays: boolean,
])[] = [
  ['its operation goes on', { kind: 'writeOp', node: 'n1', op: OP }, { ...ON, [SKIP]: 'op-1' }, true],
  ['another operation begins', { kind: 'writeOp', node: 'n1', op: { ...OP, id: 'op-2' } }, { [SKIP]: 'op-1' }, false],
  [
    'an operation begins for a revision that was given up',
    { kind: 'writeOp', node: 'n1', op: OP },
    { [SKIP]: 'r1' },
    false,
  ],
  ['its operation is over', { kind: 'clearOp', node: 'n1' }, { ...ON, [SKIP]: 'op-1' }, false],
  ['another revision is wanted', { kind: 'clearOp', node: 'n1' }, { [SKIP]: 'r1' }, false],
  ['it is given up once more', { kind: 'clearOp', node: 'n1', gaveUp: 'r1' }, { ...ON, [SKIP]: 'r1' }, true],
  ['its pods are available again', scale(4), { [SKIP]: 'r1' }, false],
  ['its pods are available again, and its operation goes on', scale(4), { ...ON, [SKIP]: 'op-1' }, true],
]

for (const [title, action, before, stays] of SKIPPED)
  test(`a request to skip a node goes with what it names: ${title}`, () => {
    assert.equal(annotationsOf(action, of(specOf(4)), found(4, before))[SKIP], stays ? undefined : null)
  })

test('no write of an object that gives way asks for other ports', () => {
  const conflicts = [{ code: 'IngressConflict', object: 'front', text: 'port 30081 is of another' }] as const
  const moved = of({ ...specOf(4), healthCheckNodePorts: [30_081] })
  const write: NodeAction = { kind: 'writeOp', node: 'n1', op: OP }
  assert.equal(HEALTH_ANNOTATION in annotationsOf(write, { ...moved, conflicts }, found(4)), false)
  assert.match(annotationsOf(write, moved, found(4))[HEALTH_ANNOTATION] ?? '', /30081/)
})
