import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bed } from '../../testbed/bed.ts'
import { DownWatch } from '../support/agent-bed/down-watch.ts'
import { aDaemonSet, anIngress, IngressBed } from '../support/agent-bed/ingress-bed.ts'
import { requires } from '../support/requires.ts'
import { askSocket } from '../support/roll-bed/ask-socket.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import type { Judgement } from '../support/roll-bed/judge.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const REQUEST = 'node-detacher.variant.run/detached'
const STAMP = 'node-detacher.variant.run/detachment-timestamp'

const LOOK_EVERY_MS = 300

interface SeenNode {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
}

/**
 * A detacher of another project: it moves the servers of a HAProxy when Nodes ask for it, and says so by timestamps. The HAProxy does
 * not ask the agents, so nothing else takes a node out.
 */
class SocketDetacher {
  /** How often it took a node out. */
  detached = 0
  readonly #bed: Bed
  readonly #socket: string
  readonly #over = new AbortController()
  readonly #work: Promise<void>

  constructor(bed: Bed, socket: string) {
    this.#bed = bed
    this.#socket = socket
    this.#work = this.#run()
  }

  /** Rejects with what went wrong. */
  async end(): Promise<void> {
    this.#over.abort()
    await this.#work
  }

  async #run(): Promise<void> {
    const { signal } = this.#over
    while (!signal.aborted) {
      const { items } = JSON.parse(await this.#bed.kubectl(['get', 'nodes', '-o', 'json'])) as { items: SeenNode[] }
      for (const node of items) await this.#answer(node)
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async #answer({ metadata: { name, annotations = {} } }: SeenNode): Promise<void> {
    const isAsked = annotations[REQUEST] !== undefined
    const isOut = annotations[STAMP] !== undefined
    if (isAsked === isOut) return
    const refusal = await askSocket(this.#socket, `set server back-0/${name} state ${isAsked ? 'drain' : 'ready'}`)
    if (refusal.trim() !== '') throw new Error(refusal)
    const mark = isAsked ? `${STAMP}=${new Date().toISOString()}` : `${STAMP}-`
    await this.#bed.kubectl(['annotate', 'node', name, mark])
    if (isAsked) this.detached += 1
  }
}

const real = { ...requires('testbed', 'helm', 'haproxy'), timeout: 400_000 }
const LONG = { ...real, timeout: 1_200_000 }

/** The load balancer asks each second, and believes the third failure and the second success. */
const BY_HEALTH = {
  maxUnavailableNodes: 1,
  annotateDeploymentToDetach: { gracePeriodSeconds: 6 },
  attachGraceSeconds: 6,
}
const BY_DETACHER = {
  maxUnavailableNodes: 1,
  annotateNodeToDetach: { key: REQUEST, value: 'true', gracePeriodSeconds: 1 },
  waitForDetachmentByAnnotatedTimestamp: { key: STAMP, gracePeriodSeconds: 3 },
  attachGraceSeconds: 6,
}
/** A new pod first, then an old one goes. */
const IN_PLACE = { maxDegradedNodes: 1, maxUnavailablePodsPerNode: 0, maxSurgedPodsPerNode: 1 }

let opened: IngressBed | undefined
const place = (): IngressBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await IngressBed.open()
})
after(async () => opened?.close())

let changes = 0

/** Other pods, which are rolled out; then all nodes are in service. */
async function rollOut(rollingUpdate: object, stopGrace = '1s', limitMs?: number): Promise<void> {
  changes += 1
  const version = `v${changes}`
  await place().bed.apply([anIngress({ version, stopGrace }, rollingUpdate)])
  await place().untilServed(2, version, limitMs)
  await place().untilInService()
}

async function nothingFailed(t: TestContext, run: () => Promise<Judgement>): Promise<void> {
  const judged = await unlessVoid(t, run)
  t.diagnostic(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
  assert.deepEqual([judged.failedRequests, judged.windows, await place().claims()], [0, [], ''])
}

test('two pods of each node are replaced by a rollout under traffic, and no request fails', real, async (t) => {
  await rollOut(BY_HEALTH)
  await nothingFailed(t, () => place().underTraffic('plain', () => rollOut(BY_HEALTH)))
})

for (const round of [1, 2, 3]) {
  atNight(`the same once more, round ${round}`, real, (t) =>
    nothingFailed(t, () => place().underTraffic('plain', () => rollOut(BY_HEALTH))),
  )

  atNight(`by a detacher, behind a load balancer that nothing else moves, round ${round}`, real, (t) =>
    nothingFailed(t, () =>
      place().underTraffic('data', async (socket) => {
        const detacher = new SocketDetacher(place().bed, socket)
        try {
          await rollOut(BY_DETACHER)
          assert.equal(detacher.detached, 3)
        } finally {
          await detacher.end()
        }
      }),
    ),
  )

  atNight(`in place, of pods that end their connections before they stop, round ${round}`, real, async (t) => {
    await rollOut(BY_HEALTH, '4s')
    await nothingFailed(t, () => place().underTraffic('data', () => rollOut(IN_PLACE, '4s')))
  })
}

const ROLL_LIMIT_MS = 600_000

for (const [title, rollFirst] of [
  ['a roll that begins while a rollout is under way', false],
  ['a rollout that begins while a roll is under way', true],
] as const) {
  atNight(`${title}: both end, one node is out at a time, and no request fails`, LONG, async (t) => {
    await rollOut(BY_HEALTH)
    await nothingFailed(t, () =>
      place().underTraffic('plain', async (socket) => {
        const out = new DownWatch(socket)
        const { place: bed } = place()
        let rollout = rollFirst ? undefined : rollOut(BY_HEALTH, '1s', ROLL_LIMIT_MS)
        const roll = bed.roll('-f', bed.file({ nodes: bed.bed.nodes, fronts: 1, checkers: 1 }), '--yes')
        if (rollFirst) await roll.until('a node to be left', ({ type }) => type === 'noticed')
        rollout ??= rollOut(BY_HEALTH, '1s', ROLL_LIMIT_MS)
        const { code, stderr } = await roll.ended()
        assert.equal(code, 0, stderr)
        await rollout
        const most = await out.stop()
        assert.ok(most.length === 1, `${most.join(', ')} were down at once`)
      }),
    )
  })
}

test('an unmodified drain takes the ingress pods of a node under traffic, and no request fails', real, async (t) => {
  await place().untilInService()
  await nothingFailed(t, () =>
    place().underTraffic('plain', async () => {
      const words = ['drain', 'n2', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s']
      await place().bed.kubectl(words, { limitMs: 130_000 })
      assert.match(await place().claims(), /ingress\/default\.web/)
      await place().bed.kubectl(['uncordon', 'n2'])
      await place().untilInService()
    }),
  )
})

atNight('the same change of a DaemonSet loses requests', real, async (t) => {
  const { bed } = place()
  await bed.kubectl(['delete', 'ingressdaemonset/web', '--wait', '--timeout=120s'], { limitMs: 130_000 })
  await bed.apply([aDaemonSet('d1')])
  await place().untilServed(1, 'd1')
  const judged = await place().underTraffic('plain', async () => {
    await bed.apply([aDaemonSet('d2')])
    await place().untilServed(1, 'd2')
  })
  t.diagnostic(`${judged.failedRequests} of ${judged.sentRequests} requests failed`)
  assert.ok(judged.failedRequests > 0)
})
