import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuardApiGround } from '../../support/guard-api/guard-api-ground.ts'
import { GuardedNodes } from '../../support/guard-api/guarded-nodes.ts'
import { atNight } from '../../support/roll-bed/at-night.ts'

type Ground = () => GuardApiGround

const RELEASES = 'evenkeel.dev/guard-releases'
const HOLDS = 'evenkeel.dev/guard-holds'
const BUSY = { holds: [{ name: 'busy', annotation: { key: 'example.com/busy' } }] }

/** A node that is held by its annotation. */
async function heldNode(ground: GuardApiGround, name: string, spec: object = {}): Promise<GuardedNodes> {
  const of = await GuardedNodes.open(ground, name, { spec: { ...BUSY, ...spec } })
  await ground.patchNode(of.node, { metadata: { annotations: { 'example.com/busy': '' } } })
  await of.cordon(true)
  await of.until('the node to be held', () => of.row() === 'Held HoldStands')
  return of
}

const entry = (node: string, untilMs: number) =>
  JSON.stringify([{ node, by: 'alice', until: new Date(Date.now() + untilMs).toISOString(), why: 'disk is dead' }])

export function holdsByHand(ground: Ground): void {
  test('a release by hand grants a held node, and is recorded with the person, the reason and what held it', async () => {
    const of = await heldNode(ground(), 'release')
    await of.annotate({ [RELEASES]: entry(of.node, -1_000) })
    await of.annotate({ [RELEASES]: entry('another', 600_000) })
    assert.deepEqual([of.row(), await of.evict()], ['Held HoldStands', 429])
    await of.annotate({ [RELEASES]: entry(of.node, 600_000) })
    await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
    const [{ at: _, ...released } = {}] = of.released()
    assert.deepEqual(released, {
      ...{ node: of.node, by: 'alice', why: 'disk is dead' },
      passedOver: `${of.node} is held by busy: the Node has the annotation example.com/busy`,
    })
    await of.told(/^Warning GrantReleased: release-1 was granted although it is held, released by alice/)
    await of.drained()
  })

  test('a release that is over ends the grant that it gave', async () => {
    const of = await heldNode(ground(), 'over')
    await of.annotate({ [RELEASES]: entry(of.node, 600_000) })
    await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
    await of.annotate({ [RELEASES]: entry(of.node, 1_000) })
    await of.until('the node to be held again', () => of.row() === 'Held HoldStands')
    await of.until('its budget to be closed', () => !of.isOpen())
    assert.equal(await of.evict(), 429)
  })

  test('a release that cannot be read releases nothing, and is told', async () => {
    const of = await heldNode(ground(), 'unread')
    await of.annotate({ [RELEASES]: JSON.stringify([{ node: of.node, by: 'alice' }]) })
    await of.told(/^Warning ReleasesUnreadable: .*the entry of unread-1 has no end/)
    assert.deepEqual([of.row(), await of.evict()], ['Held HoldStands', 429])
  })

  test('a hold by hand keeps a node that nothing else holds, with the person and the reason, until it is removed', async () => {
    const of = await GuardedNodes.open(ground(), 'by-hand', { spec: BUSY })
    await of.annotate({ [HOLDS]: JSON.stringify([{ node: of.node, by: 'bob', why: 'rebalancing' }]) })
    await of.cordon(true)
    await of.until('the node to be held', () => of.row() === 'Held HeldByHand')
    assert.deepEqual([of.message(), await of.evict()], [`${of.node} is held by bob: rebalancing`, 429])
    await of.annotate({ [HOLDS]: null })
    await of.drained()
  })

  test('a list of holds by hand that cannot be read holds every node', async () => {
    const of = await GuardedNodes.open(ground(), 'hand-unread', { spec: BUSY })
    await of.annotate({ [HOLDS]: '{' })
    await of.cordon(true)
    await of.until('the node to be held', () => of.row() === 'Held HeldByHand')
    assert.equal(await of.evict(), 429)
  })

  test('a budget of another program over a guard is a conflict that names it, until it goes', async () => {
    const of = await GuardedNodes.open(ground(), 'foreign', { spec: BUSY })
    const gates = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    const matchLabels = { 'evenkeel.dev/guard': of.name }
    const spec = { maxUnavailable: 1, selector: { matchLabels } }
    await ground().mustAsk('POST', gates, { metadata: { name: 'of-others' }, spec })
    await of.cordon(true)
    await of.until(
      'a conflict',
      () => of.row() === 'Conflict ForeignBudget' && of.condition('Conflict') === 'True Conflict',
    )
    assert.match(of.messageOf('Conflict'), /PodDisruptionBudget of-others selects the guard of foreign-1 as well/)
    await ground().mustAsk('DELETE', `${gates}/of-others`)
    await of.drained()
  })

  atNight(
    'maxHold Wait: a node that is held for longer stays held, and an Event and a condition say so',
    {},
    async () => {
      const of = await heldNode(ground(), 'too-long', { maxHold: { seconds: 60 } })
      await of.until('it to be too long', () => of.condition('Held') === 'True HeldTooLong')
      await of.told(/^Warning HeldTooLong: too-long-1 has been held for longer than maxHold allows, which is 60 s/)
      assert.deepEqual([of.row(), await of.evict()], ['Held HoldStands', 429])
    },
  )

  atNight('maxHold Release: a node that is held for longer is granted, which is recorded and told', {}, async () => {
    const of = await heldNode(ground(), 'max-hold', { maxHold: { seconds: 60, policy: 'Release' } })
    await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
    const [{ at: _, ...released } = {}] = of.released()
    assert.deepEqual(released, {
      ...{ node: of.node, by: 'maxHold' },
      passedOver: `${of.node} is held by busy: the Node has the annotation example.com/busy`,
    })
    await of.told(/^Warning GrantReleased: max-hold-1 was granted although it is held, released by maxHold/)
    await of.drained()
  })
}
