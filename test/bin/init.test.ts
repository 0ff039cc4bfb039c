import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { ArticleGround } from '../../bin/demo/article-ground.ts'
import { posixQuote } from '../../src/model/posix-quote.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { BINARY, type Ended, ended } from './evenkeel-process.ts'

interface Machine {
  /** Its name has a space and a quote. */
  readonly folder: string
  /** Runs a line in a shell there. */
  readonly paste: (line: string) => Promise<Ended>
}

/** With `evenkeel` and a `kubectl` that says with which words it was called. */
async function aMachine(t: TestContext): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'evenkeel-init-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const [folder, programs] = [await mkdtemp(join(root, "it's a ")), await mkdtemp(join(root, 'bin-'))]
  const evenkeel = `exec ${[process.execPath, BINARY].map(posixQuote).join(' ')} "$@"`
  await writeFile(join(programs, 'evenkeel'), `#!/bin/sh\n${evenkeel}\n`, { mode: 0o755 })
  await writeFile(join(programs, 'kubectl'), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 })
  const env = { PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' }
  const paste = (line: string): Promise<Ended> =>
    ended(spawn('/bin/sh', ['-c', line], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env }))
  return { folder, paste }
}

interface Document {
  readonly found: readonly string[]
  readonly leftOut: readonly { readonly what: string; readonly why: string }[]
  readonly answers: readonly { readonly question: string; readonly answer: string; readonly by: string }[]
  readonly isComplete: boolean
  readonly next: readonly string[]
}

async function good(work: Promise<Ended>): Promise<string> {
  const { code, out, err } = await work
  assert.equal(code, 0, `${out}${err}`)
  return out
}

test(
  'on the cluster of the demo, behind a real HAProxy, init writes a file that the plan accepts',
  requires('haproxy'),
  async (t) => {
    const ground = await ArticleGround.open({ plan: 'evenkeel', balancer: 'auto' }, process.env, t.signal)
    t.after(() => ground.end())
    assert.match(ground.about, /^HAProxy/)
    const { folder, paste } = await aMachine(t)
    const reboot = (parse(await readFile(ground.rollFile, 'utf8')).spec.reboot.command as string[])
      .map(posixQuote)
      .join(' ')
    const place = `--kubeconfig ${posixQuote(ground.cluster.kubeconfig)}`
    const found = `--haproxy-socket ${posixQuote(ground.balancerSocket)} --probe ${ground.url}`
    const line = `evenkeel init --yes -f 'my "roll".yaml' ${place} ${found} --reboot ${posixQuote(reboot)}`
    const document = JSON.parse(await good(paste(`${line} -o json`))) as Document

    assert.ok(document.isComplete, JSON.stringify(document))
    const text = await readFile(join(folder, 'my "roll".yaml'), 'utf8')
    const { spec } = parse(text)
    assert.deepEqual(spec.nodes, { names: ['cp-1', 'cp-2', 'cp-3'] }, text)
    assert.deepEqual(spec.balancers, [
      { name: 'edge', instances: [{ name: 'lb-1', socket: ground.balancerSocket }], backends: ['web'] },
    ])
    assert.deepEqual(
      document.leftOut.map(({ what }) => what),
      ['node w-1', 'node w-2', 'node w-3'],
    )

    t.diagnostic(text)
    t.diagnostic(await good(paste(`${line} --overwrite`)))
    const [apply = '', plan = ''] = document.next
    const words = ['--kubeconfig', ground.cluster.kubeconfig, 'apply', '-f', 'my "roll"-rights.yaml']
    assert.equal(await good(paste(apply)), `${words.join('|')}|`)
    const said = JSON.parse(await good(paste(`${plan} -o json`)))
    // Its machines answer no ssh, and it has no etcd.
    const codes = new Set(said.findings.map(({ code }: { code: string }) => code))
    assert.deepEqual([...codes], ['HostNotAsked', 'EtcdUnseen'], JSON.stringify(said.findings))
    assert.deepEqual(
      said.nodes.map(({ node, detachFrom }: { node: string; detachFrom: readonly string[] }) => [node, detachFrom]),
      [1, 2, 3].map((i) => [`cp-${i}`, [`web/cp-${i} on lb-1`]]),
    )
  },
)
