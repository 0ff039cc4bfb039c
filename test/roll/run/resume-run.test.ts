import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import type { Host } from '../../../src/ground/ports/host.ts'
import { planRefusal } from '../../../src/roll/cli/screen/plan-refusal.ts'
import { MACHINE_ENTRY, type MachineEntry } from '../../../src/roll/decide/pair/machine-memory.ts'
import type { RollPlan } from '../../../src/roll/model/roll-plan.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { prepare } from '../../../src/roll/run/prepare.ts'
import { type Amending, resumeRun } from '../../../src/roll/run/resume-run.ts'
import { plannedEntry } from '../../../src/roll/run/run-from-journal.ts'
import { newRun } from '../../../src/roll/run/run-state.ts'
import type { BalancerReader } from '../../../src/service/ports/balancer.ts'
import { MemoryPair } from '../../support/memory-pair.ts'
import { memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aSpec } from '../../support/roll-world.ts'
import { hostsSpec } from '../../support/two-hosts-run.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const NEVER = new AbortController().signal

const AT = '2026-01-01T00:00:00.000Z'
const spec = aSpec()
const PLAN: RollPlan = {
  cluster: 'here',
  nodes: [],
  skipped: [],
  unmatchedServers: [],
  findings: [],
  load: [],
  checksPassed: 0,
}
const begun = newRun({ spec, order: ['n1', 'n2'] }, { wall: wallMs(0), suffix: '1f0e' })

function journalOf(run: typeof begun) {
  const appended: JournalEntry[] = []
  const header = { at: AT, type: 'journal', v: 1, run: run.id, cluster: 'c', tool: '0' } as const
  const entries: JournalEntry[] = [plannedEntry(run, { at: AT, clusterName: 'here' })]
  const append = async (entry: JournalEntry): Promise<void> => void appended.push(entry)
  return { run: run.id, header, entries, append, appended }
}

/** A file that chooses n1, n2 and n3, as `evenkeel roll resume -f` reads it. */
function amendingBy(refused?: UserError) {
  const warnings: string[] = []
  const wanted = { ...spec, nodes: { ...spec.nodes, names: ['n1', 'n2', 'n3'] } }
  return {
    warnings,
    file: { name: 'roll.yaml', spec: wanted, refusal: () => new UserError('the file is wrong', { code: 'x' }) },
    at: AT,
    nodes: () => Promise.resolve(['n1', 'n2', 'n3'].map((name) => aNode(name))),
    plan: () => Promise.resolve(PLAN),
    refusal: () => refused,
    warn: (text: string) => void warnings.push(text),
  }
}

test('a run whose journal was made to put nodes back is ended, and not gone on with', async () => {
  const restoring = journalOf({ ...begun, restoresAs: `${begun.id}+1f0e` })
  await assert.rejects(resumeRun({ journal: restoring }), { code: 'journal.restores' })
  const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const
  const { run } = await resumeRun({ journal: restoring, verdict })
  assert.deepEqual([run.verdict, run.order], [verdict, ['n1', 'n2']])
})

test('a run goes on by another file, which is in its journal; nodes that the run does not have are named', async () => {
  const journal = journalOf(begun)
  const amending = amendingBy()
  const { run } = await resumeRun({ journal, amending })
  assert.deepEqual([run.spec, run.order], [amending.file.spec, ['n1', 'n2']])
  assert.deepEqual(
    journal.appended.map(({ type }) => type),
    ['amended'],
  )
  assert.match(amending.warnings.join(), /^roll.yaml chooses nodes that are not in this run; .*: n3$/)
})

test('a run stays by its file where the plan by another one is refused', async () => {
  const journal = journalOf(begun)
  const refused = new UserError('1 error in the plan', { code: 'plan.refused' })
  await assert.rejects(resumeRun({ journal, amending: amendingBy(refused) }), { code: 'plan.refused' })
  assert.deepEqual(journal.appended, [])
})

/** A run with n1 and n2 through, of whose machines it skips lb-1, or is through with it. */
function runOfHosts(isSkipped: boolean): { readonly file: RollSpec; readonly journal: ReturnType<typeof journalOf> } {
  const file = hostsSpec({ nodes: { names: ['n1', 'n2'], all: false, allowUnbalanced: true } })
  const hostOrder = isSkipped ? ['lb-2'] : ['lb-1', 'lb-2']
  const run = newRun({ spec: file, order: ['n1', 'n2'], hostOrder }, { wall: wallMs(0), suffix: '1f0e' })
  const { entries, ...journal } = journalOf(run)
  const through = ['n1', 'n2'].map((node) => ({ at: AT, type: 'through', node }))
  const ended = isSkipped ? [] : [{ at: AT, type: MACHINE_ENTRY, host: 'lb-1', ended: 'through' }]
  return { file, journal: { ...journal, entries: [...entries, ...through, ...ended] } }
}

/** The same with more lines of the journal about its machines. */
function withLines({ file, journal }: ReturnType<typeof runOfHosts>, lines: readonly MachineEntry[]) {
  const more = lines.map((line) => ({ at: AT, type: MACHINE_ENTRY, ...line }))
  return { file, journal: { ...journal, entries: [...journal.entries, ...more] } }
}

/** The HAProxy of a machine that is off does not answer. Nothing of the others is judged here. */
const inspected = (pair: MemoryPair): BalancerReader => ({
  name: 'edge',
  instances: ['lb-1', 'lb-2'],
  read: (instance) => pair.read(instance),
  inspect: async (instance) => {
    const { process } = await pair.read(instance)
    const none = { missingBackends: [], disabledBackends: [], backends: [], outside: [] }
    return { instance, process, version: '2.6.12', level: 'admin', processes: 1, ...none }
  },
})

/** `evenkeel roll resume -f` by a plan of the cluster and its machines as they are now. */
async function resumedWhere(
  mayNotReboot: string,
  { file, journal }: ReturnType<typeof runOfHosts>,
  off: readonly string[] = [],
) {
  const clock = new VirtualClock()
  const { cluster } = memoryRoll()
  const pair = new MemoryPair(clock)
  for (const name of off) pair.machine(name).isOn = false
  const host: Host = {
    check: async ({ node }) => ({ mayReboot: node !== mayNotReboot, hops: [] }),
    reboot: () => Promise.reject(new Error('nothing is rebooted by a plan')),
    ownBootId: async () => undefined,
    close: async () => undefined,
  }
  const amending: Amending = {
    ...amendingBy(),
    file: { ...amendingBy().file, spec: file },
    plan: (rest) =>
      prepare({ ...rest, clusterName: 'here', cluster, balancers: [inspected(pair)], host, machines: pair.ssh }, NEVER),
    refusal: planRefusal,
  }
  return resumeRun({ journal, amending })
}

for (const isSkipped of [true, false])
  test(`a machine that the run ${isSkipped ? 'skips' : 'is through with'} does not keep it from another file`, async () => {
    const { run } = await resumedWhere('lb-1', runOfHosts(isSkipped))
    assert.deepEqual(run.hosts?.done, isSkipped ? [] : ['lb-1'])
    await assert.rejects(resumedWhere('lb-2', runOfHosts(isSkipped)), { code: 'plan.refused' })
    await assert.rejects(resumedWhere('', runOfHosts(isSkipped), ['lb-1']), { code: 'plan.refused' })
  })

const RECORDED: MachineEntry = { host: 'lb-2', meant: { kind: 'record', record: { bootId: 'b', servers: [] } } }
const ANNOUNCED: MachineEntry = { host: 'lb-2', meant: { kind: 'reboot', bootId: 'b' } }
const PROVEN: MachineEntry = { host: 'lb-2', meant: { kind: 'proven', bootId: 'c' } }

test('a machine that is off in its reboot does not keep the run from another file, and one without the right to reboot does', async () => {
  const rebooting = () => withLines(runOfHosts(false), [RECORDED, ANNOUNCED])
  const { run } = await resumedWhere('', rebooting(), ['lb-2'])
  assert.deepEqual(run.hosts?.done, ['lb-1'])
  await assert.rejects(resumedWhere('lb-2', rebooting()), { code: 'plan.refused' })
})

test('a machine that has rebooted keeps the run from no other file, nor does its partner that is down', async () => {
  const rebooted = () => withLines(runOfHosts(false), [RECORDED, ANNOUNCED, PROVEN])
  const { run } = await resumedWhere('lb-2', rebooted(), ['lb-1'])
  assert.deepEqual(run.hosts?.done, ['lb-1'])
})
