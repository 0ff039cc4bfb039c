import assert from 'node:assert/strict'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { FleetLockGround } from '../support/virtual-operator/fleet-lock-ground.ts'
import { OperatorGround } from '../support/virtual-operator/operator-ground.ts'
import { machineIdOf } from '../support/virtual-operator/zincati.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'
import type { EffectHook } from '../support/virtual-roll/process-ports.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)
type Fields = Readonly<Record<string, unknown>>
const BY_CLIENT: Fields = { reboot: { fleetLock: {}, returnLimit: '10min' } }

async function ground(fields: Fields = BY_CLIENT, schedule: Fields = {}): Promise<FleetLockGround> {
  const here = new OperatorGround(await articleCluster({ nodes: 3, graceSeconds: 1 }))
  here.schedule('default', { when: 'FleetLock', ...schedule }, fields)
  return new FleetLockGround(here)
}

/** How often each node is rebooted, and how many requests are lost, by a judge of its own. */
async function judged(fleet: FleetLockGround) {
  const { cluster } = fleet.here
  const before = fleet.here.boots()
  const judge = await new VirtualGround(cluster).judge()
  return async () => {
    const { failedRequests } = await cluster.time.settle(judge.verdict(), 60_000)
    return { boots: fleet.here.boots().map((count, at) => count - (before[at] ?? 0)), failedRequests }
  }
}

const areSteady = (fleet: FleetLockGround) => () => [...fleet.clients.values()].every(({ state }) => state === 'steady')

test('a client hears yes once its node is out of the balancers and drained, reboots, and is steady once the node is back', async (t) => {
  const fleet = await ground()
  t.after(() => fleet.end())
  const { here } = fleet
  const verdict = await judged(fleet)
  const { process } = await fleet.begin()
  const client = fleet.client('n2')
  await fleet.until('the clients to be steady', areSteady(fleet), 60)
  client.wantsReboot = true
  await fleet.until('the reboot', () => client.state === 'finalized', 900)
  await fleet.until('its end', () => client.state === 'steady', 1_200)
  assert.deepEqual(fleet.yes, [['n2', []]])
  assert.deepEqual([here.leftovers(), Object.values(here.rolls())], [[], ['Succeeded']])
  assert.deepEqual(await verdict(), { boots: [0, 1, 0], failedRequests: 0 })
  assert.equal(process.error, undefined)
})

test('clients of all nodes that ask at once are let go one after another, by whichever replica they ask', async (t) => {
  const fleet = await ground()
  t.after(() => fleet.end())
  const { here } = fleet
  const verdict = await judged(fleet)
  await fleet.begin()
  await fleet.begin({ isLeading: false })
  for (const client of fleet.clients.values()) client.wantsReboot = true
  const isOver = () => areSteady(fleet)() && [...fleet.clients.values()].every(({ wantsReboot }) => !wantsReboot)
  await fleet.until('three reboots', isOver, 3_600)
  assert.deepEqual(fleet.yes.toSorted(), [
    ['n1', []],
    ['n2', []],
    ['n3', []],
  ])
  assert.deepEqual(here.leftovers(), [])
  assert.deepEqual(await verdict(), { boots: [1, 1, 1], failedRequests: 0 })
})

test('a controller that dies with each second of its writes, right before or right after it, costs no request and no second reboot', async (t) => {
  const fleet = await ground()
  t.after(() => fleet.end())
  const killed: string[] = []
  let writes = 0
  const onEffect: EffectHook = (effect, phase, lifeline) => {
    if (phase === 'before') writes += 1
    if (writes % 2 === 1 || phase !== (killed.length % 2 === 0 ? 'before' : 'after')) return
    killed.push(`${phase} ${effect}`)
    lifeline.cut()
  }
  const verdict = await judged(fleet)
  await fleet.begin({ onEffect })
  const client = fleet.client('n2')
  client.wantsReboot = true
  await fleet.until('its end', () => client.state === 'steady' && !client.wantsReboot, 3_600)
  assert.deepEqual(fleet.yes, [['n2', []]])
  assert.ok(killed.length > 4, killed.join('\n'))
  await fleet.until('the end of the Roll', () => Object.values(fleet.here.rolls()).join() === 'Succeeded', 120)
  assert.deepEqual(fleet.here.leftovers(), [])
  assert.deepEqual(await verdict(), { boots: [0, 1, 0], failedRequests: 0 }, killed.join('\n'))
})

test('a machine that may reboot and does not stays out, hears yes again, and is put back once it was rebooted after all', async (t) => {
  const fleet = await ground()
  t.after(() => fleet.end())
  const { here } = fleet
  const verdict = await judged(fleet)
  await fleet.begin()
  const client = fleet.client('n2')
  client.isPostponed = true
  client.wantsReboot = true
  await fleet.until('the limit', () => Object.values(here.rolls()).join() === 'Stopped', 2_400)
  const [roll = ''] = Object.keys(here.rolls())
  assert.match(String(here.status(roll).message), /n2 did not come back with another boot id within the limit/)
  assert.ok(here.leftovers().includes('n2 is cordoned'))
  client.isPostponed = false
  await fleet.until('its end', () => client.state === 'steady' && !client.wantsReboot, 2_400)
  assert.ok(fleet.yes.length > 1)
  assert.deepEqual(
    fleet.yes.flatMap(([, wrong]) => wrong),
    [],
  )
  assert.deepEqual(here.leftovers(), [])
  assert.deepEqual(await verdict(), { boots: [0, 1, 0], failedRequests: 0 })
})

test('a client that starts anew before it has heard a yes gives its turn back, and may ask again', async (t) => {
  const fleet = await ground()
  t.after(() => fleet.end())
  const { here } = fleet
  const verdict = await judged(fleet)
  await fleet.begin()
  const client = fleet.client('n2')
  client.wantsReboot = true
  await fleet.until('the cordon', () => here.leftovers().includes('n2 is cordoned'), 600)
  client.wantsReboot = false
  client.restart()
  await fleet.until('its turn to be given back', () => client.state === 'steady', 1_200)
  assert.deepEqual([here.leftovers(), here.rolls(), fleet.yes], [[], {}, []])
  client.wantsReboot = true
  await fleet.until('its end', () => client.state === 'steady' && !client.wantsReboot, 1_800)
  assert.deepEqual([fleet.yes, here.leftovers()], [[['n2', []]], []])
  assert.deepEqual(await verdict(), { boots: [0, 1, 0], failedRequests: 0 })
})

test('a machine that is rebooted without being asked for is steady at once, and nothing is written for it', async (t) => {
  const fleet = await ground()
  t.after(() => fleet.end())
  const { here } = fleet
  await fleet.begin()
  await fleet.until('the clients to be steady', areSteady(fleet), 60)
  const { heard } = fleet.client('n2')
  const before = heard.length
  here.cluster.machines.get('n2')?.reboot()
  await fleet.until('the client to begin anew', () => heard.length > before, 60)
  await fleet.until('the client to be steady', areSteady(fleet), 60)
  assert.deepEqual([here.leftovers(), here.rolls()], [[], {}])
})

test('who has no Node, shares its machine id, is of no group, or of a paused one takes nothing out', async (t) => {
  const fleet = await ground({ ...BY_CLIENT, paused: true })
  t.after(() => fleet.end())
  const { here } = fleet
  await fleet.begin()
  const ask = async (node: string): Promise<string> => {
    const { status, kind, value } = await fleet.client(node).ask('v1/pre-reboot')
    return `${status} ${kind}: ${value}`
  }
  await fleet.until('the clients to be steady', areSteady(fleet), 60)
  const { store } = here.cluster.world
  const n3 = store.get(NODES, { name: 'n3' })
  assert.ok(n3)
  const status = n3.status as { readonly nodeInfo: object }
  const nodeInfo = { ...status.nodeInfo, machineID: machineIdOf(here.cluster, 'n1') }
  store.put(NODES, { ...n3, status: { ...status, nodeInfo } })
  await here.cluster.time.advance(1_000)
  assert.match(await ask('n1'), /^409 ambiguous_id: .*\(n1, n3\)/)
  assert.deepEqual(here.rolls(), {})
  assert.match(await ask('n2'), /^409 in_work: Roll default-[a-z2-7]{10} takes n2 out of service/)
  await here.cluster.time.advance(5_000)
  assert.match(await ask('n2'), /^409 in_work: .* is Waiting: spec\.paused is true/)
  await here.cluster.time.advance(60_000)
  assert.deepEqual([here.leftovers(), Object.values(here.rolls())], [[], ['Waiting']])
})
