import assert from 'node:assert/strict'
import type { RollEvent } from '../../src/roll/model/roll-event.ts'
import { STEPS } from '../../src/roll/model/step.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'

/** What a roll that did its work has written for a node, in this order, as one backend's server sees it. */
const writesOf = (node: string, backend: string): readonly string[] => [
  `take a slot of the node budget for ${node}`,
  `record what was there before on ${node}`,
  `cordon ${node}`,
  `set ${backend}/${node} on lb-1 to drain`,
  `taint ${node} evenkeel.dev/out:NoSchedule`,
  'evict default/edge-',
  `announce the reboot on ${node}`,
  `reboot ${node}`,
  `untaint ${node} evenkeel.dev/out:NoSchedule`,
  `uncordon ${node}`,
  `set ${backend}/${node} on lb-1 to ready`,
  `take the record off ${node}`,
  `release the slot of ${node}`,
]

/** Those that are not among the writes that succeeded, or not in this order: a step that had nothing to do wrote nothing. */
function unwritten(events: readonly RollEvent[], node: string, backend: string): readonly string[] {
  const made = events.flatMap((event) =>
    event.type === 'write' && event.node === node && event.ok ? [event.text] : [],
  )
  let from = 0
  return writesOf(node, backend).filter((wanted) => {
    const at = made.findIndex(
      (text, i) => i >= from && (wanted.endsWith('-') ? text.startsWith(wanted) : text === wanted),
    )
    if (at >= 0) from = at + 1
    return at < 0
  })
}

/** The pods that were evicted from whatever node. */
const evictedPods = (events: readonly RollEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'pod.moved' ? [event.pod] : []))

const APPS = ['whoami', 'db', 'edge']

async function podsOf({ list }: RollGround): Promise<readonly string[]> {
  const found = await list(`/api/v1/namespaces/default/pods?labelSelector=app+in+(${APPS.join('%2C')})`)
  assert.ok(found.length >= 10, `${found.length} pods`)
  return found.map(({ metadata }) => `default/${metadata.name}`)
}

/** Every node rebooted once, by every step and every write; every pod moved, nothing astray, nothing left. */
export async function cleanRoll(ground: RollGround): Promise<Judged> {
  const boots = ground.countBoots()
  const pods = await podsOf(ground)
  const judge = await ground.judge()
  const roll = await ground.roll()
  const { code, story } = await roll.ended()
  const judged = await judge.verdict()
  const { events } = roll
  assert.equal(code, 0, story)
  assert.deepEqual(await boots.stop(), Object.fromEntries(ground.nodes.map((node) => [node, 1])))
  assert.deepEqual(await leftoversOf(ground), [])
  assert.deepEqual(
    events.filter(({ type }) => type === 'stray'),
    [],
  )
  for (const node of ground.nodes) {
    const steps = events.flatMap((event) => (event.type === 'step.started' && event.node === node ? [event.step] : []))
    assert.deepEqual(
      STEPS.filter((step) => !steps.includes(step)),
      [],
      `steps ${node} did not take`,
    )
    for (const backend of ['web', 'edge']) {
      assert.deepEqual(unwritten(events, node, backend), [], `what was not written for ${node} and ${backend}`)
    }
  }
  const moved = evictedPods(events)
  assert.deepEqual(
    pods.filter((pod) => !moved.includes(pod)),
    [],
    'pods that were there before and were evicted from no node',
  )
  assert.deepEqual(
    events.map(({ seq }) => seq).filter((seq, i) => seq !== i),
    [],
    'events are numbered without gaps',
  )
  return judged
}
