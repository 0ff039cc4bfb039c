import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requires } from '../support/requires.ts'
import type { Judgement } from '../support/roll-bed/judge.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed'), timeout: 300_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) {
    opened = await RollBed.open({
      fast: true,
      judgeRate: RATE_BESIDE_OTHERS,
      database: false,
      lb: { reloadsKeepClients: true },
    })
  }
})
after(async () => opened?.close())

test('HAProxy reloaded in steps 4 and 5 is told again, and no request fails', real, async (t) => {
  const judged = await unlessVoid(t, reloadedTwice)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

async function reloadedTwice(): Promise<Judgement> {
  const judge = bed().judge()
  const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: ['n1'] } } }), '--yes')
  for (const step of ['detach', 'drain'] as const) {
    await roll.untilStep(step, 'n1')
    await bed().lb.reload()
  }
  const end = await roll.ended()
  assert.equal(end.code, 0, end.stderr)
  const told = roll.events.flatMap((event) => (event.type === 'reasserted' ? [event] : []))
  assert.deepEqual([...new Set(told.map(({ server }) => server))].toSorted(), ['edge/n1 on lb-1', 'web/n1 on lb-1'])
  assert.deepEqual(
    told.filter(({ afterMs }) => afterMs > 1000),
    [],
  )
  assert.deepEqual(await bed().leftovers(), [])
  return judge.verdict()
}
