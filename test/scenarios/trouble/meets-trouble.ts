import assert from 'node:assert/strict'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { changedObjects, type SeenObjects, seenObjects } from '../../support/preflight/seen-objects.ts'
import { leftoversOf } from '../../support/roll-ground/leftovers-of.ts'
import type { RollGround } from '../../support/roll-ground/roll-ground.ts'
import type { TroubleGround } from '../../support/trouble/trouble-ground.ts'
import type { Released, TroubleRow } from './trouble-row.ts'

/**
 * A roll of the node with the only pod of `whoami`. It says what holds it, explain names the same, no request fails, and what it leaves
 * behind is the cluster as it was: where it was held each object whole, else no mark of ours.
 */
export async function meetsTrouble(ground: TroubleGround, row: TroubleRow): Promise<void> {
  const { world } = ground
  const at = await podOfWhoami(world)
  const before = await kept(world)
  const judge = await world.judge()
  const { code, failed, story } = await rolled(ground, row, at).finally(() => row.after?.(ground, at))
  await ground.settled()
  const { failedRequests, windows } = await judge.verdict()
  const times = windows.map(({ fromMs }) => new Date(fromMs).toISOString())
  assert.deepEqual([code, failedRequests + failed], [row.exit, 0], `${story}\nfailed at ${times}`)
  assert.deepEqual(await leftoversOf(world), [], story)
  assert.deepEqual(await heldSlots(world), [], story)
  if (row.held !== undefined) assert.deepEqual(changedObjects(before, await kept(world)).filter(isOurs(row)), [], story)
}

/** `told`: how many of its own requests the roll says have failed. */
async function rolled(ground: TroubleGround, row: TroubleRow, at: Released) {
  await row.before?.(ground, at)
  const drain = { polite: [{ selector: 'app=whoami' }], blockedLimit: '20s', stageLimit: '20s', ...row.drain }
  const spec = { ...ground.spec, nodes: { names: [at.node] }, drain }
  const roll = await ground.world.roll(spec, ...(row.words ?? []))
  if (row.once !== undefined) {
    const [seen, bring] = row.once
    await roll.until('the moment', seen)
    await bring(ground, at)
  }
  if (row.held !== undefined) await isHeld(ground, row.held, { at, until: roll.until })
  const ended = await roll.ended()
  const last = roll.events.findLast((event) => event.type === 'roll.ended')
  return { ...ended, failed: last?.load?.failed ?? 0 }
}

const isOurs =
  ({ movesPods }: TroubleRow) =>
  (change: string): boolean =>
    movesPods !== true || !change.startsWith('/api/v1/pods ')

interface Met {
  readonly at: Released
  readonly until: (what: string, seen: (event: StampedEvent) => boolean) => Promise<StampedEvent>
}

async function isHeld(
  ground: TroubleGround,
  { code, says, explain = [] }: NonNullable<TroubleRow['held']>,
  { at, until }: Met,
): Promise<void> {
  await until(
    `a hold ${code} ${says}`,
    (event) =>
      (event.type === 'hold.started' || event.type === 'hold.changed') &&
      event.reasons.some((reason) => reason.code === code && says.test(reason.text)),
  )
  for (const expected of explain) {
    const { document, out, err } = await ground.explain(
      expected.of === 'node' ? `node ${at.node}` : `pod default/${at.pod}`,
    )
    assert.equal(document.findings?.[0]?.code, expected.code, out + err)
    assert.match(document.verdict, expected.says, out)
  }
}

async function podOfWhoami(world: RollGround): Promise<Released> {
  const pods = await world.list('/api/v1/namespaces/default/pods?labelSelector=app%3Dwhoami')
  const pod = pods.find(({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec.nodeName !== undefined)
  assert.ok(pod?.spec.nodeName)
  return { node: pod.spec.nodeName, pod: pod.metadata.name, uid: pod.metadata.uid }
}

/** But for slots, of which one that is free stays, and for the DNS of a real cluster, which has pods on the node as well. */
async function kept(world: RollGround): Promise<SeenObjects> {
  const seen = await seenObjects(world.list)
  return new Map([...seen].filter(([name]) => !/\/leases | kube-system\//.test(name)))
}

interface SeenLease {
  readonly metadata: { readonly name: string }
  readonly spec?: { readonly holderIdentity?: string }
}

async function heldSlots(world: RollGround): Promise<readonly string[]> {
  const leases = (await world.list('/apis/coordination.k8s.io/v1/leases')) as readonly object[] as readonly SeenLease[]
  return leases
    .filter(({ metadata, spec }) => metadata.name.startsWith('evenkeel-slot') && (spec?.holderIdentity ?? '') !== '')
    .map(({ metadata, spec }) => `${metadata.name} is held by ${spec?.holderIdentity}`)
}
