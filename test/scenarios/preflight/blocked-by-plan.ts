import assert from 'node:assert/strict'
import type { PlanFinding } from '../../../src/ground/model/plan-finding.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import type { RollActions } from '../../../src/roll/cli/roll-actions.ts'
import type { RollPlan } from '../../../src/roll/model/roll-plan.ts'
import { evenkeel } from '../../roll/cli/scripted-roll.ts'
import type { BadSituation, ToldByExplain } from '../../support/preflight/bad-situation.ts'
import { fileOf, type PreflightGround } from '../../support/preflight/preflight-ground.ts'
import { changedObjects, seenObjects } from '../../support/preflight/seen-objects.ts'
import type { RawApi } from '../../support/raw-api.ts'

interface Placed {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly object[] }
  readonly spec: { readonly nodeName?: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const PODS = '/api/v1/namespaces/default/pods'

/** Evicts these pods as a drain does: their nodes are cordoned before. No kubelet has to end them. */
async function evictFirst(raw: RawApi, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { spec } = (await raw('GET', `${PODS}/${name}`)).body as Placed
    const cordon = await raw('PATCH', `/api/v1/nodes/${spec.nodeName}`, { spec: { unschedulable: true } })
    if (cordon.status !== 200) throw new Error(`cordon of ${spec.nodeName}: ${JSON.stringify(cordon.body)}`)
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'default' },
      deleteOptions: { gracePeriodSeconds: 0 },
    }
    const { status, body } = await raw('POST', `${PODS}/${name}/eviction`, eviction)
    if (status >= 300) throw new Error(`eviction of ${name}: ${JSON.stringify(body)}`)
  }
}

/** The pod that the scheduler found no node for. Undefined: every pod has a node, or is still to be scheduled. */
async function unplacedPod(raw: RawApi): Promise<string | undefined> {
  const { items } = (await raw('GET', PODS)).body as { readonly items: readonly Placed[] }
  return items.find(
    ({ spec, status }) =>
      spec.nodeName === undefined &&
      status?.conditions?.some((one) => one.type === 'PodScheduled' && one.status === 'False'),
  )?.metadata.name
}

/**
 * The plan says what is wrong, once, with what to do about it, and the exit code follows. Nothing is written, and every object of the
 * cluster is as it was, also after `evenkeel explain` was asked, which names the cause.
 */
export async function isToldByPlan(ground: PreflightGround, situation: BadSituation): Promise<void> {
  await ground.bringAbout(situation)
  const before = await seenObjects(listBy(ground.raw))
  const dry = await run(ground, situation, 'roll -f roll.yaml --dry-run -o json')
  assert.equal(dry.code, situation.exit, dry.err + dry.out)
  const { findings } = JSON.parse(dry.out) as RollPlan
  const found = findings.filter(({ code }) => code === situation.code)
  assert.equal(found.length, 1, `${situation.code} in ${JSON.stringify(findings, null, 2)}`)
  const { text, fix = '' } = found[0] as PlanFinding
  assert.ok(text.includes(situation.says), `${situation.says}\nis not in\n${text}`)
  assert.ok(plainText(fix).includes(situation.fix), `${situation.fix}\nis not in\n${fix}`)
  if (situation.exit !== 0) await isNotBegun(ground, situation)
  assert.deepEqual(ground.writes(), [])
  assert.deepEqual(changedObjects(before, await seenObjects(listBy(ground.raw))), [])
  const { explain } = situation
  if (typeof explain !== 'string' && (ground.isReal || explain.onRealAlone !== true)) await isExplained(ground, explain)
}

const listBy = (raw: RawApi) => async (path: string) => {
  const { items = [] } = (await raw('GET', path)).body as { readonly items?: readonly object[] }
  return items
}

async function isExplained(ground: PreflightGround, expected: ToldByExplain): Promise<void> {
  const { of, evicted = [], code, says, isFact = false } = expected
  await evictFirst(ground.raw, evicted)
  if (evicted.length > 0) await nothingChanges(ground)
  const line = of === 'replacement' ? `pod default/${await replacement(ground)}` : of
  const before = await seenObjects(listBy(ground.raw))
  const { code: exit, out, err, document } = await ground.explain(line)
  assert.equal(exit, 0, err)
  const found = isFact ? document.findings.find((one) => one.code === code) : document.findings[0]
  assert.deepEqual([found?.code, found?.is === 'fact'], [code, isFact], out)
  assert.match(isFact ? (found?.text ?? '') : document.verdict, says)
  assert.deepEqual(changedObjects(before, await seenObjects(listBy(ground.raw))), [])
}

const QUIET_LOOKS = 5

/** The controllers have followed what was evicted. */
async function nothingChanges(ground: PreflightGround): Promise<void> {
  let last = await seenObjects(listBy(ground.raw))
  let quiet = 0
  await ground.until('the controllers to be done', async () => {
    const now = await seenObjects(listBy(ground.raw))
    quiet = changedObjects(last, now).length === 0 ? quiet + 1 : 0
    last = now
    return quiet >= QUIET_LOOKS
  })
}

async function replacement(ground: PreflightGround): Promise<string> {
  await ground.until('a pod that no node takes', async () => (await unplacedPod(ground.raw)) !== undefined)
  return (await unplacedPod(ground.raw)) ?? ''
}

async function isNotBegun(ground: PreflightGround, situation: BadSituation): Promise<void> {
  const { code, out, err, begun } = await run(ground, situation, 'roll -f roll.yaml --yes -o json')
  assert.equal(code, situation.exit, err)
  assert.equal(begun, false)
  const document = JSON.parse(out) as { readonly error: { readonly code: string } }
  assert.equal(document.error.code, situation.exit === 3 ? 'plan.blocked' : 'plan.refused')
  assert.ok(err.includes(`(${situation.code})`), err)
  if (situation.exit !== 3) return
  const forced = await run(ground, situation, 'roll -f roll.yaml --yes --even-if-blocked')
  assert.equal(forced.begun, true, forced.err)
}

/** The command as people type it, with a roll that would do nothing. */
async function run(ground: PreflightGround, situation: BadSituation, line: string) {
  let begun = false
  const never = () => Promise.reject(new Error('nothing was begun'))
  const actions: RollActions = {
    plan: ({ spec }) => ground.plan(spec, situation),
    roll: () => {
      begun = true
      return Promise.resolve()
    },
    resume: never,
    abort: never,
    history: never,
    nodesNow: never,
    begunFor: never,
    list: () => Promise.reject(new Error('no list is asked for')),
    leftOut: never,
    openMetrics: never,
  }
  const { code, out, err } = await evenkeel(line, actions, { files: { 'roll.yaml': fileOf(situation) } })
  return { code, out, err, begun }
}
