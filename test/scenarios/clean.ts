import assert from 'node:assert/strict'
import { STEPS } from '../../src/roll/model/step.ts'
import { evictedPods, unwritten } from '../support/roll-bed/unwritten.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'

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
