import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, describe, test } from 'node:test'
import { posixQuote } from '../../src/ground/model/posix-quote.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { requires } from '../support/requires.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { BINARY, ended, start } from './evenkeel-process.ts'

const RUNS = ['20261121T061439Z-1f0e', '20261120T060000Z-77aa']
const CONTEXTS = ['arn:aws:eks:eu-west-1:1:cluster/a', 'arn:aws:eks:eu-west-1:1:cluster/b', 'the lab']

describe('completion', () => {
  let folder = ''
  let env: Readonly<Record<string, string>> = {}

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-completion-'))
    const [runs, programs, kubeconfig] = [join(folder, 'evenkeel'), join(folder, 'bin'), join(folder, 'kubeconfig')]
    for (const run of RUNS) {
      await mkdir(join(runs, run), { recursive: true })
      await writeFile(join(runs, run, 'journal.jsonl'), 'not read\n')
    }
    const contexts = CONTEXTS.map((name) => ({ name, context: {} }))
    // No current context, and no cluster: nothing of it can be used yet.
    await writeFile(kubeconfig, JSON.stringify({ contexts }))
    await mkdir(programs)
    await mkdir(join(folder, 'work', 'sub'), { recursive: true })
    await writeFile(join(folder, 'work', 'roll.yaml'), '')
    const program = [process.execPath, BINARY].map(posixQuote).join(' ')
    await writeFile(join(programs, 'evenkeel'), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 })
    env = {
      ...{ PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' },
      ...{ XDG_STATE_HOME: folder, KUBECONFIG: kubeconfig },
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** The values that are offered, and what the shell adds. */
  async function candidates(...words: readonly string[]): Promise<readonly string[]> {
    const { code, out, err } = await ended(start(['__complete', '--', ...words], env))
    assert.deepEqual([code, err], [0, ''], words.join(' '))
    return out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/\t.*/, ''))
  }

  const LINES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
    [['ro'], ['roll', 'rollout', ':4']],
    [
      ['roll', 'res'],
      ['resume', ':4'],
    ],
    [
      ['roll', '--only'],
      ['--only-if-needed', ':4'],
    ],
    [
      ['roll', '-o', ''],
      ['text', 'json', 'jsonl', ':4'],
    ],
    [
      ['roll', 'report', '--output=m'],
      ['markdown', ':4'],
    ],
    [
      ['roll', 'report', '--compare', ''],
      [...RUNS, ':4'],
    ],
    [
      ['roll', 'resume', '20261120'],
      ['20261120T060000Z-77aa', ':4'],
    ],
    [['roll', 'status', '--state-dir', '/nonexistent', ''], [':4']],
    [
      ['roll', '--context', ''],
      [...CONTEXTS, ':4'],
    ],
    [
      ['roll', '--context=the'],
      ['the lab', ':4'],
    ],
    [['roll', '--kubeconfig', '/nonexistent', '--context', ''], [':4']],
    [['roll', '-f', 'roll'], [':0']],
    [['roll', '--html='], [':4']],
    [['roll', 'report', '--html='], [':0']],
    [['roll', '--state-dir', ''], [':16']],
    [['dns', 'explain', ''], [':0']],
    [
      ['help', 'rollo'],
      ['rollout', ':4'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', ':4'],
    ],
    [
      ['agent', '--ri'],
      ['--rise', ':4'],
    ],
    [['controller', '--kubeconfig', ''], [':0']],
    [
      ['explain', '--no-such-option', ''],
      ['node', 'pod', 'help', ':4'],
    ],
    [['no', 'such', 'command', ''], [':4']],
    [['version', '--', '-'], [':4']],
  ]

  for (const [words, offered] of LINES) {
    test(`evenkeel ${words.join(' ')}[Tab] offers ${offered.slice(0, -1).join(', ') || offered.join()}`, async () => {
      assert.deepEqual(await candidates(...words), offered)
    })
  }

  test('no words, and words without the dashes as kubectl gives them, are completed, too', async () => {
    const { code, out } = await ended(start(['__complete', 'version', ''], env))
    assert.deepEqual([code, out], [0, ':4\n'])
    const option = await ended(start(['__complete', '--vers'], env))
    assert.match(option.out, /^--version\tprint version and commit\n:4\n$/)
    const none = await ended(start(['__complete'], env))
    assert.match(none.out, /^init\t[^\n]+\n/)
  })

  test('nodes are those of the cluster that the line names; one that does not answer has none', async (t) => {
    const { folder: ground } = await anEmbeddedRoll(t)
    const kubeconfig = join(ground, 'my kube.yaml')
    assert.deepEqual(await candidates('roll', '--kubeconfig', kubeconfig, 'n'), ['n1', 'n2', ':4'])
    assert.deepEqual(await candidates('explain', 'node', '--kubeconfig', kubeconfig, '--context=it', 'n2'), [
      'n2',
      ':4',
    ])
    assert.deepEqual(await candidates('explain', 'node', '--kubeconfig', '/nonexistent', ''), [':4'])
  })

  test('a credential plugin that is slow does not outlive the completion that asked it', async () => {
    const [plugin, pidFile] = [join(folder, 'slow-plugin'), join(folder, 'plugin.pid')]
    await writeFile(plugin, `#!/bin/sh\nsleep 600 & echo $! > ${posixQuote(pidFile)}; wait\n`, { mode: 0o755 })
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' }
    const kubeconfig = join(folder, 'slow kubeconfig')
    const text = JSON.stringify({
      'current-context': 'it',
      clusters: [{ name: 'it', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'me', user: { exec } }],
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'me' } }],
    })
    await writeFile(kubeconfig, text)
    // Where the machine is slow, the time is over before the plugin has begun.
    const pid = await waitFor({ what: 'a plugin that began', limitMs: 60_000, everyMs: 1 }, async () => {
      assert.deepEqual(await candidates('explain', 'node', '--kubeconfig', kubeconfig, ''), [':4'])
      return existsSync(pidFile) ? Number(await readFile(pidFile, 'utf8')) || undefined : undefined
    })
    await waitFor(
      { what: 'the end of the plugin', limitMs: 5_000, everyMs: 10 },
      async () => !isAlive(pid) || undefined,
    )
  })

  /** What the shell prints; nothing may go to its stderr. */
  async function said(argv: readonly [string, ...(readonly string[])]): Promise<readonly string[]> {
    const [command, ...words] = argv
    const child = spawn(command, words, { cwd: join(folder, 'work'), stdio: ['ignore', 'pipe', 'pipe'], env })
    const { out, err } = await ended(child)
    assert.equal(err, '')
    return out.trimEnd().split('\n')
  }

  const IN_BASH: readonly (readonly [words: string, replies: readonly string[]])[] = [
    ['evenkeel roll re', ['resume', 'report']],
    ['evenkeel roll -o j', ['json', 'jsonl']],
    ['evenkeel roll --output = j', ['json', 'jsonl']],
    ['evenkeel roll --output =', ['text', 'json', 'jsonl']],
    // Bash replaces what stands behind the last colon.
    ['evenkeel roll --context arn : aws : eks : eu-west-1 : 1 : cluster/', ['cluster/a', 'cluster/b']],
    ['evenkeel roll --context = arn :', ['aws:eks:eu-west-1:1:cluster/a', 'aws:eks:eu-west-1:1:cluster/b']],
    ['evenkeel roll --context the', ['the\\ lab']],
    ['evenkeel roll -f ro', ['']],
    [`evenkeel roll resume --state-dir '"/nonexistent"' ''`, ['']],
  ]

  for (const [words, replies] of IN_BASH) {
    test(`bash completes ${words} with ${replies.join(' ')}`, async () => {
      const script = `source <(evenkeel completion bash)
        COMP_WORDS=(${words}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _evenkeel evenkeel; printf '%s\\n' "\${COMPREPLY[@]}"`
      assert.deepEqual(await said(['bash', '--noprofile', '--norc', '-c', script]), replies)
    })
  }

  test('bash uses it for evenkeel', async () => {
    const script = 'source <(evenkeel completion bash); complete -p evenkeel'
    const [line = ''] = await said(['bash', '--noprofile', '--norc', '-c', script])
    assert.match(line, /-F _evenkeel evenkeel$/)
  })

  test('zsh reads its script', requires('zsh'), async () => {
    const script = 'autoload -U compinit && compinit -D -u; source <(evenkeel completion zsh); print $_comps[evenkeel]'
    assert.deepEqual(await said(['zsh', '-f', '-c', script]), ['_evenkeel'])
  })

  test('fish completes commands with what they do, and options behind =', requires('fish'), async () => {
    const complete = (line: string) =>
      said(['fish', '--no-config', '-c', `evenkeel completion fish | source; complete -C ${posixQuote(line)}`])
    assert.deepEqual(await complete('evenkeel roll abo'), [
      'abort\tend a roll: put back the node that is out, then stop',
    ])
    assert.deepEqual(await complete('evenkeel roll --output=j'), ['--output=json', '--output=jsonl'])
    assert.deepEqual(await complete('evenkeel roll -f ro'), ['roll.yaml'])
    assert.deepEqual(await complete('evenkeel roll --context the'), ['the lab'])
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
