import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../../src/cli/program.ts'
import { evenkeel, kubectl, say } from '../../../src/ground/model/sentence.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { addBudgetCommand, type BudgetActions } from '../../../src/service/cli/budget-command.ts'
import type { BudgetStatus } from '../../../src/service/decide/budget/budget-status.ts'
import { memoryContext } from '../../cli/memory-context.ts'

const FREE: BudgetStatus = { maxOut: 2, says: '2', unread: [], nodes: 4, out: [], mayBeOut: [], slots: [], more: 2 }

async function budget(words: readonly string[], look: BudgetActions['read'] = async () => FREE) {
  const { context } = memoryContext()
  const commands = [addBudgetCommand(async () => ({ read: look }))]
  const code = await runProgram({ version: '0', context, commands }, ['budget', ...words])
  return { code, out: context.out.text, err: context.err.text }
}

test('the budget is reported in plain lines, and exit code 0 says that one more node may leave', async () => {
  assert.deepEqual(await budget([]), {
    code: 0,
    out: 'no nodes of 4 are out or about to be, and at most 2 may be: evenkeel-budget says 2\n2 more may leave\nbalancers and agents were not queried: a roll queries them, and may count more nodes as out\n\nno slot is held in namespace evenkeel\n',
    err: '',
  })
})

test('exit code 3 says that the budget is used up, 2 that maxOut makes no sense, 1 that the API cannot be asked', async () => {
  const codes = await Promise.all([
    budget([], async () => ({ ...FREE, more: 0 })),
    budget([], () => Promise.reject(new UserError('maxOut is "0"', { code: 'budget.max-out' }))),
    budget([], () => Promise.reject(new WorldError('refused', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))),
    budget(['--nonsense']),
  ])
  assert.deepEqual(
    codes.map(({ code }) => code),
    [3, 2, 1, 2],
  )
})

test('a machine gets one document, also of an error', async () => {
  assert.deepEqual(JSON.parse((await budget(['-o', 'json'])).out), FREE)
  const wrong = await budget(['-o', 'json'], () => Promise.reject(new UserError('no', { code: 'budget.max-out' })))
  assert.deepEqual(JSON.parse(wrong.out), { error: { code: 'budget.max-out', message: 'no' } })
})

test('where to look is what the flags say; the grants are looked for beside the slots unless they say otherwise', async () => {
  const asked: unknown[] = []
  const look: BudgetActions['read'] = async ({ namespace, grantsNamespace, watchMs, kubeconfig, context }) => {
    asked.push([namespace, grantsNamespace, watchMs, kubeconfig, context])
    return FREE
  }
  await budget([], look)
  await budget(
    ['--namespace', 'ops', '--grants-namespace', 'edge', '--watch', '2min', '--kubeconfig', 'k', '--context', 'c'],
    look,
  )
  assert.deepEqual(asked, [
    ['evenkeel', 'evenkeel', 0, undefined, undefined],
    ['ops', 'edge', 120_000, 'k', 'c'],
  ])
})

test('a command that is printed has the options by which this one found its cluster', async () => {
  const slot = { index: 0, owner: 'run run-2', renewTime: '2026-01-01T00:00:00Z' }
  const left = { why: 'it was not renewed', command: kubectl`-n ops patch lease evenkeel-slot-0` }
  const slots = [
    { ...slot, left },
    { ...slot, index: 1, doubt: say`${evenkeel`budget --watch 2min`} shows more` },
  ]
  const { out } = await budget(['--namespace', 'ops', '--context', 'c'], async () => ({ ...FREE, slots }))
  assert.match(out, /^ {2}kubectl --context c -n ops patch lease evenkeel-slot-0$/m)
  assert.match(out, /: evenkeel budget --watch 2min --context c --namespace ops shows more$/m)
})

test('exit code 0 is not said to reserve anything', async () => {
  const { out } = await budget(['--help'])
  assert.match(out, /Exit code 0 reserves nothing/)
  assert.doesNotMatch(out, /&&/)
})
