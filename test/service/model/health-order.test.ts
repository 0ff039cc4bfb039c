import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatHealthOrder, type HealthOrder, parseHealthOrder } from '../../../src/service/model/health-order.ts'

const MARK = { key: 'example.com/out', value: '' }
const ORDER: HealthOrder = { ports: [30_100, 30_101], minReadyPods: 2, mark: MARK }
const text = (change: Readonly<Record<string, unknown>>): string => JSON.stringify({ version: 1, ...ORDER, ...change })

test('what a controller writes is what an agent reads', () => {
  assert.deepEqual(parseHealthOrder(formatHealthOrder(ORDER)), ORDER)
  assert.deepEqual(parseHealthOrder(formatHealthOrder({ ...ORDER, by: 'pods' })), { ...ORDER, by: 'pods' })
  assert.deepEqual(parseHealthOrder(text({ ports: [] })), { ...ORDER, ports: [] })
  assert.deepEqual(parseHealthOrder(text({ ports: [80, 80] })), { ...ORDER, ports: [80] })
})

const PORTS = 'its ports are not at most 8 numbers from 1 to 65535'
const WRONG: readonly (readonly [text: string, why: string])[] = [
  ['', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  [text({ version: 2 }), 'its version is not 1'],
  [text({ ports: '30100' }), PORTS],
  [text({ ports: [0] }), PORTS],
  [text({ ports: [65_536] }), PORTS],
  [text({ ports: ['80'] }), PORTS],
  [text({ ports: [1e300] }), PORTS],
  [text({ ports: [1.5] }), PORTS],
  [text({ ports: Array.from({ length: 9 }, (_, i) => i + 1) }), PORTS],
  [text({ ports: Array.from({ length: 10_000 }, (_, i) => i + 1) }), 'it is longer than 8192 characters'],
  [text({ minReadyPods: 0 }), 'its minReadyPods is not a number from 1 to 1000000'],
  [text({ minReadyPods: -1 }), 'its minReadyPods is not a number from 1 to 1000000'],
  [text({ minReadyPods: 1e21 }), 'its minReadyPods is not a number from 1 to 1000000'],
  [text({ minReadyPods: null }), 'its minReadyPods is not a number from 1 to 1000000'],
  [text({ mark: 'out' }), 'its mark is not a key and a value'],
  [text({ mark: { key: '', value: '' } }), 'its mark is not a key and a value'],
  [text({ mark: { key: 'a' } }), 'its mark is not a key and a value'],
  [text({ by: 'agent' }), 'its by is not pods'],
]

for (const [written, why] of WRONG) {
  test(`${written.slice(0, 90)}: ${why}`, () => assert.equal(parseHealthOrder(written), why))
}

test('whatever is written is an order within its bounds, or words', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((raw) => text({ ports: JSON.parse(raw) })),
      ),
      (written) => {
        const read = parseHealthOrder(written)
        return (
          typeof read === 'string' || (read.ports.length <= 8 && read.ports.every((port) => port > 0 && port < 65_536))
        )
      },
    ),
  )
})
