import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { HookStates } from '../../../src/roll/decide/hooks/hook-states.ts'
import type { GateSpec } from '../../../src/roll/model/gate-spec.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { hookKey, type StepHook } from '../../../src/roll/model/step-hook.ts'
import type { RunState } from '../../../src/roll/run/run-state.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aGate, aHook, exited, MemoryGates, MemoryPrograms } from '../../support/gate-and-hook-world.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

interface Requests {
  readonly gates?: readonly GateSpec[]
  readonly hooks?: readonly StepHook[]
}

interface Told {
  readonly roll: MemoryRoll
  readonly source: MemoryGates
  readonly programs: MemoryPrograms
  readonly ended: Extract<RollEvent, { type: 'roll.ended' }> | undefined
  /** Codes of all holds that were told. */
  readonly held: readonly string[]
  readonly warnings: readonly string[]
}

/** A roll of n1 and n2 by these requests, to its end. */
async function rolled(
  requests: Requests,
  prepare: (world: Pick<Told, 'roll' | 'source' | 'programs'>) => void = () => undefined,
  run: Partial<RunState> = {},
): Promise<Told> {
  const [source, programs] = [new MemoryGates(), new MemoryPrograms()]
  const spec = aSpec({ soakMs: 1_000, ...requests })
  const roll = memoryRoll({ run: { spec, order: ['n1', 'n2'], ...run }, gates: source, programs })
  prepare({ roll, source, programs })
  const running = roll.begin()
  for (let s = 0; s < 1_200 && roll.ended() === undefined; s += 10) await roll.clock.advance(10_000)
  await leave(roll, running)
  const held = roll.events.flatMap((event) =>
    event.type === 'hold.started' || event.type === 'hold.changed' ? event.reasons.map(({ code }) => code) : [],
  )
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  return { roll, source, programs, ended: roll.ended(), held, warnings }
}

const codes = ({ ended }: Told): readonly string[] => ended?.reasons.map(({ code }) => code) ?? []
const texts = ({ ended }: Told): string => ended?.reasons.map(({ text }) => text).join('\n') ?? ''
/** `n1 restored, cordon false`, of both nodes. */
const left = ({ ended, roll }: Told): readonly string[] =>
  (ended?.standings ?? []).map(({ node, state }) => {
    const { unschedulable, annotations } = roll.cluster.node(node)
    const marks = Object.keys(annotations).length === 0 ? '' : ' marked'
    return `${node} ${state}${unschedulable ? ' cordoned' : ''}${marks}`
  })
const outcome = ({ ended }: Told): string => `${ended?.outcome} ${ended?.exitCode}`
const fails = { kind: 'fails', text: 'the value is 1, not == 0' } as const
const BOTH_IN = ['n1 inService', 'n2 inService']

test('a gate that passes lets every node through, asked in a row for each node and moment', async () => {
  const end = await rolled({ gates: [aGate({ before: ['node', 'reboot', 'attach'] })] })
  assert.equal(outcome(end), 'completed 0')
  assert.deepEqual(left(end), BOTH_IN)
  assert.deepEqual(end.held, [])
  const of = (node: string): number => end.source.asked.filter((place) => place.node === node).length
  assert.deepEqual([of('n1'), of('n2')], [6, 6])
  assert.deepEqual(end.source.asked[0]?.address, '10.0.0.1')
})

test('a gate that fails before the node holds, and at its limit nothing was touched', async () => {
  const end = await rolled({ gates: [aGate()] }, ({ source }) => {
    source.answer = () => fails
  })
  assert.equal(outcome(end), 'held 3')
  assert.deepEqual(codes(end), ['GateLimit'])
  assert.match(texts(end), /^gate ceph did not pass within its limit \(1 min\): the value is 1, not == 0$/)
  assert.deepEqual(left(end), ['n1 notTouched', 'n2 notTouched'])
  assert.deepEqual([...new Set(end.held)], ['GateFails'])
  assert.deepEqual(end.roll.reboots, [])
  // Back-off: not once every two seconds.
  assert.ok(end.source.asked.length < 20, `${end.source.asked.length}`)
})

test('a gate that fails before the reboot restores the drained node at its limit', async () => {
  const end = await rolled({ gates: [aGate({ before: ['reboot'] })] }, ({ source }) => {
    source.answer = () => ({ kind: 'unknown', text: 'GET http://p/api/v1/query failed: ECONNREFUSED' })
  })
  assert.equal(outcome(end), 'held 3')
  assert.match(texts(end), /limit \(1 min\): GET http:\/\/p\/api\/v1\/query failed: ECONNREFUSED/)
  assert.deepEqual(left(end), ['n1 restored', 'n2 notTouched'])
  assert.deepEqual([...new Set(end.held)], ['GateUnknown'])
  assert.deepEqual(end.roll.reboots, [])
})

test('a gate that fails before the attach keeps the rebooted node out at its limit, however short the limit of settle', async () => {
  const gates = [aGate({ before: ['attach'], limitMs: 900_000 })]
  const end = await rolled({ gates }, ({ source }) => {
    source.answer = () => fails
  })
  assert.equal(outcome(end), 'stopped 1')
  assert.deepEqual(codes(end), ['GateLimit'])
  assert.deepEqual(left(end), ['n1 out marked', 'n2 notTouched'])
  assert.deepEqual(end.ended?.guarded, ['n1'])
  assert.deepEqual(end.roll.reboots, ['n1'])
})

test('a gate that hangs holds as one that was not answered, and passes no node', async () => {
  const end = await rolled({ gates: [aGate()] }, ({ source }) => {
    source.answer = () => 'hangs'
  })
  assert.equal(outcome(end), 'held 3')
  assert.match(texts(end), /within its limit \(1 min\): it was not answered$/)
  assert.deepEqual(left(end), ['n1 notTouched', 'n2 notTouched'])
})

test('a gate that flaps begins its row again, and lets the node go once it passes in a row', async () => {
  const end = await rolled({ gates: [aGate({ timesInARow: 3 })] }, ({ source }) => {
    source.answer = (nth) => (nth % 3 === 0 && nth < 10 ? fails : { kind: 'passes', text: 'healthy' })
  })
  assert.equal(outcome(end), 'completed 0')
  assert.ok(end.held.includes('GateFails'))
  assert.equal(end.source.asked.filter(({ node }) => node === 'n1').length, 12)
})

test('without anything that can ask them, gates hold', async () => {
  const spec = aSpec({ gates: [aGate()] })
  const roll = memoryRoll({ run: { spec, order: ['n1'] } })
  const running = roll.begin()
  await roll.clock.advance(120_000)
  await running
  assert.deepEqual([roll.ended()?.outcome, roll.reboots], ['held', []])
})

test('law: what a hook has begun is undone before the record of its node is removed; hooks run in the order of the ladder', async () => {
  const at = (moment: StepHook['at'], name: string): StepHook => {
    const { undo: _, ...rest } = aHook({ name, at: moment, run: [name, 'x', '{node}'] })
    return rest
  }
  const hooks = [
    at('beforeNode', 'first'),
    aHook(),
    at('afterReboot', 'rebooted'),
    at('beforeAttach', 'attaching'),
    at('afterNode', 'through'),
    { ...at('afterRoll', 'over'), run: ['over'] },
  ]
  const flagged: boolean[] = []
  const end = await rolled({ hooks }, ({ roll, programs }) => {
    const { rebooted } = roll.machine
    roll.machine.rebooted = (node) => {
      flagged.push(programs.set.has(node))
      rebooted(node)
    }
  })
  assert.equal(outcome(end), 'completed 0')
  const of = (node: string) => [
    `first x ${node}`,
    `ceph set ${node}`,
    `rebooted x ${node}`,
    `attaching x ${node}`,
    `ceph unset ${node}`,
    `through x ${node}`,
  ]
  assert.deepEqual(end.programs.ran, [...of('n1'), ...of('n2'), 'over'])
  assert.deepEqual([flagged, end.programs.set.size], [[true, true], 0])
})

test('the hooks before a node also run for a node that people had cordoned', async () => {
  const { undo: _, ...hook } = aHook({ name: 'first', at: 'beforeNode', run: ['first', '{node}'] })
  const end = await rolled({ hooks: [hook] }, ({ roll }) => {
    roll.cluster.change('n1', { unschedulable: true })
  })
  assert.equal(outcome(end), 'completed 0')
  assert.deepEqual(end.programs.ran, ['first n1', 'first n2'])
  assert.deepEqual(left(end), ['n1 inService cordoned', 'n2 inService'])
})

test('and for one with a server that was out before, and for one that is out since a process that undid its hooks', () => {
  const spec = aSpec({ hooks: [aHook({ name: 'first', at: 'beforeNode', run: ['first', '{node}'] })] })
  const next = (stage: Parameters<typeof aSnapshot>[0], states: HookStates['states'] = {}): string =>
    shortDecision(decide(aSnapshot({ ...stage, change: { spec, hooks: { states, isLost: false } } })))
  const outBefore = aRecord({
    unschedulable: true,
    servers: aRecord().servers.map((server) => ({ ...server, state: 'drain' })),
  })
  assert.equal(next({ ...out, record: outBefore }), 'act cordon: runHook')
  assert.equal(next(out), 'act cordon: runHook')
  assert.equal(next(out, { [hookKey('n1', 'run', 'first')]: { kind: 'done' } }), 'act reboot: writeIntent')
  assert.equal(next({ ...announced, evidence: { ...out.evidence, intentByUs: true } }), 'act reboot: sendReboot')
})

test('law: no reboot is announced after a hook before it has failed for good; the node is restored, what the hook may have done is undone, and the roll stops', async () => {
  const end = await rolled({ hooks: [aHook()] }, ({ programs }) => {
    programs.end = (line) => (line.includes(' set ') ? exited(1, 'no quorum\ntoken=abc123\n') : undefined)
  })
  assert.equal(outcome(end), 'stopped 1')
  assert.deepEqual(codes(end), ['HookFailed'])
  assert.equal(texts(end), 'hook noout failed for n1: ceph ended with exit code 1: no quorum; token=[removed]')
  assert.deepEqual(left(end), ['n1 restored', 'n2 notTouched'])
  assert.deepEqual([end.programs.ran, end.roll.reboots], [['ceph set n1', 'ceph unset n1'], []])
})

test('a hook that holds is run again until it works, or its limit restores the node', async () => {
  const works = await rolled({ hooks: [aHook({ onFailure: 'hold' })] }, ({ programs }) => {
    programs.end = (line, nth) => (line === 'ceph set n1' && nth < 4 ? exited(1) : undefined)
  })
  assert.equal(outcome(works), 'completed 0')
  assert.equal(works.programs.ran.filter((line) => line === 'ceph set n1').length, 4)
  const never = await rolled({ hooks: [aHook({ onFailure: 'hold' })] }, ({ programs }) => {
    programs.end = (line) =>
      line.includes(' set ') ? { kind: 'killed', why: 'did not end within 30000 ms', output: '' } : undefined
  })
  assert.equal(outcome(never), 'stopped 1')
  assert.match(texts(never), /hook noout failed for n1: ceph did not end within 30000 ms$/)
  assert.deepEqual(left(never), ['n1 restored', 'n2 notTouched'])
  assert.ok(never.held.includes('HookFailed'))
})

test('a hook that may fail is reported, and the roll goes on', async () => {
  const end = await rolled({ hooks: [aHook({ onFailure: 'ignore' })] }, ({ programs }) => {
    programs.end = () => ({ kind: 'notStarted', why: 'spawn ceph ENOENT' })
  })
  assert.equal(outcome(end), 'completed 0')
  assert.deepEqual(left(end), BOTH_IN)
  assert.ok(
    end.warnings.includes('hook noout for n1: ceph could not be started: spawn ceph ENOENT'),
    end.warnings.join('\n'),
  )
})

for (const at of ['afterReboot', 'beforeAttach', 'afterNode'] as const)
  test(`a hook that fails at ${at} lets its node go on to its proof and back, and stops before the next`, async () => {
    const { undo: _, ...hook } = aHook({ at })
    const end = await rolled({ hooks: [hook] }, ({ programs }) => {
      programs.end = () => exited(2)
    })
    assert.equal(outcome(end), 'stopped 1')
    assert.deepEqual(codes(end), ['HookFailed'])
    assert.deepEqual(left(end), ['n1 inService', 'n2 notTouched'])
    assert.deepEqual([end.programs.ran, end.roll.reboots], [['ceph set n1'], ['n1']])
  })

test('an undo that fails is tried again, then stops the roll with the command to type', async () => {
  const end = await rolled({ hooks: [aHook({ undo: ['ceph', 'unset', 'a b', '{node}'] })] }, ({ programs }) => {
    programs.end = (line) => (line.includes('unset') ? exited(1) : undefined)
  })
  assert.equal(outcome(end), 'stopped 1')
  assert.deepEqual(left(end), ['n1 inService', 'n2 notTouched'])
  assert.ok(end.ended?.next.includes("ceph unset 'a b' n1"), end.ended?.next.join('\n'))
  assert.ok(end.programs.ran.filter((line) => line.includes('unset')).length >= 3)
})

test('an undo that failed is left at the end where another run works on the node by then: it may have set the same', async () => {
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord({ run: 'run-9' })) }
  const end = await rolled({ hooks: [aHook()] }, ({ programs, roll }) => {
    programs.end = () => {
      // The roll has restored the node and is at its end: the next failure would be the fourth.
      if (roll.events.some(({ type }) => type === 'node.ended')) roll.cluster.change('n1', { annotations })
      return exited(1)
    }
  })
  assert.equal(outcome(end), 'stopped 1')
  assert.equal(end.programs.ran.filter((line) => line === 'ceph unset n1').length, 4)
  assert.deepEqual(end.warnings.slice(-1), [
    'the undo of hook noout is left for n1, since run run-9 works on it; once that run is through, type: ceph unset n1',
  ])
})

test('the undo runs after a stop that leaves the node out, and on abort', async () => {
  const out = await rolled({ hooks: [aHook()], gates: [aGate({ before: ['attach'] })] }, ({ source }) => {
    source.answer = () => fails
  })
  assert.deepEqual(left(out), ['n1 out marked', 'n2 notTouched'])
  assert.deepEqual([out.programs.ran, out.programs.set.size], [['ceph set n1', 'ceph unset n1'], 0])
})

test('a hook that an earlier process began is run again, and one that ended is not', async () => {
  const begun = await rolled({ hooks: [aHook()] }, undefined, {
    order: ['n1'],
    resumed: true,
    hooksBefore: { 'n1 run noout': { kind: 'done' } },
  })
  // The node bears no record: it is begun anew, and so are its hooks.
  assert.deepEqual(begun.programs.ran, ['ceph set n1', 'ceph unset n1'])
})

test('where the journal is lost no hook runs, and every undo does', async () => {
  const verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'x' }] } as const
  const end = await rolled({ hooks: [aHook()] }, undefined, { order: ['n1'], verdict, restoresAs: 'run-1/abc' })
  assert.deepEqual(end.programs.ran, ['ceph unset n1'])
})
