import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { fourNodesRolled, oneOfTwoNeverBack } from '../scenarios/two-at-once.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { paste } from '../support/roll-bed/paste.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import type { RollProcess } from '../support/roll-bed/roll-process.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const LOOK_EVERY_MS = 100

/** How many nodes were out at once, for how long. */
interface OutTimes {
  readonly most: number
  /** Nodes that were out together when there were the most. */
  readonly together: readonly string[]
  readonly twoForMs: number
}

/**
 * Looks from now on which nodes are out by what HAProxy and the API server say: no server of it takes traffic, or it is not
 * Ready, or cordoned. The count shares nothing with the node budget that it judges.
 */
class OutWatch {
  readonly #bed: RollBed
  readonly #over = new AbortController()
  readonly #watching: Promise<void>
  #most: readonly string[] = []
  #twoForMs = 0

  constructor(bed: RollBed) {
    this.#bed = bed
    this.#watching = this.#watch()
    this.#watching.catch(() => undefined)
  }

  async stop(): Promise<OutTimes> {
    this.#over.abort()
    await this.#watching
    return { most: this.#most.length, together: this.#most, twoForMs: Math.round(this.#twoForMs) }
  }

  async #watch(): Promise<void> {
    let before = performance.now()
    while (!this.#over.signal.aborted) {
      const [detached, out] = await this.#look()
      const now = performance.now()
      if (detached.length === 2) this.#twoForMs += now - before
      if (out.length > this.#most.length) this.#most = out
      before = now
      await pause(LOOK_EVERY_MS)
    }
  }

  /** Which nodes HAProxy sends nothing to, and these with those that the API server says are out. */
  async #look(): Promise<readonly [readonly string[], readonly string[]]> {
    const detached = await servedNothing(this.#bed)
    const marked = (await this.#bed.nodeObjects())
      .filter(({ spec, status }) => spec.unschedulable === true || !isReady(status.conditions))
      .map(({ metadata }) => metadata.name)
    return [detached, [...new Set([...detached, ...marked])].toSorted()]
  }
}

type Conditions = readonly { readonly type: string; readonly status: string }[]

const isReady = (conditions: Conditions): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True')

/** Nodes none of whose servers HAProxy sends to. */
async function servedNothing(bed: RollBed): Promise<readonly string[]> {
  const servers = await bed.servers()
  return bed.bed.nodes.filter((node) =>
    servers.filter(({ name }) => name.endsWith(`/${node}`)).every(({ up, state }) => !up || state !== 'ready'),
  )
}

const real = { ...requires('testbed'), timeout: 300_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({ nodes: 4, fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
  const budget = ['create', 'configmap', 'evenkeel-budget', '--from-literal=maxOut=2']
  await opened.bed.kubectl(['-n', 'evenkeel', ...budget])
})
after(async () => opened?.close())

const ground = new RealGround(bed)

/** As far as it is read here. */
interface Told {
  readonly more: number
  readonly out: readonly { readonly node: string }[]
  readonly slots: readonly { readonly index: number; readonly node?: string; readonly left?: object }[]
}

const namesOf = (budget: Told): readonly string[] => budget.out.map(({ node }) => node).toSorted()

/** Two that are out, both while the command was asked and when it had answered. */
const budgetOfTwo = () =>
  waitFor({ what: 'two nodes to be out while the budget is told', limitMs: 120_000 }, async () => {
    const [one, two, third] = await servedNothing(bed())
    if (one === undefined || two === undefined || third !== undefined) return undefined
    const [text, json] = await Promise.all([bed().evenkeel('budget'), bed().evenkeel('budget', '-o', 'json')])
    const after = await servedNothing(bed())
    return after.includes(one) && after.includes(two) ? { pair: [one, two], text, json } : undefined
  })

/** One roll each: more of them than nodes may be out. */
const SHARES = [['n1', 'n2'], ['n3'], ['n4']] as const

/** All at once. The roll with the most to do begins a moment before the others, which makes the test shorter. */
async function begun(): Promise<readonly RollProcess[]> {
  const roll = (names: readonly string[]) => bed().roll('-f', bed().file({ spec: { nodes: { names } } }), '--yes')
  const [most, ...others] = SHARES
  const first = roll(most)
  await first.until('its plan', ({ type }) => type === 'roll.started')
  return [first, ...others.map(roll)]
}

async function rolledAtOnce(say: (text: string) => void) {
  const [boots, judge, watch] = [new BootCounter(bed().bed), bed().judge(), new OutWatch(bed())]
  const rolls = await begun()
  const [answers] = await Promise.all([budgetOfTwo(), ...rolls.map((roll) => roll.ended())])
  const [booted, out, judged] = await Promise.all([boots.stop(), watch.stop(), judge.verdict()])
  for (const roll of rolls) {
    const { code, stderr, stdout } = await roll.ended()
    assert.equal(code, 0, `${stderr}\n${stdout.slice(-2000)}`)
  }
  const { failedRequests, sentRequests } = judged
  say(`two were out for ${out.twoForMs} ms, ${failedRequests} of ${sentRequests} requests failed`)
  assert.equal(out.most, 2, `${out.together.join(', ')} were out together`)
  assert.ok(out.twoForMs > 3_000, `two were out for ${out.twoForMs} ms`)
  assert.deepEqual(booted, { n1: 1, n2: 1, n3: 1, n4: 1 })
  saysUsedUp(answers)
  const held = rolls.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === 'hold.started' || event.type === 'hold.changed' ? event.reasons.map(({ code }) => code) : [],
    ),
  )
  assert.ok(held.includes('BudgetUsedUp'), `held by ${held.join(', ')}`)
  return judged
}

/** What people and scripts are told while both are out. */
function saysUsedUp({ pair, text, json }: Awaited<ReturnType<typeof budgetOfTwo>>): void {
  const budget = JSON.parse(json.stdout) as Told
  assert.deepEqual([json.code, text.code, budget.more], [3, 3, 0], text.stdout)
  assert.deepEqual(namesOf(budget), pair)
  for (const node of pair) assert.match(text.stdout, new RegExp(`^ *${node} +run `, 'm'))
}

test(
  'two nodes may be out: of three rolls at once two go on together, never three, and no request fails',
  real,
  async (t) => {
    const judged = await unlessVoid(t, () => rolledAtOnce((text) => t.diagnostic(text)))
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
    assert.deepEqual(await bed().leftovers(), [])
    const { code, stdout } = await bed().evenkeel('budget', '-o', 'json')
    const { out, slots, more } = JSON.parse(stdout) as Told
    assert.deepEqual([code, out, slots, more], [0, [], [], 2])
  },
)

const TWO = { parallel: 2 }

atNight(
  'one roll with parallel: 2 takes two of four nodes at a time, never three, and no request fails',
  real,
  async (t) => {
    const judged = await unlessVoid(t, async () => {
      const watch = new OutWatch(bed())
      const rolled = await fourNodesRolled(ground, TWO)
      const { most, together, twoForMs } = await watch.stop()
      t.diagnostic(`${Math.round(rolled.tookMs / 1000)} s, two were out for ${twoForMs} ms`)
      assert.equal(most, 2, `${together.join(', ')} were out together`)
      return rolled.judged
    })
    assert.equal(judged.failedRequests, 0)
  },
)

atNight(
  'of four nodes, two at once, one never comes back: the other is finished, nothing new is begun, and no request fails; resume does the rest',
  { ...real, timeout: 600_000 },
  async (t) => {
    const ssh = { command: ['systemctl', 'reboot'], configFile: bed().bed.sshConfig }
    // One budget lets pods of both nodes go in turns, so n2 is rebooted some seconds after n1, and must not be done before n1 is given up.
    const reboot = { ssh, resendAfter: '10s', returnLimit: '40s' }
    await unlessVoid(t, () => oneOfTwoNeverBack(ground, { ...TWO, soak: '50s', reboot }))
  },
)

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/evenkeel/leases'

const leftSlot = (index: number, annotations: Readonly<Record<string, string>>): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: `evenkeel-slot-${index}`, namespace: 'evenkeel', annotations },
  spec: { holderIdentity: `gone-${index}/1`, leaseDurationSeconds: 120, renewTime: '2026-01-01T00:00:00.000000Z' },
})

/** Two slots whose holders are no more: a controller that was uninstalled, and a run. */
const leaveSlots = () =>
  bed().bed.apply([
    leftSlot(0, { 'evenkeel.dev/node': 'n1', 'evenkeel.dev/lives-by': 'evenkeel/evenkeel-gone' }),
    leftSlot(1, { 'evenkeel.dev/node': 'n2' }),
  ])

const commandsIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('  kubectl '))

test(
  'slots that a controller and a run left behind are doubted at first sight, and no line to release them is printed',
  real,
  async () => {
    await leaveSlots()
    const { code, stdout } = await bed().evenkeel('budget')
    assert.equal(code, 3, stdout)
    assert.match(stdout, /slot 0 may be left behind: no controller holds Lease evenkeel\/evenkeel-gone at this moment/)
    assert.match(stdout, /slot 1 may be left behind: it was renewed last at 2026-01-01T00:00:00/)
    assert.deepEqual(commandsIn(stdout), [])
  },
)

atNight(
  'slots that were seen unrenewed for two minutes are left behind, and the printed lines release them when they are pasted',
  real,
  async () => {
    await leaveSlots()
    const { stdout } = await bed().evenkeel('budget', '--watch', '2min')
    assert.match(
      stdout,
      /slot 0 seems to be left behind: no controller held Lease evenkeel\/evenkeel-gone while this command looked/,
    )
    assert.match(stdout, /slot 1 seems to be left behind: it was not renewed for 2 min while this command looked/)
    const lines = commandsIn(stdout)
    assert.equal(lines.length, 2, stdout)
    for (const line of lines) await paste(line, { kubeconfig: bed().bed.kubeconfig })
    const after = await bed().evenkeel('budget', '-o', 'json')
    assert.deepEqual([after.code, JSON.parse(after.stdout).slots], [0, []])
    const holders = (await bed().list(LEASE)) as unknown as readonly {
      readonly spec: { readonly holderIdentity?: string }
    }[]
    assert.deepEqual(
      holders.map(({ spec }) => spec.holderIdentity ?? '').filter((holder) => holder !== ''),
      [],
    )
  },
)
