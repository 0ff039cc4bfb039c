import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SliceEndpoint } from '../../../src/sim/actors/service-endpoints.ts'
import { slicePartsOf } from '../../../src/sim/actors/slice-parts.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'

const endpoint = (i: number): SliceEndpoint => ({
  addresses: [`10.0.0.${i}`],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: { kind: 'Pod', namespace: 'default', name: `p${i}`, uid: `uid-${i}` },
})
const endpoints = (from: number, to: number): readonly SliceEndpoint[] =>
  Array.from({ length: to - from }, (_, i) => endpoint(from + i))
const slice = (of: readonly SliceEndpoint[]): ApiObject =>
  ({ metadata: { name: 's' }, endpoints: of }) as unknown as ApiObject

const sizes = (parts: ReturnType<typeof slicePartsOf>): readonly number[] => parts.map((part) => part.endpoints.length)

test('a slice holds a hundred endpoints, and a Service without any has one slice', () => {
  assert.deepEqual(sizes(slicePartsOf([], [])), [0])
  assert.deepEqual(sizes(slicePartsOf(endpoints(0, 100), [])), [100])
  assert.deepEqual(sizes(slicePartsOf(endpoints(0, 250), [])), [100, 100, 50])
})

test('an endpoint stays in its slice, and a new one goes where there is room', () => {
  const slices = [slice(endpoints(0, 100)), slice(endpoints(100, 150))]
  const now = [...endpoints(0, 20), ...endpoints(21, 150), endpoint(300), endpoint(301)]
  const [first, second] = slicePartsOf(now, slices)
  assert.deepEqual(first?.endpoints, [...endpoints(0, 20), ...endpoints(21, 100), endpoint(300)])
  assert.deepEqual(second?.endpoints, [...endpoints(100, 150), endpoint(301)])
})
