import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnnouncedCondition } from '../../../../src/ground/model/announced-conditions.ts'
import type { Node } from '../../../../src/ground/model/node.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { ConditionsChange } from '../../../../src/ground/ports/cluster.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import { ConditionKeeper } from '../../../../src/roll/run/announce/condition-keeper.ts'
import { aNode } from '../../../support/roll-world.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

/** A keeper over a cluster that has one condition list a node. */
class World {
  readonly clock = new VirtualClock()
  readonly events: RollEvent[] = []
  readonly writes: ConditionsChange[] = []
  readonly #ends = new AbortController()
  refusal: WorldError | undefined
  mayAct = true
  readonly keeper = new ConditionKeeper({
    run: { id: 'run-1' },
    cluster: {
      setConditions: async (change) => {
        if (this.refusal !== undefined) throw this.refusal
        this.writes.push(change)
      },
    },
    mayAct: () => this.mayAct,
    clock: this.clock,
    random: new SeededRandom(1),
    events: { emit: (event) => void this.events.push(event) },
  })
  readonly #running = this.keeper.run(this.#ends.signal).catch(() => undefined)

  async want(types: readonly AnnouncedCondition[], node: Node = aNode('n1')): Promise<void> {
    this.keeper.want({ node, types })
    await this.clock.advance(10)
  }

  /** Of each write, what it set and what it removed. */
  changes(): readonly (readonly [set: readonly string[], removed: readonly string[]])[] {
    return this.writes.map(({ conditions }) => {
      const types = Object.keys(conditions)
      return [types.filter((type) => conditions[type] !== null), types.filter((type) => conditions[type] === null)]
    })
  }

  warnings(): readonly string[] {
    return this.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  }

  async end(): Promise<void> {
    this.#ends.abort(new Error('over'))
    await this.#running
  }
}

const refused = new WorldError('nodes "n1" is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'backoff' })

test('each change is one write of what differs, with its cause and its run', async () => {
  const world = new World()
  await world.want(['MaintenancePlanned'])
  await world.want(['MaintenancePlanned', 'DrainInProgress'])
  await world.want(['Drained', 'MaintenanceInProgress'])
  await world.want(['Drained', 'MaintenanceInProgress'])
  await world.want([])
  await world.end()
  assert.deepEqual(world.changes(), [
    [['MaintenancePlanned'], []],
    [['DrainInProgress'], []],
    [
      ['Drained', 'MaintenanceInProgress'],
      ['MaintenancePlanned', 'DrainInProgress'],
    ],
    [[], ['Drained', 'MaintenanceInProgress']],
  ])
  assert.deepEqual(world.writes[2]?.conditions.Drained, {
    reason: 'DrainCompleted',
    message: 'Even Keel, run run-1',
    at: '2026-01-01T00:00:00Z',
  })
  assert.equal(world.writes[0]?.conditions.MaintenancePlanned?.reason, 'AdminRequested')
})

test('a process that takes the run up removes what an earlier one has announced, and sets nothing twice', async () => {
  const world = new World()
  const announced = { MaintenancePlanned: 'run-1', DrainInProgress: 'run-1', Drained: 'run-0' }
  await world.want(['MaintenancePlanned'], aNode('n1', { announced }))
  await world.end()
  assert.deepEqual(world.changes(), [[[], ['DrainInProgress']]])
})

test('a write that fails is reported once, tried again, and what is wanted by then is written', async () => {
  const world = new World()
  world.refusal = refused
  await world.want(['MaintenancePlanned'])
  await world.clock.advance(60_000)
  await world.want(['Drained', 'MaintenanceInProgress'])
  world.refusal = undefined
  await world.clock.advance(60_000)
  await world.end()
  assert.deepEqual(world.warnings(), ['the conditions of n1 do not say what the roll does: nodes "n1" is forbidden'])
  assert.deepEqual(world.changes(), [[['Drained', 'MaintenanceInProgress'], []]])
})

test('nothing is sent while the slot is not renewed', async () => {
  const world = new World()
  world.mayAct = false
  await world.want(['MaintenancePlanned'])
  assert.deepEqual(world.changes(), [])
  world.mayAct = true
  await world.clock.advance(60_000)
  await world.end()
  assert.deepEqual(world.changes(), [[['MaintenancePlanned'], []]])
})

test('a node that was registered again begins with what it has', async () => {
  const world = new World()
  await world.want(['Drained'])
  await world.want(['Drained'], aNode('n1', { uid: 'another' }))
  await world.end()
  assert.deepEqual(
    world.writes.map(({ uid }) => uid),
    ['uid-n1', 'another'],
  )
})
