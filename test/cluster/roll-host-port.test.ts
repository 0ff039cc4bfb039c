import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before } from 'node:test'
import { whoami } from '../../src/sim/cluster/article-workloads.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { politeRoll } from '../scenarios/polite.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const RBAC = readFileSync(new URL('../../deploy/roll-polite-rbac.yaml', import.meta.url), 'utf8')
const HOST_PORT = 31_080
const NODES = 3
const ROLLS = 5
const POLITE = { polite: [{ selector: 'app=whoami' }] }

/** The balancer sends to the pods themselves, at a port of their nodes: no node has room for two of them. */
describeAtNight('pods at a port of their node, which exit at once', requires('testbed'), () => {
  let opened: RollBed | undefined
  const bed = (): RollBed => {
    assert.ok(opened)
    return opened
  }
  before(async () => {
    const lb = { closesServers: true, webPort: HOST_PORT }
    const app = { service: 'plain', replicas: NODES, hostPort: HOST_PORT } as const
    opened = await RollBed.open({ nodes: NODES, database: false, lb, ...app })
    await opened.bed.apply(RBAC)
  })
  after(() => opened?.close())

  for (const [title, drain, rolls] of [
    ['politely', POLITE, ROLLS],
    ['without', {}, 1],
  ] as const) {
    atNight(
      `one on each node, drained ${title}: no roll of every node loses a request`,
      { timeout: 900_000 },
      async (t) => {
        for (let roll = 0; roll < rolls; roll += 1) {
          const judged = await unlessVoid(t, () => politeRoll(new RealGround(bed), { drain }))
          t.diagnostic(`${judged.failed} of ${judged.sentRequests} failed`)
          assert.deepEqual([judged.code, judged.failed], [0, 0], judged.story)
          assert.deepEqual(await leftoversOf(bed()), [])
          await bed().settled()
        }
      },
    )
  }

  atNight(
    'the only one: its server is the last of its backend, so the roll is held and nothing is lost',
    { timeout: 300_000 },
    async () => {
      await bed().bed.apply(whoami({ service: 'plain', replicas: 1, hostPort: HOST_PORT }))
      await waitFor({ what: 'one server of web to be left', limitMs: 60_000, everyMs: 200 }, async () =>
        (await bed().servers()).filter(({ name, up }) => name.startsWith('web/') && up).length === 1 ? true : undefined,
      )
      const node = await bed().nodeWith('whoami')
      const drain = { ...POLITE, blockedLimit: '20s' }
      const { code, failed, story } = await politeRoll(new RealGround(bed), { drain, nodes: { names: [node] } })
      assert.deepEqual([code, failed], [3, 0], story)
      assert.deepEqual(await leftoversOf(bed()), [])
    },
  )
})
