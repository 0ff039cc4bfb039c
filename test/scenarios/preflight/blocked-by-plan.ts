import assert from 'node:assert/strict'
import type { RollActions } from '../../../src/cli/roll-actions.ts'
import type { PlanFinding, RollPlan } from '../../../src/model/roll-plan.ts'
import { evenkeel } from '../../cli/scripted-roll.ts'
import type { BadSituation } from '../../support/preflight/bad-situation.ts'
import { fileOf, type PreflightGround } from '../../support/preflight/preflight-ground.ts'

/** The plan says what is wrong, once, with what to do about it; the exit code follows; and nothing is written. */
export async function isToldByPlan(ground: PreflightGround, situation: BadSituation): Promise<void> {
  await ground.bringAbout(situation)
  const dry = await run(ground, situation, 'roll -f roll.yaml --dry-run -o json')
  assert.equal(dry.code, situation.exit, dry.err + dry.out)
  const { findings } = JSON.parse(dry.out) as RollPlan
  const found = findings.filter(({ code }) => code === situation.code)
  assert.equal(found.length, 1, `${situation.code} in ${JSON.stringify(findings, null, 2)}`)
  const { text, fix = '' } = found[0] as PlanFinding
  assert.ok(text.includes(situation.says), `${situation.says}\nis not in\n${text}`)
  assert.ok(fix.includes(situation.fix), `${situation.fix}\nis not in\n${fix}`)
  if (situation.exit !== 0) await isNotBegun(ground, situation)
  assert.deepEqual(ground.writes(), [])
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
    leftOut: never,
  }
  const { code, out, err } = await evenkeel(line, actions, { files: { 'roll.yaml': fileOf(situation) } })
  return { code, out, err, begun }
}
