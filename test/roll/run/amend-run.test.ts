import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { FileJournalStore } from '../../../src/roll/io/file-journal-store.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import { type Amendment, amendRun } from '../../../src/roll/run/amend-run.ts'
import { runFromJournal } from '../../../src/roll/run/run-from-journal.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode, aRecord, aSpec } from '../../support/roll-world.ts'

const AT = '2026-11-21T06:00:00.000Z'
const out = { annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord()) } }

/** A run of three nodes with n1 through and n2 out, in a journal on disk. */
async function begun(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-amend-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const store = new FileJournalStore(directory)
  const journal = await store.create({ at: AT, run: 'run-1', cluster: 'uid-1', tool: '0.1.0' })
  context.after(() => journal.close())
  const order = ['n1', 'n2', 'n3']
  await journal.append({ at: AT, type: 'planned', spec: aSpec(), order, clusterName: 'prod' })
  await journal.append({ at: AT, type: 'through', node: 'n1' })
  const stored = async () => runFromJournal(await store.read('run-1')).run
  const text = () => readFileSync(store.pathOf('run-1'), 'utf8')
  const rests: { readonly names: readonly string[]; readonly underWay: readonly string[] }[] = []
  const plan: Amendment['plan'] = async ({ spec }, underWay) =>
    void rests.push({ names: spec.nodes.names, underWay: underWay.map(({ name }) => name) })
  const end = async (wanted: RollSpec, change: Partial<Amendment> = {}) =>
    amendRun({
      run: await stored(),
      wanted,
      nodes: [aNode('n1'), aNode('n2', out), aNode('n3')],
      journal,
      at: AT,
      refusal: (findings) => new UserError(findings.map((found) => found.text).join(), { code: 'config.begun' }),
      ...change,
    })
  const amend = (wanted: RollSpec, change: Partial<Amendment> = {}) => end(wanted, { plan, ...change })
  return { amend, end, stored, text, rests }
}

const OPS: RollSpec['reboot'] = { kind: 'ssh', user: 'ops', command: ['reboot'], resendAfterMs: 1, returnLimitMs: 2 }

test('a later resume uses the file that the resume before it was given', async (context) => {
  const { amend, stored, rests } = await begun(context)
  const nodes = { names: ['n2'], all: false, allowUnbalanced: true }
  const { run } = await amend(aSpec({ reboot: OPS, nodes }))
  assert.deepEqual([run.spec.reboot, run.order, run.done], [OPS, ['n1', 'n2'], ['n1']])
  const later = await stored()
  assert.deepEqual([later.spec.reboot, later.order, later.done], [OPS, ['n1', 'n2'], ['n1']])
  assert.deepEqual(rests, [{ names: ['n2'], underWay: ['n2'] }])
  await amend(aSpec({ soakMs: 7, nodes }))
  assert.deepEqual([(await stored()).spec.soakMs, (await stored()).spec.reboot], [7, aSpec().reboot])
})

test('a file that the state of the run forbids changes nothing, and no plan is made for it', async (context) => {
  const { amend, text, rests } = await begun(context)
  const before = text()
  await assert.rejects(amend(aSpec({ slots: { namespace: 'other', leaseDurationMs: 120_000 } })), {
    code: 'config.begun',
  })
  assert.deepEqual([text(), rests], [before, []])
})

test('a plan for the rest that is refused changes nothing', async (context) => {
  const { amend, text } = await begun(context)
  const before = text()
  const refused = new UserError('n3 cannot be rebooted this way', { code: 'plan.refused' })
  await assert.rejects(amend(aSpec({ reboot: OPS }), { plan: () => Promise.reject(refused) }), { code: 'plan.refused' })
  assert.equal(text(), before)
})

test('a run does not need the way to a machine that has rebooted already', async (context) => {
  const { amend, rests } = await begun(context)
  const back = aNode('n2', { ...out, bootId: '22222222-2222-4222-8222-222222222222' })
  await amend(aSpec({ reboot: OPS }), { nodes: [aNode('n1'), back, aNode('n3')] })
  assert.deepEqual(rests, [{ names: ['n3'], underWay: ['n2'] }])
})

test('nodes of a run that has begun are not asked again whether they need a reboot', async (context) => {
  const { amend, stored } = await begun(context)
  const reboot: RollSpec['reboot'] = { ...OPS, onlyIfNeeded: { versions: { osImage: 'B' } } }
  const planned: (RollSpec['reboot'] | undefined)[] = []
  await amend(aSpec({ reboot }), { plan: async ({ spec }) => void planned.push(spec.reboot) })
  assert.deepEqual([planned, (await stored()).spec.reboot], [[OPS], reboot])
})

test('a run that is only ended may be so by a file that chooses other nodes', async (context) => {
  const { end, stored } = await begun(context)
  const nodes = { names: ['n9'], all: false, allowUnbalanced: false }
  const { run } = await end(aSpec({ reboot: OPS, nodes }))
  assert.deepEqual([run.order, (await stored()).spec.reboot], [['n1', 'n2', 'n3'], OPS])
})
