import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Claim, formatClaims, MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { isBackInService, keepDetached, mustBeOut } from '../../../src/service/decide/keep-detached.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../../src/service/model/node-record.ts'
import { agents, anEndpoint, confirmed, endpointRecord, endpointSpec, OTHERS } from '../../support/endpoint-world.ts'
import { plain } from '../../support/plain.ts'
import { out, settled, withPort } from '../../support/roll-stages.ts'
import { aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const ALICE = { owner: 'person/alice', id: 'disk', at: '2026-01-01T00:00:00Z', why: 'a new disk' }
const OWN = { owner: 'roll/run-1', id: 'a1' }
const GUARD = { owner: 'guard/storage', id: '7' }

const textOf = (claims: readonly Claim[] | string): string =>
  typeof claims === 'string' ? claims : formatClaims(claims)
const annotated = (claims?: readonly Claim[] | string) => ({
  annotations: claims === undefined ? {} : { [MAINTENANCE_ANNOTATION]: textOf(claims) },
})

const was = (state: 'ready' | 'drain' | 'maint'): NodeRecord =>
  aRecord({ servers: aRecord().servers.map((server) => ({ ...server, state })) })

interface At {
  readonly n1?: Partial<ServerReading>
  readonly record?: NodeRecord
  readonly evidence?: Partial<Evidence>
}

/** A settled node behind HAProxy, on which those claims stand. */
function bySocket(claims: readonly Claim[] | string | undefined, { n1 = DRAINED, record, evidence }: At = {}) {
  const s = aSnapshot({
    ...settled,
    node: { ...settled.node, ...annotated(claims) },
    ...(record === undefined ? {} : { record }),
    evidence: { ...settled.evidence, ...evidence },
    servers: [aServer('n1', n1), aServer('n2'), aServer('n3')],
  })
  return withPort(s) as NodeSnapshot
}
const DRAINED = { adminState: 'drain', check: 'passing' } as const
const next = (...at: Parameters<typeof bySocket>): string => shortDecision(decide(bySocket(...at)))

test('law: no server is put back into service while the claim of another owner stands on its node', () => {
  assert.equal(next(undefined), 'act attach: setServer ready')
  assert.equal(next([OWN]), 'act attach: setServer ready')
  assert.equal(next('withdrawn'), 'act attach: setServer ready')
  assert.equal(next([ALICE]), 'hold attach: ClaimedByOthers')
  assert.equal(next([ALICE, OWN, GUARD]), 'hold attach: ClaimedByOthers ClaimedByOthers')
  assert.equal(next('until Monday'), 'hold attach: ClaimsUnreadable')
  assert.equal(next([ALICE], { n1: { adminState: 'maint' } }), 'hold attach: ClaimedByOthers')
})

test('a server that was out before goes back to that state, and one in service stays so, even if another client claims the node', () => {
  assert.equal(next([ALICE], { record: was('maint') }), 'act attach: setServer maint')
  assert.equal(next([ALICE], { n1: {} }), 'hold soak: Soaking')
})

test('a claim that keeps a node out is reported with its owner, its time, its reason and the command to withdraw it', () => {
  const reasonsOf = (claims: readonly Claim[] | string) => {
    const decision = decide(bySocket(claims))
    return plain(decision.reasons.map(({ object, text, next: cure }) => [object, text, cure]))
  }
  const off = 'kubectl annotate node n1 evenkeel.dev/maintenance-'
  // It removes the annotation as it was read: a claim that came since would be lost with it.
  const path = '/metadata/annotations/evenkeel.dev~1maintenance'
  const read = JSON.stringify(formatClaims([ALICE]))
  const withdrawal = `kubectl patch node n1 --type=json -p '[{"op":"test","path":"${path}","value":${read}},{"op":"remove","path":"${path}"}]'`
  assert.deepEqual(reasonsOf([ALICE]), [
    [
      'n1',
      'person/alice keeps n1 out since 2026-01-01T00:00:00Z: a new disk',
      `once person/alice has finished with n1: ${withdrawal}`,
    ],
  ])
  assert.deepEqual(reasonsOf('until Monday'), [
    ['n1', 'the claims on n1 cannot be read: it is not a JSON object', `once no work on n1 is in progress: ${off}`],
  ])
})

/** The words of a command that a shell would see. */
const patchIn = (line: string): readonly { readonly op: string; readonly value?: string }[] =>
  JSON.parse(/-p '([^']*)'$/.exec(line)?.[1] ?? 'null')

test('beside other claims the command takes one out alone, and no word of an owner ends its quotes', () => {
  const hostile = { ...GUARD, why: 'it\'s $(reboot) `id` \u202e\ud83d\ude80 \\ "quoted"\n' }
  const decision = decide(bySocket([ALICE, hostile]))
  const [line = ''] = decision.reasons
    .filter(({ text }) => text.startsWith('person/alice'))
    .map(({ next: cure = '' }) => plainText(cure))
  assert.match(
    line,
    /^once person\/alice has finished with n1: kubectl patch node n1 --type=json -p '[\x20-\x26\x28-\x7e]+'$/,
  )
  const [tested, replaced] = patchIn(line)
  assert.deepEqual([tested?.op, tested?.value], ['test', formatClaims([ALICE, hostile])])
  assert.deepEqual([replaced?.op, replaced?.value], ['replace', formatClaims([hostile])])
})

test('a command that would be no line to paste is not shown', () => {
  const others = [...Array(16).keys()].map((i) => ({ ...ALICE, owner: `person/p${i}`, why: 'x'.repeat(150) }))
  const [reason] = decide(bySocket(others)).reasons
  assert.equal(
    plainText(reason?.next ?? ''),
    'once person/p0 has finished with n1: remove its claim from the annotation evenkeel.dev/maintenance',
  )
})

/** As far as the engine has come with that decision, at that time. */
const remembered = (s: NodeSnapshot, ms = 0): NodeSnapshot => {
  const later = { ...s, now: monoMs(s.now + ms) }
  return { ...later, evidence: rememberDecision(later, decide(later)) }
}

test('a node that is kept out by a claim alone is kept out by the roll as well: a reload puts nothing back in', () => {
  const held = remembered(bySocket([ALICE]))
  const reloaded = bySocket([ALICE], { n1: {}, evidence: held.evidence })
  assert.deepEqual(
    keepDetached(serviceOf(reloaded)).map((action) => action.kind === 'setServer' && action.state),
    ['drain'],
  )
  assert.equal(isBackInService(serviceOf(reloaded)), true)
  const withdrawn = remembered(bySocket(undefined, { evidence: held.evidence }))
  assert.deepEqual(mustBeOut(serviceOf(withdrawn)), [])
  const again = bySocket([ALICE], { n1: {}, evidence: withdrawn.evidence })
  assert.deepEqual(mustBeOut(serviceOf(remembered(again))), [], 'once it was put back a claim takes nothing out')
})

test('a claim on a node that is being put back already is no duty to take it out again', () => {
  const begun = remembered(bySocket(undefined))
  const claimed = remembered(bySocket([ALICE], { evidence: begun.evidence }))
  assert.deepEqual(mustBeOut(serviceOf(claimed)), [])
  assert.equal(shortDecision(decide(claimed)), 'hold attach: ClaimedByOthers')
})

test('a claim that is never withdrawn ends the roll by the limit of attach, and the node stays out', () => {
  const held = remembered(bySocket([ALICE]))
  const at = (ms: number) => judge({ ...held, now: monoMs(held.now + ms) })
  assert.equal(at(299_999), undefined)
  const verdict = at(300_000)
  assert.deepEqual(
    [verdict?.keepOut, verdict?.reasons.map(({ code }) => code)],
    [true, ['NotUp', 'ClaimedByOthers', 'NotUpYet']],
  )
})

/** A node behind its agent, taken out and confirmed, on which those claims stand now. */
function byAgent(claims: readonly Claim[] | string | undefined, n1: Partial<ServerReading> = {}): NodeSnapshot {
  const asked = claims !== undefined && claims !== 'withdrawn'
  const state = asked ? ({ ownState: 'drain', adminState: 'drain' } as const) : {}
  return aSnapshot({
    ...out,
    node: { ...out.node, ...annotated(claims) },
    record: endpointRecord(),
    evidence: confirmed,
    change: {
      spec: endpointSpec(),
      instances: agents([
        anEndpoint('n1', { answer: 'drain', acknowledged: ['a1', 'disk'] }, { ...state, ...n1 }),
        ...OTHERS,
      ]),
    },
  })
}

const repeated = (claims: readonly Claim[] | string | undefined): readonly string[] =>
  keepDetached(serviceOf(byAgent(claims))).map(({ kind }) => kind)

test('law: a claim of a roll that was overwritten is made again while the node must be out; a claim of the roll that was overwritten is made again while the node is out', () => {
  assert.deepEqual(repeated([OWN]), [])
  assert.deepEqual(repeated([OWN, ALICE]), [])
  assert.deepEqual(repeated(undefined), ['askAgent'])
  assert.deepEqual(repeated('withdrawn'), ['askAgent'])
  assert.deepEqual(repeated([ALICE]), ['askAgent'])
  assert.deepEqual(repeated('until Monday'), [], 'what cannot be read is not written over')
})

test('law: a claim of a roll that was overwritten is made again while the node must be out; a claim that was overwritten is made again though no other node could serve: the other claim has it out', () => {
  const s = byAgent([ALICE])
  const instances = agents([
    ...(s.instances[0]?.reading?.servers.slice(0, 1) ?? []),
    anEndpoint('n2', { answer: 'down' }),
  ])
  assert.deepEqual(
    keepDetached(serviceOf({ ...s, instances })).map(({ kind }) => kind),
    ['askAgent'],
  )
})

const detaching = (claims: readonly Claim[] | string | undefined): string => {
  const s = byAgent(claims)
  return shortDecision(decide({ ...s, evidence: { ...s.evidence, detached: {} } }))
}

test('a roll adds its claim to those of other clients, and waits for the acknowledgement of its own claim', () => {
  assert.equal(detaching(undefined), 'act detach: askAgent')
  assert.equal(detaching([ALICE]), 'act detach: askAgent')
  assert.equal(detaching([ALICE, { ...OWN, id: 'a2' }]), 'hold detach: RequestNotTaken')
  assert.equal(detaching('until Monday'), 'hold detach: ClaimsUnreadable')
})
