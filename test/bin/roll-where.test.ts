import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { type Ended, ended } from './evenkeel-process.ts'

const PLACE = `--kubeconfig 'my kube.yaml' --context it --state-dir "it's state"`

/** The command behind a word of a text. */
function commandAfter(text: string, word: RegExp): string {
  const [, command] = word.exec(text) ?? []
  assert.ok(command !== undefined, text)
  return command
}

test('each command that a roll prints works when it is pasted into a shell in the same directory', async (t) => {
  const { folder, programs, letReboot, cluster } = await anEmbeddedRoll(t)
  const begin = (line: string) =>
    spawn('/bin/sh', ['-c', line], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' },
    })
  const paste = (line: string): Promise<Ended> => ended(begin(line))
  const good = async (line: string): Promise<string> => {
    const { code, out, err } = await paste(line)
    assert.equal(code, 0, `${line}\n${out}${err}`)
    return out
  }

  // An error.
  const none = await paste(`evenkeel roll status ${PLACE}`)
  assert.equal(none.code, 2)
  assert.match(none.err, /^error: there is no journal of a roll in it's state \(journal\.none\)\n/)
  const lost = await paste(
    commandAfter(none.err, /if the journal is lost: (evenkeel roll abort .*)/).replace('roll.yaml', "'roll one.yaml'"),
  )
  assert.equal(lost.code, 2)
  assert.match(lost.err, /no node/, lost.err)

  // The plan.
  const plan = await good(`evenkeel roll -f 'roll one.yaml' --no-probe --reason 'a CVE' ${PLACE} --dry-run`)
  const head = plan.replaceAll('\n', ' ')
  assert.match(head, /^Plan for it on context it \(https?:\/\/127\.0\.0\.1:\d+\/?\), as user \S+: 2 nodes, /)
  const run = commandAfter(plan, /Run it: (.*)\n$/)
  assert.match(await good(`${run} --dry-run`), /2 to roll/)

  // A roll that is interrupted while n1 is out.
  const roll = begin(`exec ${run} --yes -v --progress plain`)
  let said = ''
  for (const stream of [roll.stdout, roll.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  await waitFor({ what: 'n1 at its reboot', limitMs: 30_000 }, async () => /n1 +reboot +/.test(said) || undefined)
  roll.kill('SIGINT')
  await waitFor({ what: 'the end', limitMs: 30_000 }, async () => roll.exitCode ?? undefined)
  assert.match(said, /context it \(https?:/)
  const resume = commandAfter(said, /next +(evenkeel roll resume .*?)(?: {4}|\n)/)

  // What a person looks at then.
  const status = await good(`evenkeel roll status --state-dir "it's state"`)
  assert.match(status, /INTERRUPTED/)
  const listed = JSON.parse(await good(`evenkeel roll list --state-dir "it's state" -o json`))
  assert.deepEqual(
    listed.runs.map(({ context, state, nodesDone, nodes, reason }: Record<string, unknown>) => [
      context,
      state,
      nodesDone,
      nodes,
      reason,
    ]),
    [['it', 'interrupted', 0, 2, 'a CVE']],
  )
  const document = JSON.parse(await good(`evenkeel roll status --state-dir "it's state" -o json`))
  assert.deepEqual([document.context, document.reason, document.run], ['it', 'a CVE', listed.runs[0].run])
  const why = JSON.parse(await good(`evenkeel explain node n1 ${PLACE} -o json`))
  const commands: readonly string[] = why.findings.flatMap(
    ({ next }: { readonly next: readonly { readonly command?: string }[] }) =>
      next.flatMap(({ command }) => command ?? []),
  )
  assert.ok(
    commands.some((command) => command.startsWith('evenkeel roll resume')),
    commands.join('\n'),
  )

  // The context of the run is gone, and comes back.
  const kubeconfig = join(folder, 'my kube.yaml')
  const text = await readFile(kubeconfig, 'utf8')
  const config = parse(text)
  const contexts = config.contexts.map((context: object) => ({ ...context, name: 'other' }))
  await writeFile(kubeconfig, stringify({ ...config, contexts, 'current-context': 'other' }))
  const bare = `evenkeel roll resume --state-dir "it's state"`
  const gone = await paste(bare)
  assert.equal(gone.code, 2, gone.err)
  assert.match(
    gone.err,
    /was begun with context it of kubeconfig .*my kube\.yaml, and that file has no such context \(KUBECONFIG_NO_CONTEXT\)/,
  )
  assert.match(gone.err, /fix: choose one with --context: other/)
  await writeFile(kubeconfig, text)

  // The rest, once by what was printed, without the options: the journal knows the cluster.
  await letReboot()
  const over = await paste(resume)
  assert.equal(over.code, 0, `${resume}\n${over.err}`)
  assert.match(over.out, /^DONE {2}2 of 2 nodes/)
  assert.deepEqual(
    ['n1', 'n2'].map((name) => cluster.machines.get(name)?.boots),
    [2, 2],
  )
  const end = await paste(bare)
  assert.equal(end.code, 0, end.err)
  assert.match(await good(`evenkeel roll list --state-dir "it's state"`), /it +it +done +2 of 2 .*a CVE\n/)
})
