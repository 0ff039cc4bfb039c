import assert from 'node:assert/strict'
import process from 'node:process'
import { isNight } from '../support/roll-bed/at-night.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { type Loss, LossBed } from '../support/virtual-dns/loss-bed.ts'

const test = simulationTest(import.meta.url)

/** By day a part of it: the rates are those of `test/dns/decide/loss.test.ts`. */
const [HEALTHY, LOSSY] = isNight ? [2_000, 100] : [30, 8]
/** Of so many checks by night one may miss it, or say more than it. */
const SEEN = 0.99

interface Row {
  readonly what: string
  readonly from: 'node' | 'relays'
  readonly loss?: Loss
  readonly says: string
}

const lossy = (of: Loss['of'], says: string, ...shares: readonly number[]): readonly Row[] =>
  shares.flatMap((share) =>
    (['node', 'relays'] as const).map((from) => ({
      what: `one ${of} loses ${100 * share} %`,
      from,
      loss: { of, share },
      says,
    })),
  )

const ROWS: readonly Row[] = [
  { what: 'one of a thousand is lost', from: 'node', says: 'Healthy dns' },
  { what: 'one of a thousand is lost', from: 'relays', says: 'Healthy dns' },
  ...lossy('pod', 'Loses the pod', 0.1, 0.2, 0.3, 0.5, 0.9),
  ...lossy('place', 'LosesOnTheWay the place', 0.1, 0.3),
]

for (const { what, from, loss, says } of ROWS) {
  const checks = loss === undefined ? HEALTHY : LOSSY
  test(`${what}: ${checks} checks from ${from} say ${says}`, async (t) => {
    const bed = await LossBed.open()
    t.after(() => bed.end())
    const { said, queries, seconds } = await bed.checked(checks, from, loss)
    if (isNight)
      process.stdout.write(
        `${what}, from ${from}: ${queries.toFixed(0)} queries, ${seconds.toFixed(1)} s, ${JSON.stringify([...said])}\n`,
      )
    const right = said.get(says) ?? 0
    const least = loss === undefined ? checks - Math.floor(checks / 1_000) : Math.floor(SEEN * checks)
    assert.ok(right >= least, JSON.stringify([...said]))
  })
}
