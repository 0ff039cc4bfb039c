import assert from 'node:assert/strict'
import { after } from 'node:test'
import { politeRoll } from '../scenarios/polite.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const real = { ...requires('testbed'), timeout: 900_000 }
const HOST_PORT = 31_080
const NODES = 3

let opened: RollBed | undefined
after(async () => opened?.close())

/** The balancer sends to the pods themselves, at a port of their nodes. No node has room for a second one of them. */
const bed = async (): Promise<RollBed> =>
  (opened ??= await RollBed.open({
    nodes: NODES,
    service: 'plain',
    replicas: NODES,
    hostPort: HOST_PORT,
    database: false,
    lb: { closesServers: true, webPort: HOST_PORT },
  }))

atNight(
  'pods at a port of their node, one on each: every node is rolled without one failed request, and has its pod back',
  real,
  async (t) => {
    const rolled = await bed()
    for (const drain of [{ polite: [{ selector: 'app=whoami' }] }, {}]) {
      const judged = await unlessVoid(t, () => politeRoll(new RealGround(() => rolled), { drain }))
      t.diagnostic(`${'polite' in drain ? 'with' : 'without'}: ${judged.failed} of ${judged.sentRequests} failed`)
      assert.deepEqual([judged.code, judged.failed], [0, 0], judged.story)
      assert.deepEqual(await leftoversOf(rolled), [])
    }
  },
)
