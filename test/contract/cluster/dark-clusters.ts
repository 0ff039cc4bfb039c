import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround, Moment } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { isReady } from './pod-facts.ts'
import type { SeenNode } from './seen-objects.ts'

const UNREACHABLE = 'node.kubernetes.io/unreachable'
/** Between two nodes whose pods are driven out (`--node-eviction-rate` 0.1). */
const PACE_MS = 10_000

const evicts = ({ spec }: SeenNode): boolean =>
  spec.taints?.some(({ key, effect }) => key === UNREACHABLE && effect === 'NoExecute') === true

/** No node is heard of, which may be the network's fault: no pod is evicted for it. */
export function darkClustersContract(ground: () => ClusterGround): void {
  const [first, ...others] = ['n1', 'n2', 'n3'] as const
  let dark: Moment = { revision: 0, atMs: 0 }
  const seen = (
    what: string,
    node: string,
    is: (object: SeenNode) => boolean,
    { revision }: Pick<Moment, 'revision'>,
  ): Promise<Change<'node'>> =>
    ground().door.waitUntil({ what, limitMs: 90_000 }, () =>
      ground()
        .log.changes('node', revision)
        .find(({ object }) => object.metadata.name === node && is(object)),
    )

  test('a node with a taint against old pods loses it when the last of the others is missed too', async () => {
    const { door, log } = ground()
    const start = await ground().now()
    await door.powerOff(first)
    const tainted = await seen('a taint against old pods', first, evicts, start)
    for (const node of others) await door.powerOff(node)
    const spared = await seen('that taint to go', first, (object) => !evicts(object), tainted)
    assert.deepEqual(
      spared.object.spec.taints?.map(({ key, effect }) => [key, effect]),
      [[UNREACHABLE, 'NoSchedule']],
    )
    assert.deepEqual(log.all('node', spared.revision).filter(isReady), [])
    dark = spared
  })

  test('it has none for as long as no node is heard of', async () => {
    const { door, log } = ground()
    const untilMs = dark.atMs + 1.5 * PACE_MS
    await door.waitUntil({ what: 'the time of another taint to be over', limitMs: 3 * PACE_MS }, () =>
      door.nowMs() > untilMs ? true : undefined,
    )
    const changes = log.changes('node', dark.revision).filter(({ object }) => object.metadata.name === first)
    assert.deepEqual(
      changes.filter(({ object }) => evicts(object)),
      [],
    )
  })

  test('it gets it again some time after another is back', async () => {
    const { door } = ground()
    const start = await ground().now()
    for (const node of others) await door.powerOn(node)
    const readyAgain = await Promise.all(others.map((node) => seen(`${node} to be Ready`, node, isReady, start)))
    const again = await seen('the taint to be back', first, evicts, start)
    const soonestMs = Math.min(...readyAgain.map(({ atMs }) => atMs))
    assert.ok(again.atMs - soonestMs > PACE_MS / 2, `after ${again.atMs - soonestMs} ms`)
    await door.powerOn(first)
    await ground().until('all nodes to be Ready, without a taint', () => {
      const nodes = ground().log.all('node')
      return nodes.every((node) => isReady(node) && node.spec.taints === undefined)
    })
    await ground().settled(10)
  })
}
