import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { ApiFleet } from '../support/ingress-api/api-fleet.ts'
import { claimsOn, nodeOf, operationOf } from '../support/ingress-api/api-object.ts'
import { crashPoints, foundOn, isHeldSlot, slotNode } from '../support/ingress-api/crash-point.ts'
import { IngressApiGround } from '../support/ingress-api/ingress-api-ground.ts'
import { MortalController } from '../support/ingress-api/mortal-controller.ts'
import { RolloutLaw } from '../support/ingress-api/rollout-law.ts'
import { requires } from '../support/requires.ts'
import { isNight } from '../support/roll-bed/at-night.ts'
import { SeededRandom } from '../support/seeded-random.ts'

const ROUNDS = isNight ? 100 : 2
const KILLS_AT_MOST = isNight ? 3 : 1
const NODES = isNight ? 3 : 2
/** Each node takes some twelve. */
const WRITES_BETWEEN = 20
const ROUND_MS = 180_000

const ASKED = 'web.example/detach'
const ANSWERED = 'web.example/detached-at'
const MARKS = { deployment: 'web.example/to-be-updated', node: ASKED }
const GRACE_MS = 1_000
const ROLLING = {
  annotateDeploymentToDetach: { key: MARKS.deployment, gracePeriodSeconds: GRACE_MS / 1_000 },
  annotateNodeToDetach: { key: ASKED, value: 'true', gracePeriodSeconds: 0 },
  waitForDetachmentByAnnotatedTimestamp: { key: ANSWERED, gracePeriodSeconds: 0 },
}

describe('a controller that is killed by SIGKILL, on a real API server', requires('testbed', 'helm'), () => {
  let ground: IngressApiGround
  let controller: MortalController
  let fleet: ApiFleet
  let law: RolloutLaw

  before(async () => {
    ground = await IngressApiGround.open('1')
    controller = await MortalController.begin(ground)
    ground.detacher(ASKED, ANSWERED)
    law = new RolloutLaw(ground, MARKS)
    fleet = new ApiFleet(ground, { name: 'web', nodes: NODES })
    await fleet.makeNodes()
    await fleet.create('web:0', fleet.detaching(ROLLING))
  })
  after(async () => {
    await controller?.end()
    await ground?.close()
  })

  /** At so-manieth writes, drawn by the seed; each death counts from the one before. */
  function killsBy(seed: number): void {
    const random = new SeededRandom(seed)
    const draw = (most: number): number => 1 + Math.floor(random.next() * most)
    let [left, until] = [draw(KILLS_AT_MOST), draw(WRITES_BETWEEN)]
    controller.judge = () => {
      until -= 1
      if (left === 0 || until > 0) return undefined
      left -= 1
      until = draw(WRITES_BETWEEN)
      return random.next() < 0.5 ? 'before' : 'after'
    }
  }

  async function untilNothingIsLeft(): Promise<void> {
    let left: readonly string[] = []
    const wait = { what: 'nothing to be left', limitMs: 30_000, everyMs: 100, explain: () => left.join('\n') }
    await waitFor(wait, async () => {
      left = await law.leftOver(fleet)
      return left.length === 0 || undefined
    })
    controller.mustBeWell()
  }

  test(`in ${ROUNDS} rollouts, at writes drawn by a seed: each ends as if it had lived`, async (t) => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const killed = controller.kills
      killsBy(seed)
      const since = await fleet.changeImage(`web:${seed}`)
      await fleet.rolledOut(`web:${seed}`, ROUND_MS)
      await untilNothingIsLeft()
      const { mostOut, early } = law.broken(since, [fleet], 2)
      const said = `seed ${seed}, killed ${controller.kills - killed} times`
      assert.deepEqual([mostOut.length, early], [1, []], `${said}; out at once: ${mostOut.join()}`)
      assert.ok(controller.kills > killed, said)
    }
    assert.deepEqual(ground.failures(), [])
    t.diagnostic(`${ROUNDS} rollouts, ${controller.kills} kills, ${controller.lapses} ended because of a late renewal`)
  })

  test('after each write of one node in turn, it goes on where it was, and neither begins anew nor waits shorter', async () => {
    await fleet.rolledOut(`web:${ROUNDS}`, ROUND_MS)
    const points = [...crashPoints(MARKS)]
    let diedAt: readonly [wallMs: number, node: string][] = []
    controller.judge = (write) => (points[0]?.isLast(write) === true ? 'done' : undefined)
    const killed = controller.kills
    const since = await fleet.changeImage('web:crash')
    for (let death = 1; points.length > 0; death += 1) {
      await ground.until(`death ${death}`, () => controller.kills === killed + death)
      const [{ title, found } = { title: '', found: '' }] = points.splice(0, 1)
      const expected = found.replace('web:old', `web:${ROUNDS}`).replace('web:new', 'web:crash')
      // The watch may show the slot a moment after the write.
      const nodeOfSlot = () => slotNode(ground) ?? ''
      const seen = () => foundOn(fleet, nodeOfSlot(), { marks: MARKS, hasSlot: nodeOfSlot() !== '' })
      await ground.until(`${title}: ${expected}`, () => seen() === expected, 5_000)
      diedAt = [...diedAt, [Date.now(), nodeOfSlot()]]
    }
    await fleet.rolledOut('web:crash', ROUND_MS)
    await untilNothingIsLeft()
    const [[, node] = [0, '']] = diedAt
    assert.deepEqual([...new Set(diedAt.map(([, name]) => name))], [node], 'all of them for one node')
    const operations = new Map<string, Set<string>>()
    const holders: string[] = []
    const templates: string[] = []
    let t1 = ''
    fleet.replay(since, (world) => {
      const deployment = fleet.deploymentIn(world, node)
      if (deployment === undefined) return
      const template = JSON.stringify(deployment.spec?.template)
      if (template !== templates.at(-1)) templates.push(template)
      const op = operationOf(deployment)
      if (op === undefined) return
      operations.set(op.id, (operations.get(op.id) ?? new Set()).add(op.t0))
      t1 = op.t1 ?? t1
    })
    fleet.replay(since, (_world, { kind, object }) => {
      if (kind === 'slots' && object.metadata.name.startsWith('evenkeel-slot-'))
        holders.push(isHeldSlot(object) ? (nodeOf(object) ?? '') : 'free')
    })
    assert.deepEqual(
      [...operations.values()].map((times) => times.size),
      [1],
      'one operation, begun once',
    )
    assert.equal(holders.lastIndexOf(node), holders.indexOf('free') - 1, 'the slot is held until it is given back once')
    const [markedAndDied = 0] = diedAt[2] ?? []
    assert.ok(
      Date.parse(t1) >= markedAndDied,
      'what began the grace of the Node was not written by the process that died',
    )
    assert.equal(templates.length, 2, 'the template of before, and the one after it')
    assert.deepEqual(
      Object.values(law.broken(since, [fleet], 2)).map((found) => found.length),
      [1, 0],
    )
  })

  test('while its object is deleted in the middle of a rollout: the nodes are put back before the object goes', async () => {
    const since = await fleet.changeImage('web:last')
    await ground.until('a node whose pods change', () =>
      fleet.deployments().some((one) => operationOf(one)?.phase === 'Updating'),
    )
    const killed = controller.kills
    let isDeleted = false
    controller.judge = ({ path }) => {
      if (!isDeleted || controller.kills > killed || !path.includes('/nodes/')) return undefined
      return 'done'
    }
    isDeleted = true
    await ground.mustAsk('DELETE', `${fleet.path}/${fleet.name}`)
    await ground.until('the death', () => controller.kills > killed)
    const object = fleet.object()
    assert.deepEqual(object?.metadata.finalizers, ['evenkeel.dev/detached-nodes'])
    await ground.until('the object to be gone', () => fleet.object() === undefined)
    let left: readonly string[] | undefined
    fleet.replay(since, (world, { kind, type }) => {
      if (kind !== 'objects' || type !== 'DELETED') return
      left = [...world.nodes.values()]
        .filter((one) => claimsOn(one).length > 0 || one.metadata.annotations?.[ASKED] !== undefined)
        .map(({ metadata }) => metadata.name)
    })
    assert.deepEqual(left, [])
    await untilNothingIsLeft()
    const uid = object?.metadata.uid
    await ground.until('all that was its own to be gone', () =>
      [...ground.history.now('deployments'), ...ground.history.now('gates'), ...ground.history.now('pods')].every(
        ({ metadata }) => metadata.labels?.['evenkeel.dev/ingress-uid'] !== uid,
      ),
    )
  })
})
