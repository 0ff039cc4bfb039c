import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiServerRestarted, EVERY_STEP, ONE_STEP } from '../scenarios/api-restarts.ts'
import { requires } from '../support/requires.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed'), timeout: 1_200_000 }

/** `npm run nightly -- restarts`: in each of the eleven steps, alone on the machine, some ten minutes. */
const BY_NIGHT = process.env.EVERY_STEP !== undefined

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  // A pod that was evicted in the moment before the API server goes is sent to until kube-proxy has come back to it.
  if (real.skip === false)
    opened = await RollBed.open({
      fast: true,
      database: false,
      graceSeconds: 25,
      ...(BY_NIGHT ? {} : { judgeRate: RATE_BESIDE_OTHERS }),
      monitorGraceSeconds: 50,
    })
})
after(async () => opened?.close())

test('an API server killed and started again in the middle of a step costs no request', real, async (t) => {
  // The controllers, too, come back to the API server with a back-off of up to a minute.
  const ssh = { command: ['systemctl', 'reboot'], configFile: bed().bed.sshConfig }
  const spec = { reboot: { ssh, resendAfter: '20s', returnLimit: '180s' } }
  const judged = await unlessVoid(t, () =>
    apiServerRestarted(new RealGround(bed), BY_NIGHT ? EVERY_STEP : ONE_STEP, spec),
  )
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})
