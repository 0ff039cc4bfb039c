import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import type { RunState } from '../../../src/roll/run/run-state.ts'
import { DetachedNodes } from '../../../src/service/actuators/detacher/io/detached-nodes.ts'
import type { DetacherSpec } from '../../../src/service/model/detacher.ts'
import type { MemoryCluster } from '../../support/memory-cluster.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aSpec } from '../../support/roll-world.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'

const AFTER_MS = 4_000

/** A detacher as node-detacher is: it goes by the key alone, and answers after a while. `away`: it does nothing. */
class MemoryDetacher {
  away = false
  readonly #over = new AbortController()

  constructor(cluster: MemoryCluster, clock: VirtualClock, spec: DetacherSpec) {
    void this.#work({ cluster, clock, spec })
  }

  end(): void {
    this.#over.abort()
  }

  async #work({ cluster, clock, spec }: { cluster: MemoryCluster; clock: VirtualClock; spec: DetacherSpec }) {
    while (!this.#over.signal.aborted) {
      await clock.sleep(AFTER_MS, this.#over.signal).catch(() => undefined)
      if (this.away || this.#over.signal.aborted) continue
      const at = new Date(clock.wallMs()).toISOString()
      for (const { name, annotations } of await cluster.list('nodes')) {
        const after = answered(annotations, spec, at)
        if (after !== undefined) cluster.change(name, { annotations: after })
      }
    }
  }
}

function answered(
  annotations: Node['annotations'],
  { request, detachedKey, attachedKey = '' }: DetacherSpec,
  at: string,
): Node['annotations'] | undefined {
  const { [detachedKey]: detached, ...others } = annotations
  const isDetached = detached !== undefined && !(others[attachedKey] !== undefined && others[attachedKey] >= detached)
  if (request.key in annotations) return isDetached ? undefined : { ...annotations, [detachedKey]: at }
  return isDetached ? { ...others, [attachedKey]: at } : undefined
}

const REQUEST = 'node-detacher.variant.run/detached'
const DETACHED = 'node-detacher.variant.run/detachment-timestamp'
const ATTACHED = 'node-detacher.variant.run/attachment-timestamp'
const DETACHER: DetacherSpec = {
  request: { key: REQUEST, value: 'evenkeel' },
  detachedKey: DETACHED,
  attachedKey: ATTACHED,
  dataPort: 443,
  graceMs: 10_000,
  attachGraceMs: 10_000,
  skewMs: 5_000,
}
const edge = { name: 'edge', instances: ['edge'], backends: ['nodes'], allowLastServer: false }
const balancer = { ...edge, via: { kind: 'detacher' as const, ...DETACHER } }
const spec = aSpec({ balancers: [balancer] })

type World = Pick<MemoryRoll, 'clock' | 'cluster'>

function aRoll(annotations: Node['annotations'] = {}, run: Partial<RunState> = {}, world?: World): MemoryRoll {
  return memoryRoll({
    run: { spec, order: ['n1'], ...run },
    nodes: ['n1', 'n2', 'n3'].map((name) => aNode(name, name === 'n1' ? { annotations } : {})),
    readers: (cluster, clock) => [new DetachedNodes({ spec: balancer, cluster, clock })],
    ...(world === undefined ? {} : { world }),
  })
}

function begun(t: TestContext, roll: MemoryRoll, away = false) {
  const detacher = new MemoryDetacher(roll.cluster, roll.clock, DETACHER)
  detacher.away = away
  const running = roll.begin()
  t.after(async () => {
    await leave(roll, running)
    detacher.end()
  })
  return { detacher, running }
}

const held = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) => ('reasons' in event ? event.reasons.map(({ text }) => text) : []))

const marks = ({ cluster }: MemoryRoll) => Object.keys(cluster.node('n1').annotations).sort()

test('a node is rebooted once its detacher has said that it is detached and the grace is over, and is put back', async (t) => {
  const roll = aRoll()
  begun(t, roll)
  await roll.clock.advance(13_000)
  assert.deepEqual([roll.reboots, roll.cluster.node('n1').annotations[REQUEST]], [[], 'evenkeel'])
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, marks(roll), roll.ended()?.outcome], [['n1'], [ATTACHED], 'completed'])
})

test('a time of an earlier cycle detaches nothing', async (t) => {
  const roll = aRoll({ [DETACHED]: '2020-01-01T00:00:00Z', [ATTACHED]: '2020-01-01T01:00:00Z' })
  const { detacher } = begun(t, roll, true)
  await roll.clock.advance(60_000)
  assert.deepEqual(roll.reboots, [])
  assert.ok(held(roll).some((text) => text.endsWith(`the annotation ${DETACHED} is older than the request`)))
  detacher.away = false
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, roll.ended()?.outcome], [['n1'], 'completed'])
})

test('a detacher that is away is named, and the limit puts everything back', async (t) => {
  const roll = aRoll()
  begun(t, roll, true)
  await roll.clock.advance(60_000)
  const missing = `the detacher has not said that n1 is detached: the annotation ${DETACHED} is missing`
  assert.ok(held(roll).includes(missing))
  await roll.clock.advance(spec.drain.blockedLimitMs + 120_000)
  assert.deepEqual([roll.reboots, marks(roll), roll.cluster.node('n1').unschedulable], [[], [], false])
  assert.notEqual(roll.ended()?.outcome, 'completed')
})

test('a roll that ends between the request and the answer is resumed where it was', async (t) => {
  const first = aRoll()
  const { running, detacher } = begun(t, first, true)
  await first.clock.advance(20_000)
  assert.equal(first.cluster.node('n1').annotations[REQUEST], 'evenkeel')
  await leave(first, running)
  detacher.away = false
  const second = aRoll({}, { resumed: true }, first)
  begun(t, second)
  await second.clock.advance(600_000)
  assert.deepEqual([second.reboots, marks(second), second.ended()?.outcome], [['n1'], [ATTACHED], 'completed'])
})

test('a request that was there before is never removed, and the node goes back to being out', async (t) => {
  const roll = aRoll({ [REQUEST]: 'by-hand', [DETACHED]: '2020-01-01T00:00:00Z' })
  begun(t, roll)
  await roll.clock.advance(600_000)
  const { annotations, unschedulable } = roll.cluster.node('n1')
  assert.deepEqual([roll.reboots, annotations[REQUEST], unschedulable], [['n1'], 'by-hand', false])
})
