import assert from 'node:assert/strict'
import type { Step } from '../../src/roll/model/step.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'
import { serversOf } from '../support/roll-ground/servers-of.ts'

/** What the balancers' poller is to keep where it has a processor when it needs one. */
const TOLD_WITHIN_MS = 1_000
/** On a cluster that shares two processors with others; that it is a second is seen in virtual time. */
export const TOLD_BESIDE_OTHERS_MS = 3_000

/** A node that was not out yet is not taken out before the new process has checked another one. */
const FIRST_CHECK_MS = 2_000

/**
 * Someone else reloads HAProxy while a node is detached and drained. The node is taken out again, and no request fails. In
 * virtual time, where nothing is late, the roll reports each server that it took out again. On a real cluster the next pass
 * may have been about to send the same command, which then reaches the new process without such an event.
 */
export async function reloadedInSteps4And5(
  ground: RollGround,
  { toldWithinMs = TOLD_WITHIN_MS, reported = ['edge/n1 on lb-1', 'web/n1 on lb-1'] } = {},
): Promise<Judged> {
  const judge = await ground.judge()
  const roll = await ground.roll({ nodes: { names: ['n1'] } })
  for (const step of ['detach', 'drain'] as const) {
    await roll.untilStep(step, 'n1')
    const checkMs = step === 'detach' ? FIRST_CHECK_MS : 0
    await reloadUntilOut(ground, { step, servers: ['web/n1', 'edge/n1'], toldWithinMs: toldWithinMs + checkMs })
  }
  const { code, story } = await roll.ended()
  assert.equal(code, 0, story)
  const reasserted = roll.events.flatMap((event) => (event.type === 'reasserted' ? [event] : []))
  const servers = new Set(reasserted.map(({ server }) => server))
  assert.notEqual(servers.size, 0)
  assert.deepEqual(
    reported.filter((server) => !servers.has(server)),
    [],
  )
  assert.deepEqual(
    reasserted.filter(({ afterMs }) => afterMs > toldWithinMs),
    [],
  )
  assert.deepEqual(await leftoversOf(ground), [])
  return judge.verdict()
}

/** A moment before and after: a connection that waited to be taken, and the coarseness of two clocks. */
const MOMENT_MS = 250

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

interface Reloaded {
  readonly step: Step
  /** All have to be out again. */
  readonly servers: readonly string[]
  readonly toldWithinMs: number
}

/** HAProxy is reloaded by somebody else; over once the roll has said again that the node is out. */
async function reloadUntilOut(ground: RollGround, { step, servers, toldWithinMs }: Reloaded): Promise<Span> {
  const fromMs = ground.nowMs()
  await ground.reloadBalancer()
  await waitFor(
    { what: `${servers.join(' and ')} to be out again in ${step}`, limitMs: toldWithinMs, everyMs: 20 },
    async () => {
      const out = (await serversOf(ground)).filter(({ state }) => state === 'drain')
      return servers.every((server) => out.some(({ name }) => name === server)) ? true : undefined
    },
    ground,
  )
  return { fromMs, toMs: ground.nowMs() }
}

const N3 = { servers: ['web/n3'] }

interface LostToReloads {
  readonly byRoll: number
  readonly judged: Judged
  readonly reasons: readonly string[]
}

/**
 * HAProxy reloaded while the node is rebooted, and again while it proves itself: told again in time. What was lost
 * meanwhile is counted, and told as the reload's. The machines of the ground stay dark for some three seconds.
 */
export async function reloadedInSteps6And7(ground: RollGround, toldWithinMs = TOLD_WITHIN_MS): Promise<LostToReloads> {
  const judge = await ground.judge()
  const roll = await ground.roll({ nodes: { names: ['n3'] } })
  await roll.untilStep('reboot', 'n3')
  await waitFor(
    { what: 'n3 to be off', limitMs: 10_000, everyMs: 20 },
    async () => ((await ground.isOn('n3')) ? undefined : true),
    ground,
  )
  const reloads = [await reloadUntilOut(ground, { ...N3, step: 'reboot', toldWithinMs })]
  await roll.untilStep('proof', 'n3')
  reloads.push(await reloadUntilOut(ground, { ...N3, step: 'proof', toldWithinMs }))
  const { code, story } = await roll.ended()
  const judged = await judge.verdict()
  const reasserted = roll.events.filter((event) => event.type === 'reasserted')
  assert.ok(
    reasserted.length >= 2 && reasserted.every((event) => event.afterMs <= toldWithinMs),
    JSON.stringify(reasserted),
  )

  // The roll's own traffic and the judge's are two streams: neither need lose what the other did, but both only then.
  const windows = roll.windows()
  const spans = windows.map(({ firstBadAt, lastBadAt }) => ({
    fromMs: Date.parse(firstBadAt),
    toMs: Date.parse(lastBadAt),
  }))
  const isLostThen = (span: Span): boolean =>
    reloads.some(({ fromMs, toMs }) => span.fromMs >= fromMs - MOMENT_MS && span.toMs <= toMs + MOMENT_MS)
  assert.deepEqual(
    [...spans, ...judged.windows].filter((span) => !isLostThen(span)),
    [],
    JSON.stringify(reloads),
  )
  for (const window of windows) {
    const causes = (window.reloads ?? []).map(({ instance, nodes }) => `${instance} ${nodes.join()}`)
    assert.deepEqual(causes, ['lb-1 n3'], JSON.stringify(window))
  }

  const ended = roll.events.find((event) => event.type === 'roll.ended')
  assert.ok(ended?.type === 'roll.ended')
  const lost = windows.reduce((sum, { type, failed }) => sum + (type === 'window.closed' ? failed : 0), 0)
  assert.deepEqual([code, ended.load?.failed], [lost === 0 ? 0 : 1, lost], story)
  for (const { code: reason, text } of ended.reasons) {
    assert.equal(reason, 'RequestsFailed')
    assert.match(text, /; lb-1 was reloaded .* and had n3 in service again for at most \d+ ms$/)
  }
  if (lost > 0) assert.equal((await (await ground.resume()).ended()).code, 1)
  assert.deepEqual(await leftoversOf(ground), [])
  return { byRoll: lost, judged, reasons: ended.reasons.map(({ text }) => text) }
}
