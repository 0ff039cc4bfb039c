import assert from 'node:assert/strict'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

const QUOTA = 'deployments.apps is forbidden: exceeded quota: few'

/** A write that is refused each time it is tried; `says`: as the API server explains it. */
interface Refusing {
  isOn: boolean
  tries: number
  says: () => string
  code: number
  /** It is not answered at all. */
  isSilent: boolean
}

async function refusing(t: SimulationContext, isMeant: (request: ApiRequest) => boolean) {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const refusal: Refusing = { isOn: true, tries: 0, says: () => QUOTA, code: 403, isSilent: false }
  ground.begin('controller 1', {
    passageOf: (request): Passage => {
      if (!refusal.isOn || !isMeant(request)) return { kind: 'passes' }
      refusal.tries += 1
      if (refusal.isSilent) return { kind: 'silent' }
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
      const { code } = refusal
      const body = { ...status, reason: code === 403 ? 'Forbidden' : 'InternalError', code, message: refusal.says() }
      return { kind: 'answered', reply: { code, body } }
    },
  })
  ground.apply(anIngressManifest('v1'))
  return { ground, refusal }
}

const makes =
  (kind: string, node: string) =>
  ({ method, path, body }: ApiRequest): boolean =>
    method === 'POST' && path.endsWith(`/${kind}`) && JSON.stringify(body).includes(`"evenkeel.dev/node":"${node}"`)

interface Listed {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly message?: string
}

const rowOf = (ground: IngressGround, node: string): Listed | undefined =>
  ((ground.status().nodes ?? []) as readonly Listed[]).find(({ name }) => name === node)

const served = (ground: IngressGround): readonly string[] =>
  ground.podLines().filter((line) => !line.endsWith('not ready'))

const isOpen = (gate: object): boolean =>
  (gate as { readonly spec?: { readonly maxUnavailable?: unknown } }).spec?.maxUnavailable !== 0

test('a Deployment that a quota refuses keeps no other node from its pods, from its turn and from its drain', async (t) => {
  const { ground, refusal } = await refusing(t, makes('deployments', 'n1'))
  await ground.until('n2 and n3 to serve', () => served(ground).length === 4 && ground.status().readyNodes === 2, 60)
  const row = rowOf(ground, 'n1')
  assert.deepEqual([row?.state, row?.reason], ['Creating', 'WriteRefused'])
  assert.match(row?.message ?? '', /^the next write for n1 is refused: create deployments\.apps: .*exceeded quota: few/)
  assert.ok(ground.events().some((line) => line.startsWith('WriteRefused: the next write for n1 is refused')))
  ground.apply(anIngressManifest('v2'))
  await ground.until(
    'n2 and n3 to have the other template',
    () => served(ground).length === 4 && served(ground).every((line) => line.endsWith(' v2')),
    120,
  )
  ground.cordon('n2', true)
  await ground.until('the gate of n2 to open', () => ground.gates().some(isOpen), 60)
  refusal.isOn = false
  await ground.until('n1 to serve', () => served(ground).some((line) => line.startsWith('n1 ')), 60)
  await ground.until('n1 to be as it should be', () => rowOf(ground, 'n1') === undefined, 60)
})

test('a write that stays refused is tried every ten seconds at most, and nothing else is written', async (t) => {
  const { ground, refusal } = await refusing(t, makes('deployments', 'n1'))
  await ground.until('n2 and n3 to serve', () => served(ground).length === 4 && ground.status().readyNodes === 2, 60)
  await ground.cluster.time.advance(20_000)
  const before = { writes: ground.ownWrites(), tries: refusal.tries }
  await ground.cluster.time.advance(60_000)
  assert.equal(ground.ownWrites(), before.writes)
  const tries = refusal.tries - before.tries
  assert.ok(tries >= 5 && tries <= 30, `${tries}`)
})

test('what refuses with other words each time leads to one write of the status in a minute at most', async (t) => {
  const { ground, refusal } = await refusing(t, makes('deployments', 'n1'))
  refusal.says = () => `${QUOTA}, asked ${refusal.tries} times`
  await ground.until('n2 and n3 to serve', () => served(ground).length === 4 && ground.status().readyNodes === 2, 60)
  await ground.cluster.time.advance(20_000)
  const before = refusal.tries
  const messages = new Set<string>()
  for (let second = 0; second < 60; second += 1) {
    await ground.cluster.time.advance(1_000)
    messages.add(rowOf(ground, 'n1')?.message ?? '')
  }
  assert.ok(messages.size <= 2, `${messages.size} messages`)
  const tries = refusal.tries - before
  assert.ok(tries >= 5 && tries <= 30, `${tries}`)
})

test('a webhook that does not answer for a Deployment keeps no other node from its turn', async (t) => {
  const { ground, refusal } = await refusing(t, makes('deployments', 'n1'))
  refusal.code = 500
  refusal.says = () => 'Internal error occurred: failed calling webhook "w.example.com": connection refused'
  await ground.until('n2 and n3 to serve', () => served(ground).length === 4 && ground.status().readyNodes === 2, 60)
  assert.equal(rowOf(ground, 'n1')?.reason, 'WriteRefused')
  refusal.isOn = false
  await ground.until('n1 to serve', () => served(ground).some((line) => line.startsWith('n1 ')), 60)
})

test('a webhook that takes longer than a write may keeps no other node from its turn, and is not tried without a pause', async (t) => {
  const { ground, refusal } = await refusing(t, makes('deployments', 'n1'))
  refusal.isSilent = true
  await ground.until('n2 and n3 to serve', () => served(ground).length === 4 && ground.status().readyNodes === 2, 60)
  await ground.until('n1 to be listed', () => rowOf(ground, 'n1')?.reason === 'WriteRefused', 60)
  assert.match(
    rowOf(ground, 'n1')?.message ?? '',
    /the API server did not answer within \d+ s; .* a webhook may be slow/,
  )
  ground.apply(anIngressManifest('v2'))
  await ground.until(
    'n2 and n3 to have the other template',
    () => served(ground).length === 4 && served(ground).every((line) => line.endsWith(' v2')),
    180,
  )
  refusal.isOn = false
  await ground.until('n1 to serve', () => served(ground).some((line) => line.startsWith('n1 ')), 60)
})

test('a node in service whose gate is refused is listed, since its drains would wait for nothing', async (t) => {
  const { ground, refusal } = await refusing(t, makes('poddisruptionbudgets', 'n1'))
  await ground.until('all nodes to serve', () => served(ground).length === 6, 60)
  await ground.until('two gates', () => ground.gates().length === 2, 60)
  await ground.until('n1 to be listed', () => rowOf(ground, 'n1')?.reason === 'WriteRefused', 60)
  refusal.isOn = false
  await ground.until('nothing to be wrong', () => ground.gates().length === 3 && rowOf(ground, 'n1') === undefined, 60)
})
