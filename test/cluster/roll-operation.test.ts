import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { isProgress, type Reason, type ReasonCode } from '../../src/ground/model/reason.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { story } from '../support/roll-ground/story.ts'
import { CONTRACT_ROWS } from '../support/roll-operation/contract-rows.ts'
import { GATE_ROWS } from '../support/roll-operation/gate-rows.ts'
import { HOOK_ROWS } from '../support/roll-operation/hook-rows.ts'
import { OperationPlace } from '../support/roll-operation/operation-place.ts'
import { NOTHING, type OperationRow } from '../support/roll-operation/operation-row.ts'
import { WINDOW_ROWS } from '../support/roll-operation/window-rows.ts'

/** The windows last: by then rolls of this cluster have shown how long a node takes, so a node fits into a short window. */
const ROWS: readonly OperationRow[] = [...GATE_ROWS, ...HOOK_ROWS, ...CONTRACT_ROWS, ...WINDOW_ROWS]

/** On a real cluster a write of the roll meets one of the kubelet at times: it is made again, and the step waits for it. No row is about that. */
const MADE_AGAIN: readonly ReasonCode[] = ['Retrying', 'BudgetUnread', 'CordonedByUs', 'NotRecorded', 'NoIntent']

describeAtNight('a roll in a real operation, on real nodes', requires('testbed', 'prometheus'), () => {
  let opened: RollBed | undefined
  before(async () => {
    opened = await RollBed.open({ nodes: 3, fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
  })
  after(() => opened?.close())

  for (const row of ROWS) {
    atNight(`${row.situation} (exit ${row.exit})`, { timeout: 300_000 }, async (t) => {
      assert.ok(opened)
      const place = await OperationPlace.open(opened, row.nodes)
      t.after(() => place.close())
      await goesAsItSays(row, place)
      await opened.settled()
    })
  }
})

async function goesAsItSays(row: OperationRow, place: OperationPlace): Promise<void> {
  const judge = place.bed.judge()
  const arranged = await row.arrange(place)
  const roll = place.begin(arranged)
  const [code] = await Promise.all([place.end(roll), arranged.meanwhile?.(roll)])
  const { stderr } = await roll.ended()
  const said = roll.events.flatMap(saidIn)
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  const all = [stderr, ...said.map(({ code, text }) => `${code}: ${text}`), ...warnings].join('\n')
  const { failedRequests, sentRequests, windows } = await judge.verdict()
  assert.equal(code, row.exit, `${all}\n${story(roll.events)}`)
  assert.deepEqual(codesOf(said), row.says, all)
  for (const words of row.words) assert.match(all, words)
  assert.deepEqual(await place.left(), { ...NOTHING, ...row.leaves }, all)
  assert.ok(sentRequests > 10, `the judge sent ${sentRequests} requests`)
  assert.deepEqual([failedRequests, windows], [0, []], all)
  await row.and?.(place)
}

/** Holds that are no normal part of their step, and why the roll ended. */
function saidIn(event: StampedEvent): readonly Reason[] {
  const isHold = event.type === 'hold.started' || event.type === 'hold.changed'
  if (isHold) return event.reasons.filter((reason) => !isProgress(reason))
  return event.type === 'roll.ended' ? event.reasons : []
}

const codesOf = (said: readonly Reason[]): readonly ReasonCode[] =>
  [...new Set(said.map(({ code }) => code).filter((code) => !MADE_AGAIN.includes(code)))].toSorted()
