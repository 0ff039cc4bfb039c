import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { CONFIG_MAPS, EVENTS, NODE_GUARDS } from '../../../src/sim/world/api-resource.ts'
import { field } from '../../contract/api/field.ts'
import { GUARDS, MAPS } from '../../contract/frame/frame-ground.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { SmallController } from '../../support/small-controller/small-controller.ts'

const never = new AbortController().signal
const MINUTE = 60_000

/** An API server in virtual time, and controllers that stand on the frame. */
function aGround(t: TestContext) {
  const api = new EmbeddedApi('default')
  const { time, world } = api
  const portsOf = (seed: number) => {
    const log = { debug: () => undefined, warn: () => undefined }
    const random = new SeededRandom(seed)
    return {
      objects: kubeObjects({ client: api.client(), reach: new ApiReach(time), clock: time, random, log }),
      random,
    }
  }
  const { objects } = portsOf(1)
  const begin = (seed: number) => {
    const stop = new AbortController()
    const controller = new SmallController({ ...portsOf(seed), clock: time })
    const running = controller.run(stop.signal).catch((error: unknown) => error)
    const kill = async (): Promise<void> => {
      stop.abort(new Error('killed'))
      await api.done(running)
    }
    t.after(kill)
    return { controller, kill }
  }
  const make = (name: string, size: number) =>
    api.done(
      objects.create({ kind: GUARDS, namespace: 'default', object: { metadata: { name }, spec: { size } } }, never),
    )
  const maps = () => [...world.store.all(CONFIG_MAPS)].map((map) => String(field(map, 'data.guard')))
  const statusOf = (name: string) => {
    const guard = world.store.get(NODE_GUARDS, { namespace: 'default', name })
    return [field(guard, 'status.conditions.0.status'), field(guard, 'status.conditions.0.message')]
  }
  const events = () =>
    [...world.store.all(EVENTS)].map((event) => `${field(event, 'count')} ${field(event, 'message')}`).toSorted()
  return { api, time, world, objects, begin, make, maps, statusOf, events }
}

test('law: a status that says so already is not written; a controller makes what is wanted, and writes nothing while nothing changes', async (t) => {
  const { time, world, begin, make, maps, statusOf, events } = aGround(t)
  await make('a', 2)
  const { controller } = begin(2)
  await make('b', 1)
  await time.advance(2_000)
  assert.deepEqual(maps().toSorted(), ['a', 'a', 'b'])
  assert.deepEqual(statusOf('a'), ['True', '2 of 2 maps are there.'])
  assert.ok(events().includes('1 2 of 2 maps are there'), events().join())
  const [{ revision }, { passes }] = [world.store, controller.status()]
  await time.advance(10 * MINUTE)
  assert.equal(world.store.revision, revision)
  assert.ok(controller.status().passes >= passes + 16, 'though both were looked at again and again')
})

test('an object that another client deletes comes back, and an object that the spec no longer wants goes', async (t) => {
  const { api, time, objects, begin, make, maps, statusOf } = aGround(t)
  await make('a', 2)
  begin(2)
  await time.advance(2_000)
  const [first] = await api.done(objects.list({ kind: MAPS }, never))
  assert.ok(first)
  await api.done(objects.delete({ kind: MAPS, namespace: 'default', name: first.name }, never))
  await time.advance(2_000)
  assert.equal(maps().length, 2)
  await api.done(objects.patch({ kind: GUARDS, namespace: 'default', name: 'a', patch: { spec: { size: 0 } } }, never))
  await time.advance(2_000)
  assert.deepEqual([maps(), statusOf('a')], [[], ['True', '0 of 0 maps are there.']])
})

test('an object that is deleted is forgotten with its key', async (t) => {
  const { api, time, objects, begin, make } = aGround(t)
  await make('a', 1)
  const { controller } = begin(2)
  await time.advance(2_000)
  await api.done(objects.delete({ kind: GUARDS, namespace: 'default', name: 'a' }, never))
  await time.advance(2_000)
  assert.deepEqual([controller.status().depth, controller.status().trouble], [0, undefined])
})

test('a process that comes after a killed one finds what was done and writes nothing', async (t) => {
  const { time, world, begin, make, maps } = aGround(t)
  await make('a', 2)
  const first = begin(2)
  await time.advance(2_000)
  await first.kill()
  const { revision } = world.store
  begin(3)
  await time.advance(5 * MINUTE)
  assert.deepEqual([world.store.revision, maps()], [revision, ['a', 'a']])
})
