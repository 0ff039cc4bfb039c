import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Node } from '../../src/ground/model/node.ts'
import { present } from '../../src/ground/model/present.ts'
import { plainText } from '../../src/ground/model/sentence.ts'
import { ofTheHolder } from '../../src/ground/model/slot.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { RECORD_ANNOTATION } from '../../src/service/model/node-record.ts'
import { MemoryPair, stateOf, twoHosts } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { aNode } from '../support/roll-world.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

interface Begun {
  readonly spec?: RollSpec
  readonly order?: readonly string[]
  readonly world?: (pair: MemoryPair) => void
  readonly run?: Partial<RunState>
  readonly nodes?: readonly Node[]
}

function begun(t: TestContext, { spec = hostsSpec(), order = [], world = () => undefined, run, nodes }: Begun = {}) {
  let pair: MemoryPair | undefined
  const roll = memoryRoll({
    run: { spec, order, hosts: RUN_HOSTS, ...run },
    ...present({ nodes }),
    pair: (clock) => {
      pair = new MemoryPair(clock)
      world(pair)
      return pair
    },
  })
  assert.ok(pair !== undefined)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return { ...roll, pair }
}

const codes = (roll: ReturnType<typeof begun>): readonly string[] =>
  (roll.ended()?.reasons ?? []).map(({ code }) => code)
const stateNow = (roll: ReturnType<typeof begun>): readonly (string | undefined)[] =>
  (roll.ended()?.standings ?? []).map(({ node, state }) => `${node} ${state}`)

test('law: the machines of a pair are taken one at a time, and only from a pair that is whole; each is rebooted with the address on the other', async (t) => {
  const { clock, pair, ended, events } = begun(t)
  await clock.advance(300_000)
  const steps = events.flatMap((event) => (event.type === 'step.started' ? [`${event.node} ${event.step}`] : []))
  assert.deepEqual([ended()?.outcome, ended()?.reasons], ['completed', []])
  assert.deepEqual([pair.boots(), pair.wrongs], [[1, 1], []])
  assert.deepEqual(pair.said, ['lb-1 away', 'lb-1 back', 'lb-2 away', 'lb-2 back'])
  const ladder = ['slot', 'record', 'detach', 'reboot', 'proof', 'settle', 'attach', 'soak']
  assert.deepEqual(
    steps,
    ['lb-1', 'lb-2'].flatMap((host) => ladder.map((step) => `${host} ${step}`)),
  )
})

test('hosts come after all nodes, or before them where the file says so, and the nodes are rolled as ever', async (t) => {
  for (const order of ['first', 'last'] as const) {
    const roll = begun(t, { spec: hostsSpec({ hosts: { ...twoHosts(), order } }), order: ['n1', 'n2'] })
    await roll.clock.advance(900_000)
    const started = roll.events.flatMap((event) => (event.type === 'node.started' ? [event.node] : []))
    const expected = order === 'first' ? ['lb-1', 'lb-2', 'n1', 'n2'] : ['n1', 'n2', 'lb-1', 'lb-2']
    assert.deepEqual([roll.ended()?.outcome, started, roll.pair.wrongs], ['completed', expected, []])
  }
})

test('a machine that needs no reboot is not rolled, and the pair is whole with it all the same', async (t) => {
  const roll = begun(t, { run: { hosts: { ...RUN_HOSTS, order: ['lb-2'] } } })
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [0, 1], []])
  assert.deepEqual(stateNow(roll), ['lb-2 inService'])
  const silent = begun(t, {
    run: { hosts: { ...RUN_HOSTS, order: ['lb-2'] } },
    world: (pair) => {
      pair.machine('lb-1').isOn = false
    },
  })
  await silent.clock.advance(1_000_000)
  assert.deepEqual([silent.ended()?.outcome, silent.pair.boots()], ['held', [0, 0]])
})

test('weights and states that were there before are there again: by this machine or by the other one', async (t) => {
  const roll = begun(t, {
    world: (pair) => void pair.set('lb-1', 'n3', 'maint').then(() => pair.set('lb-2', 'n3', 'maint')),
  })
  await roll.clock.advance(300_000)
  assert.equal(roll.ended()?.outcome, 'completed')
  assert.deepEqual(
    ['n1', 'n2', 'n3'].map((server) => stateOf(roll.pair, server)),
    [
      ['ready', 'ready'],
      ['ready', 'ready'],
      ['maint', 'maint'],
    ],
  )
  const weights = ['lb-1', 'lb-2'].map(
    (instance) => roll.pair.reading({ instance, backend: 'web', server: 'n1' })?.weight,
  )
  assert.deepEqual(weights, [10, 10])
})

test('law: an instance that comes back has each server out that the other instances have out, before it may have an address; a node of another owner', async (t) => {
  const roll = begun(t, {
    world: (pair) => {
      pair.onReboot = (name) => void (name === 'lb-1' && pair.set('lb-2', 'n2', 'drain'))
    },
  })
  await roll.clock.advance(40_000)
  assert.deepEqual(stateOf(roll.pair, 'n2'), ['drain', 'drain'])
  await roll.clock.advance(300_000)
  assert.deepEqual(
    [roll.ended()?.outcome, stateOf(roll.pair, 'n2'), roll.pair.wrongs],
    ['completed', ['drain', 'drain'], []],
  )
})

test('a reboot command that could not be sent to a machine is not said to be sent, and is sent again within seconds', async (t) => {
  const roll = begun(t, {
    world: (pair) => {
      const reboot = pair.reboot.bind(pair)
      let tries = 0
      pair.reboot = async (name, bootId) =>
        tries++ === 0 ? { kind: 'unsent', text: 'ssh: no route' } : reboot(name, bootId)
    },
  })
  const sent = () =>
    roll.events.flatMap((event) => (event.type === 'write' && event.action === 'reboot' ? [event.text] : []))
  while (sent().length < 2) await roll.clock.advance(1000)
  const [first, second] = roll.events.filter((event) => event.type === 'write' && event.action === 'reboot')
  assert.deepEqual(sent(), ['reboot command to lb-1: it was not sent: ssh: no route', 'reboot command to lb-1'])
  assert.ok(first?.type === 'write' && !first.ok)
  assert.ok(Date.parse(second?.at ?? '') - Date.parse(first.at) < 10_000)
})

test('a node whose record cannot be read may be out: no machine is begun beside it', async (t) => {
  const nodes = [aNode('n1', { annotations: { [RECORD_ANNOTATION]: '{"version":2}' } }), aNode('n2'), aNode('n3')]
  const roll = begun(t, { nodes })
  await roll.clock.advance(20_000)
  const held = roll.events.flatMap((event) =>
    event.type === 'hold.started' ? event.reasons.map(({ code }) => code) : [],
  )
  assert.deepEqual([held, roll.pair.said], [['NodeStillOut'], []])
})

/** What stands against the first machine; nothing is done to it, or it is put back. */
const AGAINST: readonly {
  readonly what: string
  readonly world: (pair: MemoryPair) => void
  readonly codes: readonly string[]
  readonly state: string
  readonly said: readonly string[]
}[] = [
  {
    what: 'the instances disagree about a server',
    world: (pair) => void pair.set('lb-2', 'n1', 'drain'),
    codes: ['PairDisagrees'],
    state: 'notTouched',
    said: [],
  },
  {
    what: 'the virtual address is on both',
    world: (pair) => {
      pair.fault = 'several'
    },
    codes: ['AddressOnSeveral'],
    state: 'notTouched',
    said: [],
  },
  {
    what: 'the virtual address is on none',
    world: (pair) => {
      pair.fault = 'none'
    },
    codes: ['AddressOnNone'],
    state: 'notTouched',
    said: [],
  },
  {
    what: 'the other machine cannot be reached by ssh',
    world: (pair) => {
      pair.machine('lb-2').hasSsh = false
    },
    codes: ['HostSilent'],
    state: 'notTouched',
    said: [],
  },
  {
    what: 'the other machine is off',
    world: (pair) => {
      pair.machine('lb-2').isOn = false
    },
    codes: ['HostSilent', 'InstanceSilent'],
    state: 'notTouched',
    said: [],
  },
  {
    what: 'the other machine finds a server down',
    world: (pair) => pair.change({ instance: 'lb-2', backend: 'web', server: 'n2' }, { operational: 'down' }),
    codes: ['PairDisagrees'],
    state: 'notTouched',
    said: [],
  },
  {
    what: 'keepalived does not let go',
    world: (pair) => {
      pair.machine('lb-1').isStuck = true
    },
    codes: ['AddressesNotMoved', 'AddressStillHere'],
    state: 'restored',
    said: ['lb-1 away', 'lb-1 back'],
  },
]

for (const { what, world, codes: expected, state, said } of AGAINST) {
  test(`where ${what}, no machine is rebooted, and the roll says so`, async (t) => {
    const roll = begun(t, { world })
    await roll.clock.advance(1_000_000)
    assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['held', expected])
    assert.deepEqual(stateNow(roll), [`lb-1 ${state}`, 'lb-2 notTouched'])
    assert.deepEqual([roll.pair.boots(), roll.pair.said, roll.pair.wrongs], [[0, 0], said, []])
  })
}

test('a machine that does not come back stays away from the address, the other one is not touched, and resume brings it back', async (t) => {
  const roll = begun(t, {
    world: (pair) => {
      pair.bootsAgain = false
    },
  })
  await roll.clock.advance(2_000_000)
  assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['stopped', ['HostDidNotReturn']])
  assert.deepEqual(stateNow(roll), ['lb-1 out', 'lb-2 notTouched'])
  assert.deepEqual([roll.ended()?.guarded, roll.pair.holder, roll.pair.said], [[], 'lb-2', ['lb-1 away']])
})

test('a machine that answers again with the same boot id is not proven: the command is sent again after resendAfter', async (t) => {
  let sent = 0
  const roll = begun(t)
  const reboot = roll.pair.reboot.bind(roll.pair)
  roll.pair.reboot = async (name, bootId) => {
    sent += 1
    return sent === 1 ? { kind: 'unknown', text: 'the connection broke' } : reboot(name, bootId)
  }
  await roll.clock.advance(60_000)
  assert.deepEqual([sent, roll.pair.boots(), roll.pair.said], [1, [0, 0], ['lb-1 away']])
  await roll.clock.advance(900_000)
  assert.deepEqual([sent, roll.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], [3, 'completed', [1, 1], []])
})

test('connections that clients still have are waited for, and no longer than the file says', async (t) => {
  const roll = begun(t, {
    world: (pair) => {
      pair.machine('lb-1').connections = 3
    },
  })
  await roll.clock.advance(20_000)
  assert.deepEqual([roll.pair.boots(), roll.pair.machine('lb-1').isOn], [[0, 0], true])
  roll.pair.machine('lb-1').connections = 0
  await roll.clock.advance(3_000)
  assert.equal(roll.pair.machine('lb-1').isOn, false, 'rebooting')
  roll.pair.machine('lb-2').connections = 1
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.ended()?.outcome, roll.pair.boots()], ['completed', [1, 1]])
})

test('an interruption says where the machine stands', async (t) => {
  const roll = begun(t, {
    world: (pair) => {
      pair.machine('lb-1').connections = 3
    },
  })
  await roll.clock.advance(10_000)
  roll.over.abort()
  await roll.clock.advance(10_000)
  assert.deepEqual([roll.ended()?.outcome, stateNow(roll)], ['interrupted', ['lb-1 out', 'lb-2 notTouched']])
  assert.match(roll.ended()?.standings[0]?.text ?? '', /not rebooted, its addresses are to be on another machine/)
})

test('law: a stale slot that another run holds for a machine of a load balancer is not taken over; its machine is left without its addresses', async (t) => {
  const roll = begun(t)
  await roll.clock.advance(5_000)
  roll.over.abort()
  await roll.clock.advance(300_000)
  assert.deepEqual(stateNow(roll), ['lb-1 out', 'lb-2 notTouched'])
  const other = memoryRoll({ run: { id: 'run-2', order: ['n1'] }, world: roll, seed: 2 })
  const running = other.begin()
  t.after(() => leave(other, running))
  await other.clock.advance(2_000_000)
  const [reason] = other.ended()?.reasons ?? []
  assert.deepEqual([other.ended()?.outcome, reason?.code, reason?.object], ['held', 'SlotStale', 'lb-1'])
  assert.match(
    plainText(reason?.next ?? ''),
    / see that lb-1 is well, then release its slot as evenkeel budget --watch 2min says$/,
  )
  assert.deepEqual([other.reboots, roll.cluster.node('n1').unschedulable], [[], false])
})

test('a slot that a run left for a node, and nothing else, is taken over for a machine once nobody has renewed it', async (t) => {
  const abandoned = (roll: ReturnType<typeof begun>, isMachine = false): void =>
    roll.cluster.leases.put({
      ...{ namespace: 'evenkeel', name: 'evenkeel-slot-0', holder: 'run-9/a', durationSeconds: 120 },
      ...{ renewTime: '', transitions: 0, resourceVersion: '' },
      annotations: ofTheHolder({ run: 'run-9', node: 'n2', isMachine }),
    })
  const roll = begun(t)
  abandoned(roll)
  await roll.clock.advance(110_000)
  assert.deepEqual([roll.pair.said, roll.ended()], [[], undefined])
  await roll.clock.advance(400_000)
  assert.deepEqual([roll.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [1, 1], []])
  const left = begun(t, { nodes: [aNode('n1'), aNode('n2', { annotations: { [RECORD_ANNOTATION]: '{}' } })] })
  abandoned(left)
  await left.clock.advance(2_000_000)
  assert.deepEqual([left.ended()?.outcome, codes(left), left.pair.said], ['held', ['NodeStillOut'], []])
  const ofMachine = begun(t)
  abandoned(ofMachine, true)
  await ofMachine.clock.advance(2_000_000)
  assert.deepEqual([ofMachine.ended()?.outcome, codes(ofMachine), ofMachine.pair.said], ['held', ['SlotTaken'], []])
})
