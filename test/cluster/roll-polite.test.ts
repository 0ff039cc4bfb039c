import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before } from 'node:test'
import { plainText } from '../../src/ground/model/sentence.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { budget, shutApp, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { politeRoll } from '../scenarios/polite.ts'
import { requires } from '../support/requires.ts'
import { atNight, isNight } from '../support/roll-bed/at-night.ts'
import { WHOAMI_FRONT } from '../support/roll-bed/lb-config.ts'
import { paste } from '../support/roll-bed/paste.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'

const real = { ...requires('testbed'), timeout: 900_000 }
const rights = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
const RBAC = rights('roll-polite-rbac.yaml')
const DELETE_RBAC = rights('roll-delete-rbac.yaml')
const POLITE = { polite: [{ selector: 'app=whoami' }] }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

/**
 * `whoami` exits at once when it is asked to, and nothing in it delays that. A connection that HAProxy keeps open to a pod stays with
 * the pod until that exits, and a request that is on its way then is lost: so HAProxy keeps none.
 */
before(async () => {
  if (real.skip !== false || !isNight) return
  opened = await RollBed.open({ service: 'plain', replicas: 1, database: false, lb: { closesServers: true } })
  await opened.bed.apply(RBAC)
})
after(async () => opened?.close())

/** Pods that go at once are lost to each kube-proxy that has not heard yet: they are gone, and answers come for a while. */
const scaled = async (replicas: number): Promise<void> => {
  await bed().bed.apply(whoami({ service: 'plain', replicas }))
  await bed().settled()
  await waitFor({ what: `${replicas} pods of whoami`, limitMs: 60_000, everyMs: 200 }, async () =>
    (await podsOf()).length === replicas ? true : undefined,
  )
  const probe = ['probe', WHOAMI_FRONT, '--rate', '50', '--duration', '3s', '--progress', 'none']
  await waitFor({ what: 'three seconds without a failed request', limitMs: 60_000, everyMs: 100 }, async () =>
    (await bed().evenkeel(...probe)).code === 0 ? true : undefined,
  )
}

const podsOf = async (): Promise<readonly string[]> =>
  (await bed().list('/api/v1/namespaces/default/pods?labelSelector=app%3Dwhoami')).map(({ metadata }) => metadata.name)

atNight(
  'the only pod of a service that exits at once leaves its node without one failed request, past a budget that never allows it',
  real,
  async (t) => {
    await bed().bed.apply([budget('whoami', 'whoami', 1)])
    const node = await bed().nodeWith('whoami')
    const [before] = await podsOf()
    const judged = await unlessVoid(t, () =>
      politeRoll(new RealGround(bed), { drain: POLITE, nodes: { names: [node] } }),
    )
    assert.deepEqual([judged.code, judged.failed], [0, 0], judged.story)
    assert.deepEqual(await leftoversOf(bed()), [])
    const now = await podsOf()
    assert.deepEqual([now.length, now.includes(before ?? '')], [1, false])
    await bed().remove('/apis/policy/v1/namespaces/default/poddisruptionbudgets/whoami')
  },
)

const ALL_PODS = '/api/v1/namespaces/default/pods?labelSelector=app%3D'
const SURGE = { blocked: [{ selector: 'app=whoami', wait: '5s', surge: '2min' }] }

atNight(
  'the only pod of a service that may not be evicted is replaced first, under 100 requests a second, without one failed',
  real,
  async (t) => {
    await scaled(1)
    await bed().bed.apply([budget('whoami', 'whoami', 1)])
    const before = await podsOf()
    const names = [await bed().nodeWith('whoami')]
    const judged = await unlessVoid(t, () => politeRoll(new RealGround(bed), { drain: SURGE, nodes: { names } }))
    t.diagnostic(`${judged.failed} of ${judged.sentRequests} failed`)
    assert.deepEqual([judged.code, judged.failed], [0, 0], judged.story)
    assert.match(judged.story, /"action":"releasePod"/)
    assert.deepEqual(await leftoversOf(bed()), [])
    const now = await podsOf()
    assert.deepEqual([now.length, now.some((name) => before.includes(name))], [1, false])
    await bed().remove('/apis/policy/v1/namespaces/default/poddisruptionbudgets/whoami')
  },
)

/** `legacy` under a budget that allows no eviction, and the roll file that has its node alone. */
async function legacyShut(rungs: object) {
  await bed().bed.apply(DELETE_RBAC)
  await bed().bed.apply(shutApp('legacy'))
  await bed().settled()
  const [before] = await bed().list(`${ALL_PODS}legacy`)
  const drain = { ...POLITE, blocked: [{ selector: 'app=legacy', wait: '5s', ...rungs }] }
  return { before, spec: { drain, nodes: { names: [await bed().nodeWith('legacy')] } } }
}

/** Another pod of it runs, and nothing of the roll is left. Its budget would hold up every roll after this one. */
async function isReplaced(before: string | undefined): Promise<void> {
  const [after, ...more] = await bed().list(`${ALL_PODS}legacy`)
  assert.deepEqual([more.length, after?.metadata.uid === before], [0, false])
  assert.deepEqual(await leftoversOf(bed()), [])
  await bed().remove('/apis/policy/v1/namespaces/default/poddisruptionbudgets/legacy')
  await bed().remove('/apis/apps/v1/namespaces/default/deployments/legacy')
  await bed().settled()
}

atNight('a pod whose budget allows no eviction is deleted in the end, where the file says so', real, async () => {
  const { before, spec } = await legacyShut({ delete: true })
  const { code, story } = await politeRoll(new RealGround(bed), spec)
  assert.equal(code, 0, story)
  assert.match(story, /"action":"deletePod"[^\n]*"ok":true/)
  await isReplaced(before?.metadata.uid)
})

atNight('the line that a roll prints with its question is the answer when it is pasted', real, async () => {
  const { before, spec } = await legacyShut({ ask: '5min' })
  const roll = await new RealGround(bed).roll(spec)
  const asked = (event: StampedEvent) =>
    event.type.startsWith('hold.') && 'reasons' in event
      ? event.reasons.find(({ code }) => code === 'AnswerAwaited')
      : undefined
  const question = await roll.until('the question', (event) => asked(event) !== undefined)
  await paste(plainText(asked(question)?.next ?? ''), { kubeconfig: bed().bed.kubeconfig })
  const { code, story } = await roll.ended()
  assert.equal(code, 0, story)
  assert.match(story, /"action":"deletePod"[^\n]*"ok":true/)
  await isReplaced(before?.metadata.uid)
})

const ROLLS = 5

for (const replicas of [1, 5]) {
  atNight(
    `${replicas} of a service that exits at once: ${ROLLS} rolls of every node lose none with it, and one without loses some`,
    real,
    async (t) => {
      await scaled(replicas)
      const lost: number[] = []
      for (const drain of [...Array.from({ length: ROLLS }, () => POLITE), {}]) {
        const { failed, sentRequests, story } = await unlessVoid(t, () => politeRoll(new RealGround(bed), { drain }))
        t.diagnostic(`${'polite' in drain ? 'with' : 'without'}: ${failed} of ${sentRequests} failed`)
        if ('polite' in drain) assert.equal(failed, 0, story)
        lost.push(failed)
        await bed().settled()
      }
      assert.deepEqual(lost.slice(0, ROLLS), Array(ROLLS).fill(0))
      assert.ok((lost[ROLLS] ?? 0) > 0)
    },
  )
}

/** Of one replica each write; of five those of a pod that leaves while others of it serve. */
const KILLS = [
  { replicas: 1, action: 'releasePod' },
  { replicas: 1, action: 'withdrawPod' },
  { replicas: 1, action: 'evict' },
  { replicas: 5, action: 'releasePod' },
  { replicas: 5, action: 'withdrawPod' },
] as const

for (const word of ['resume', 'abort'] as const) {
  for (const { replicas, action } of KILLS) {
    atNight(
      `killed right after ${action} with ${replicas} of it, ${word} loses no request and leaves no pod half on its way`,
      real,
      async (t) => {
        await scaled(replicas)
        const names = [await bed().nodeWith('whoami')]
        const judged = await unlessVoid(t, async () => {
          const judge = bed().judge()
          const roll = bed().roll('-f', bed().file({ spec: { nodes: { names }, drain: POLITE } }), '--yes')
          await roll.until(action, (event) => event.type === 'write' && event.action === action && event.ok)
          roll.kill('SIGKILL')
          await roll.ended()
          const { code } = await bed().roll(word).ended()
          assert.equal(code, 0)
          await bed().settled()
          return judge.verdict()
        })
        assert.equal(judged.failedRequests, 0)
        assert.deepEqual(await leftoversOf(bed()), [])
      },
    )
  }
}
