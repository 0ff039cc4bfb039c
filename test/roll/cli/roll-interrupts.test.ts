import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinePrinter } from '../../../src/cli/line-printer.ts'
import { runProgram } from '../../../src/cli/program.ts'
import type { RollIo } from '../../../src/roll/cli/roll-actions.ts'
import { addRollCommand } from '../../../src/roll/cli/roll-command.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { failure, heldStory, reload, standing } from './screen/roll-story.ts'
import { ended, evenkeel, FILE, ScriptedActions, stamped } from './scripted-roll.ts'

test('Ctrl-C is answered at once; a second one leaves at once', async () => {
  const actions = new ScriptedActions(ended('completed', 0), { after: () => new Promise(() => undefined) })
  const made = memoryContext({ files: { 'roll.yaml': FILE } })
  const { context } = made
  const story = heldStory()
  actions.roll = (_, io) => {
    for (const event of story.events) io.onEvent(event)
    setImmediate(() => {
      assert.equal(
        context.interrupts.suspendRefused(),
        'not suspended: the lease of w-2 needs a heartbeat. The roll goes on; if the shell shows its prompt, fg brings the roll back.',
      )
      context.interrupts.press()
      assert.ok(io.interrupt.aborted)
      context.interrupts.press()
    })
    return new Promise(() => undefined)
  }
  const parts = { version: '0', context, commands: [addRollCommand(async () => actions, new LinePrinter(context.err))] }
  assert.equal(await runProgram(parts, ['roll', '-f', 'roll.yaml', '-y']), 130)
  assert.match(
    context.err.text,
    /\n\^C Stopping after the write under way\. Ctrl-C once more ends it now;\nresume finds out whether that write happened\.\n$/,
  )
  assert.equal(context.interrupts.suspendRefused(), undefined)
})

test('a node that is kept out is watched until Ctrl-C, which says what a reload would do', async () => {
  const out = standing('w-2', { state: 'out', step: 'proof', text: 'rebooted, cordoned, detached' })
  const made = memoryContext({ files: { 'roll.yaml': FILE } })
  const end: RollEvent = { ...ended('stopped', 1), standings: [out], guarded: ['w-2'] } as RollEvent
  const after = async (io: RollIo): Promise<void> => {
    made.context.interrupts.press()
    assert.ok(io.interrupt.aborted)
  }
  const parts = {
    version: '0',
    context: made.context,
    commands: [addRollCommand(async () => new ScriptedActions(end, { after }), new LinePrinter(made.context.err))],
  }
  assert.equal(await runProgram(parts, ['roll', '-f', 'roll.yaml', '-y']), 1)
  assert.match(made.context.out.text, /until Ctrl-C w-2 is kept out of its balancers/)
  assert.match(
    made.context.err.text,
    /\^C w-2 is no longer watched: from now on a reload of a balancer may send traffic there again\.\n$/,
  )
})

test('what a reload costs while a node is kept out is reported after the end too', async () => {
  const out = standing('w-2', { state: 'out', step: 'proof', text: 'rebooted, cordoned, detached' })
  const end: RollEvent = { ...ended('stopped', 1), standings: [out], guarded: ['w-2'] } as RollEvent
  const after = async (io: RollIo): Promise<void> => {
    io.onEvent(stamped({ type: 'window.closed', window: failure, reloads: [reload], blame: [] }, 99))
  }
  const line = /06:31:11Z - {6}window {4}FAILED shop: 6 of 16 failed in .*; reload of lb-1; no step was under way\n$/
  const plain = await evenkeel('roll -f roll.yaml -y', new ScriptedActions(end, { after }))
  assert.match(plain.err, line)
  const live = await evenkeel('roll -f roll.yaml -y --progress live', new ScriptedActions(end, { after }), {
    terminal: true,
  })
  assert.match(live.err, /; reload of lb-1; no step was under way/)
  const jsonl = await evenkeel('roll -f roll.yaml -y -o jsonl', new ScriptedActions(end, { after }))
  assert.equal(JSON.parse(jsonl.out.trimEnd().split('\n').at(-1) ?? '').reloads[0].instance, 'lb-1')
})
