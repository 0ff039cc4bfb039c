import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requires } from '../support/requires.ts'
import { writesOf } from '../support/roll-bed/audit.ts'
import {
  auditLines,
  CONTROLLER_USER,
  fileOnBed,
  installController,
  objectOnPage,
  refusedToController,
} from '../support/roll-bed/controller-on-bed.ts'
import { FleetLockClient } from '../support/roll-bed/fleet-lock-client.ts'
import { heldSlots, notYetOut, watchOut } from '../support/roll-bed/out-of-service.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const real = { ...requires('testbed', 'haproxy', 'strip', 'curl'), timeout: 900_000 }
const TOKEN = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const ADDRESS = '10.96.0.15'
const ROLLS = '/apis/evenkeel.dev/v1alpha1/namespaces/evenkeel/rolls'

let opened: RollBed | undefined
const place = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({ database: false })
  const fleetLock = `enabled=true,rolls.fleetLock.tokenSecret=fleetlock,rolls.fleetLock.clusterIP=${ADDRESS}`
  await installController(opened, {
    values: [`rolls.fleetLock.${fleetLock}`],
    secrets: { fleetlock: { token: TOKEN } },
  })
  const { spec, ...group } = objectOnPage('fleetlock.md', 'RollSchedule')
  const { template, ...when } = spec as { readonly template: { readonly spec: Readonly<Record<string, unknown>> } }
  await opened.bed.apply([{ ...group, spec: { ...when, template: { spec: fileOnBed(template.spec) } } }])
})
after(() => opened?.close())

const client = (node: string): FleetLockClient =>
  new FleetLockClient({ opened: place(), node, baseUrl: `http://${ADDRESS}/`, token: TOKEN })

/** What the controller wrote of Rolls themselves, and not of their status: who answers a client makes or deletes them. */
const rollWrites = (): readonly string[] =>
  writesOf(auditLines(place()), CONTROLLER_USER)
    .map((line) => line.split(' '))
    .filter(([verb, resource]) => resource === 'rolls' && verb !== 'patch')
    .map(([verb]) => verb ?? '')

async function rollStates(): Promise<readonly string[]> {
  const rolls = (await place().list(ROLLS)) as readonly { readonly status?: { readonly state?: string } }[]
  return rolls.map(({ status }) => status?.state ?? '')
}

const WRONG = 'a token that is none of theirs'

test('who has a wrong token hears 401, and nothing is done', real, async () => {
  const asking = client('n1')
  for (const verb of ['pre-reboot', 'steady-state'] as const) {
    const { status, kind } = await asking.answered(verb, WRONG)
    assert.deepEqual([status, kind], [401, 'unauthorized'])
  }
  assert.deepEqual([await place().list(ROLLS), rollWrites(), await place().leftovers()], [[], [], []])
})

test(
  'machines whose clients all ask at once reboot one after another, each out of service and drained, and no request is lost',
  real,
  async (t) => {
    const { bed } = place()
    const ground = new RealGround(place)
    await place().settled()
    const boots = ground.countBoots()
    const out = watchOut(place())
    const judge = place().judge()
    const yes = new Map<string, readonly string[]>()
    const intruded = new Set<number>()
    const run = async (node: string): Promise<void> => {
      const zincati = client(node)
      await zincati.untilYes('steady-state')
      await zincati.untilYes('pre-reboot', async ({ kind }) => {
        // With the right token this gives the turn of the node back.
        if (kind === 'in_work') intruded.add((await zincati.answered('steady-state', WRONG)).status)
      })
      yes.set(node, await notYetOut(place(), node))
      await zincati.reboot()
      await zincati.untilYes('steady-state')
    }
    await Promise.all(bed.nodes.map(run))
    const judged = await judge.verdict()
    const [booted, together] = await Promise.all([boots.stop(), out.stop()])
    const { sentRequests, failedRequests } = judged
    t.diagnostic(`${failedRequests} of ${sentRequests} requests failed`)
    assert.deepEqual([failedRequests, judged.windows], [0, []])
    assert.deepEqual(Object.fromEntries(yes), { n1: [], n2: [], n3: [] })
    assert.deepEqual(booted, { n1: 1, n2: 1, n3: 1 })
    assert.deepEqual(together, ['n1', 'n2', 'n3'])
    assert.deepEqual([...intruded], [401])
    assert.deepEqual(rollWrites(), ['create', 'create', 'create'])
    assert.deepEqual(await rollStates(), ['Succeeded', 'Succeeded', 'Succeeded'])
    assert.deepEqual([await leftoversOf(ground), await heldSlots(place())], [[], []])
    await place().settled()
  },
)

test('the accounts of the chart were refused nothing', real, () => {
  assert.deepEqual(refusedToController(place()), [])
})
