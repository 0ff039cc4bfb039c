import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { requires } from '../support/requires.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { luckTests, REPLICAS } from '../support/roll-luck/luck-tests.ts'

const real = { ...requires('testbed'), timeout: 150_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({
    fast: true,
    judgeRate: RATE_BESIDE_OTHERS,
    database: false,
    replicas: REPLICAS,
    lb: { reloadsKeepClients: true },
  })
})
after(async () => opened?.close())

luckTests({ bed, real })
