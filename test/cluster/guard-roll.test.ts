import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { DownWatch } from '../support/agent-bed/down-watch.ts'
import { anIngress, IngressBed } from '../support/agent-bed/ingress-bed.ts'
import { guardedNodes, unguardedNodes } from '../support/guard-bed/guarded-nodes.ts'
import { ApiHistory } from '../support/ingress-api/api-history.ts'
import { requires } from '../support/requires.ts'
import { atNight, isNight } from '../support/roll-bed/at-night.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { nodeGuard, storage } from '../support/virtual-guard/guard-manifests.ts'

const real = { ...requires('testbed', 'helm', 'haproxy'), timeout: 1_200_000 }
/** The load balancer asks each second, and believes the third failure and the second success. */
const BY_HEALTH = {
  maxUnavailableNodes: 1,
  annotateDeploymentToDetach: { gracePeriodSeconds: 6 },
  attachGraceSeconds: 6,
}
const ROLL_LIMIT_MS = 600_000

let opened: IngressBed | undefined
let seen: ApiHistory | undefined
const place = (): IngressBed => {
  assert.ok(opened)
  return opened
}
const history = (): ApiHistory => {
  assert.ok(seen)
  return seen
}

before(async () => {
  if (real.skip !== false || !isNight) return
  opened = await IngressBed.open(['guard.enabled=true'])
  await opened.bed.apply([storage()])
  seen = new ApiHistory(opened.bed.kubeconfig)
  await seen.follow(['pods'])
})
after(async () => {
  seen?.close()
  await opened?.close()
})

/** As many pods of this version on each node as are wanted, in service. */
async function rolledOut(version: string): Promise<void> {
  await place().bed.apply([anIngress({ version }, BY_HEALTH)])
  await place().untilServed(2, version, ROLL_LIMIT_MS)
  await place().untilInService()
}

const allGuarded = (): Promise<true> => {
  const explain = (): string => guardedNodes(history().now('pods')).join(', ')
  return waitFor({ what: 'a guard on every node', limitMs: 90_000, everyMs: 100, explain }, () =>
    guardedNodes(history().now('pods')).join() === place().bed.nodes.join() ? true : undefined,
  )
}

// By day the same is seen in virtual time, and drains of guarded nodes on a real cluster.
for (const mode of ['PerNode', 'Budget'] as const)
  atNight(
    `${mode}: a roll over guarded nodes, with a rollout in its midst, reboots each node, loses no request, and leaves one node at a time without its guard`,
    real,
    async (t) => {
      const { bed } = place()
      await bed.apply([nodeGuard({ mode }, 'guard')])
      await rolledOut(`${mode}-1`)
      await allGuarded()
      const judged = await unlessVoid(t, async () => {
        const since = history().version()
        return place().underTraffic('plain', async (socket) => {
          const out = new DownWatch(socket)
          const file = place().place.file({ nodes: bed.nodes, fronts: 1, checkers: 1 })
          const roll = place().place.roll('-f', file, '--yes')
          await roll.until('a node to be left', ({ type }) => type === 'noticed')
          const rollout = rolledOut(`${mode}-2`)
          const { code, stderr } = await roll.ended()
          assert.equal(code, 0, stderr)
          await rollout
          await allGuarded()
          const most = await out.stop()
          assert.equal(most.length, 1, `${most.join(', ')} were down at once`)
          assert.deepEqual(unguardedNodes(history(), { nodes: bed.nodes, since }), bed.nodes)
        })
      })
      t.diagnostic(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
      assert.deepEqual([judged.failedRequests, judged.windows, await place().claims()], [0, [], ''])
      await bed.kubectl(['delete', 'nodeguard/guard', '--wait', '--timeout=60s'], { limitMs: 70_000 })
    },
  )
