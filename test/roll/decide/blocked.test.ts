import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import { aHook } from '../../support/gate-and-hook-world.ts'
import { back, out, proven, settled, uncordoned, withPort } from '../../support/roll-stages.ts'
import {
  aNode,
  aPod,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  detachedEvidence,
  NEW_BOOT,
} from '../../support/roll-world.ts'

const MINUTE_S = 60
const PASS_S = 5

/** How a node waits that a pass looks at every five seconds, and when it is given up. Nothing that is decided is done. */
function givenUp(begun: NodeSnapshot, at: (s: NodeSnapshot, second: number) => NodeSnapshot): string {
  let s = begun
  for (let second = 0; second <= 6 * 60 * MINUTE_S; second += PASS_S) {
    s = at({ ...s, now: monoMs(begun.now + second * 1000) }, second)
    s = { ...s, evidence: observe(s) }
    const verdict = judge(s)
    if (verdict !== undefined)
      return `${verdict.kind} ${verdict.reasons[0]?.code} after ${Math.round(second / MINUTE_S)} min`
    s = { ...s, evidence: rememberDecision(s, decide(s)) }
  }
  return 'never'
}

const { controller: _, ...bare } = aPod('bare', 'n1')
const refused = aSnapshot({ ...out, pods: [bare] })
const down = { operational: 'down', check: 'failing' } as const
const alone = aSnapshot({ servers: [aServer('n1'), aServer('n2', down), aServer('n3', down)] })

/** For so many of each nine minutes, at their end. */
const isNow = (second: number, forS: number): boolean => second % (9 * MINUTE_S) >= 9 * MINUTE_S - forS

const withPods = (s: NodeSnapshot, ...names: readonly string[]): NodeSnapshot => ({
  ...s,
  cluster: { ...s.cluster, pods: [bare, ...names.map((name) => aPod(name, 'n1'))] },
})

const unready = (s: NodeSnapshot, is: boolean): NodeSnapshot => {
  const nodes = [s.current.node, aNode('n2'), aNode('n3', { ready: is ? 'False' : 'True' })]
  return { ...s, cluster: { ...s.cluster, nodes } }
}
const unheard = (s: NodeSnapshot, is: boolean): NodeSnapshot => ({
  ...s,
  cluster: { ...s.cluster, staleForMs: is ? 1 : 0 },
})
const lifted = (s: NodeSnapshot, is: boolean): NodeSnapshot => {
  const node = { ...s.current.node, unschedulable: !is }
  return { ...s, current: { ...s.current, node }, cluster: { ...s.cluster, nodes: [node, aNode('n2'), aNode('n3')] } }
}

const ending = aPod('ending', 'n1', { terminating: true })
const leaving = (s: NodeSnapshot, second: number): NodeSnapshot => ({
  ...s,
  cluster: { ...s.cluster, pods: second < 12 * MINUTE_S ? [ending] : [bare, ending] },
})

const COURSES: readonly (readonly [title: string, found: string, expected: string])[] = [
  ['nothing else happens', givenUp(refused, (s) => s), 'held PodRefused after 10 min'],
  [
    'another node is not Ready for some seconds now and then',
    givenUp(refused, (s, second) => unready(s, isNow(second, 5))),
    'held PodRefused after 10 min',
  ],
  [
    'the API server is away for some seconds now and then',
    givenUp(refused, (s, second) => unheard(s, isNow(second, 5))),
    'held PodRefused after 10 min',
  ],
  [
    'the API server is away for five of nine minutes',
    givenUp(refused, (s, second) => unheard(s, isNow(second, 5 * MINUTE_S))),
    'held PodRefused after 20 min',
  ],
  [
    'a person uncordons it now and then',
    givenUp(refused, (s, second) => lifted(s, isNow(second, 5))),
    'held PodRefused after 10 min',
  ],
  [
    'pods that are not held come and go in the drain',
    givenUp(refused, (s, second) => withPods(s, ...(second % MINUTE_S < 20 ? [`cron-${second / MINUTE_S}`] : []))),
    'held PodRefused after 10 min',
  ],
  ['a pod took long to end before', givenUp(refused, leaving), 'held PodRefused after 22 min'],
  [
    'pods come and go while it waits before its drain',
    givenUp(alone, (s, second) => withPods(s, ...(second % MINUTE_S < 20 ? ['cron'] : []))),
    'held OtherNodeBad after 10 min',
  ],
]

for (const [title, found, expected] of COURSES)
  test(`law: a limit counts from when its wait began, stands still while the roll may not act or cannot know, and never begins anew without progress; ${title}`, () =>
    assert.equal(found, expected))

const SENT = { reboot: { at: monoMs(999_000), answer: { kind: 'sent' } }, awaySince: monoMs(999_000) } as const
const rebooting = { ...out, announced: true, evidence: { ...detachedEvidence(), ...SENT } }
const returned = { bootId: NEW_BOOT, at: monoMs(999_000), heartbeat: '2026-01-01T00:00:00Z' }
const unproven = {
  ...back,
  node: { ...back.node, ready: 'False' },
  evidence: { ...detachedEvidence(), returned },
} as const
const settling = { ...uncordoned.evidence, settlingSince: monoMs(1_000_000) }
const unsettled = aSnapshot({ ...uncordoned, evidence: settling })
const attaching = aSnapshot({ ...uncordoned, evidence: { ...uncordoned.evidence, attachingSince: monoMs(1_000_000) } })
const lapsed = (s: NodeSnapshot, is: boolean): NodeSnapshot => ({
  ...s,
  slot: { state: 'mine', mayAct: !is },
})

const soaked = aSnapshot({
  node: { bootId: NEW_BOOT },
  record: aRecord(),
  announced: true,
  evidence: { attachingSince: monoMs(900_000), attachedAt: monoMs(900_000) },
})

/** Each is given up at its limit, and three hours later where the API server is away for three hours. */
const AWAY: readonly (readonly [title: string, s: NodeSnapshot, expected: string, after: string])[] = [
  ['a drain', refused, 'held PodRefused after 10 min', 'held PodRefused after 190 min'],
  [
    'an eviction',
    aSnapshot({ ...out, pods: [aPod('cart', 'n1')] }),
    'held PodsHere after 30 min',
    'held PodsHere after 210 min',
  ],
  ['a reboot', aSnapshot(rebooting), 'stopped NodeDidNotReturn after 15 min', 'stopped NodeDidNotReturn after 195 min'],
  ['a proof', aSnapshot(unproven), 'stopped NotProven after 15 min', 'stopped NotProven after 195 min'],
  ['a settle', unsettled, 'stopped NotSettled after 10 min', 'stopped NotSettled after 190 min'],
  ['an attach', attaching, 'stopped NotUp after 5 min', 'stopped NotUp after 185 min'],
  ['a record that is to go', soaked, 'held RecordStays after 5 min', 'held RecordStays after 185 min'],
  [
    'a record that others take off again and again',
    { ...soaked, current: { ...soaked.current, recordLost: true } },
    'held RecordLost after 5 min',
    'held RecordLost after 185 min',
  ],
  [
    'a hook that may not begin after a reboot',
    { ...aSnapshot(proven), spec: aSpec({ hooks: [aHook({ at: 'afterReboot' })] }) },
    'stopped NotSettled after 10 min',
    'stopped NotSettled after 190 min',
  ],
  [
    'a hook that may not begin before the attach',
    { ...withPort(aSnapshot(settled)), spec: aSpec({ hooks: [aHook({ at: 'beforeAttach' })] }) },
    'stopped NotSettled after 10 min',
    'stopped NotSettled after 190 min',
  ],
  [
    'a hook that may not be undone after the soak',
    {
      ...soaked,
      spec: aSpec({ hooks: [aHook({ at: 'beforeReboot' })] }),
      hooks: { states: { 'n1 run noout': { kind: 'done' } }, isLost: false },
    },
    'held HookDue after 5 min',
    'held HookDue after 185 min',
  ],
  [
    'a last hook on a full disk',
    { ...soaked, spec: aSpec({ hooks: [aHook({ at: 'afterNode' })] }), journalWritable: false },
    'held JournalNotWritable after 5 min',
    'held JournalNotWritable after 185 min',
  ],
]

for (const [title, s, expected, after] of AWAY)
  test(`no limit runs while the API server is away: ${title}`, () => {
    const [from, to] = [60, 60 + 180 * MINUTE_S]
    const isAway = (second: number): boolean => second > from && second <= to
    assert.equal(
      givenUp(s, (now) => now),
      expected,
    )
    const away = (now: NodeSnapshot, second: number) => unheard(lapsed(now, isAway(second)), isAway(second))
    assert.equal(givenUp(s, away), after)
  })

test('fewer pods than ever that are still to leave are progress of the drain', () => {
  const fewer = (s: NodeSnapshot, second: number): NodeSnapshot =>
    withPods(s, ...['a', 'b', 'c'].slice(Math.floor(second / (6 * MINUTE_S))))
  assert.equal(givenUp(refused, fewer), 'held PodRefused after 28 min')
})
