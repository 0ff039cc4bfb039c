import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { killedInEveryStep } from '../scenarios/killed.ts'
import { volumesFirst } from '../scenarios/stages.ts'
import { requires } from '../support/requires.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed'), timeout: 600_000 }

let opened: RollBed | undefined
const ground = new RealGround(() => {
  assert.ok(opened)
  return opened
})

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true })
})
after(async () => opened?.close())

test('a roll killed in every step and resumed loses no request and reboots each node once', real, async (t) => {
  const judged = await unlessVoid(t, () => killedInEveryStep(ground))
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

test('pods with volumes are gone and their volumes detached before any other pod is evicted', real, async () => {
  await opened?.settled()
  await volumesFirst(ground)
})
