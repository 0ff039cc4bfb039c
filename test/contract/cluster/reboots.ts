import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterDoor } from './cluster-door.ts'
import type { ClusterGround, Moment } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, containerId, isReady } from './pod-facts.ts'
import { isRestarted, readsReady } from './restarted-pod.ts'
import type { SeenPod } from './seen-objects.ts'

interface Story {
  readonly node: string
  readonly start: Moment
  readonly podsBefore: readonly SeenPod[]
  /** The commit in which the Node shows the new boot. */
  readonly boot: Change<'node'>
}

interface Bounds {
  readonly leastMs: number
  readonly mostMs: number
}

/** Reboots too short for the control plane to miss the node: only the boot id tells of them at once. */
export function rebootsContract(ground: () => ClusterGround): void {
  test('a soft reboot: Lease, boot id, pods that are not what they seem, then each pod anew in its place', async () => {
    const story = await seen(ground(), () => reboot(ground(), 'n1', (door, node) => door.reboot(node)))
    // The processes end first: the app serves on for its three seconds.
    holds(ground(), story, { leastMs: 2_000, mostMs: 25_000 })
  })

  test('a power cut: the same, without the time that processes take to end', async () => {
    const story = await seen(ground(), () => reboot(ground(), 'n2', (door, node) => door.powerCycle(node)))
    holds(ground(), story, { leastMs: 500, mostMs: 20_000 })
  })
}

/** A kubelet that waits for a processor may tell of its pods before it tells of its boot: such a reboot is made once more. */
async function seen(ground: ClusterGround, rebooted: () => Promise<Story>): Promise<Story> {
  const first = await rebooted()
  return readsReady(ground, first.podsBefore, first.boot.revision) ? first : rebooted()
}

async function reboot(
  ground: ClusterGround,
  node: string,
  how: (door: ClusterDoor, node: string) => Promise<void>,
): Promise<Story> {
  const { log, door } = ground
  const podsBefore = ground.podsOn(node)
  const before = log.named('node', node)?.status.nodeInfo.bootID
  const start = await ground.now()
  await how(door, node)
  const boot = await door.waitUntil({ what: `a new boot id of ${node}`, limitMs: 60_000 }, () =>
    log
      .changes('node', start.revision)
      .find(({ object }) => object.metadata.name === node && object.status.nodeInfo.bootID !== before),
  )
  const old = podsBefore.map(containerId)
  await ground.until('the pods to be Ready in other containers', () =>
    ground.podsOn(node).every((pod) => isReady(pod) && !old.includes(containerId(pod))),
  )
  await ground.settled(10)
  return { node, start, podsBefore, boot }
}

function holds(ground: ClusterGround, story: Story, { leastMs, mostMs }: Bounds): void {
  const { boot, start, node, podsBefore } = story
  const { log } = ground
  assert.ok(podsBefore.length >= 2)
  const afterMs = boot.atMs - start.atMs
  assert.ok(afterMs >= leastMs && afterMs <= mostMs, `the new boot id shows after ${afterMs} ms`)

  const renewal = log
    .changes('lease')
    .findLast(({ object, revision }) => object.metadata.name === node && revision < boot.revision)
  const lagMs = boot.atMs - (renewal?.atMs ?? 0)
  assert.ok(lagMs > 0 && lagMs < 3_000, `the Lease is renewed before the boot id shows, by ${lagMs} ms`)

  for (const { object } of log.changes('node', start.revision).filter(({ object }) => object.metadata.name === node)) {
    assert.equal(condition(object, 'Ready')?.status, 'True', 'nobody missed the node')
    assert.equal(object.spec.taints, undefined)
  }
  assert.ok(readsReady(ground, podsBefore, boot.revision), 'when the new boot id shows, its pods still read Ready')
  for (const pod of podsBefore) isRestarted(ground, pod, { boot, start })
  const types = log.changes('pod', start.revision).map(({ type }) => type)
  assert.deepEqual([...new Set(types)], ['MODIFIED'], 'no pod came or went')
}
