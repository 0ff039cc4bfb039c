import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { TestContext } from 'node:test'
import { posixQuote } from '../../src/ground/model/posix-quote.ts'
import type { NodeObject } from '../../src/sim/actors/node-object.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import type { EmbeddedRoll } from './embedded-roll.ts'
import { BINARY, type Ended, ended } from './evenkeel-process.ts'

interface Machine {
  /** Its name has a space and a quote. */
  readonly folder: string
  /** Runs a line in a shell there. */
  readonly paste: (line: string) => Promise<Ended>
}

/** With `evenkeel` and a `kubectl` that says with which words it was called. */
export async function aMachine(t: TestContext, place?: string): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'evenkeel-init-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const [folder, programs] = [place ?? (await mkdtemp(join(root, "it's a "))), await mkdtemp(join(root, 'bin-'))]
  const evenkeel = `exec ${[process.execPath, BINARY].map(posixQuote).join(' ')} "$@"`
  await writeFile(join(programs, 'evenkeel'), `#!/bin/sh\n${evenkeel}\n`, { mode: 0o755 })
  await writeFile(join(programs, 'kubectl'), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 })
  const env = { PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' }
  const paste = (line: string): Promise<Ended> =>
    ended(spawn('/bin/sh', ['-c', line], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env }))
  return { folder, paste }
}

export interface InitDocument {
  readonly found: readonly string[]
  readonly leftOut: readonly { readonly what: string; readonly why: string }[]
  readonly answers: readonly { readonly about: string; readonly answer: string; readonly by: string }[]
  readonly isComplete: boolean
  readonly next: readonly string[]
}

export async function good(work: Promise<Ended>): Promise<string> {
  const { code, out, err } = await work
  assert.equal(code, 0, `${out}${err}`)
  return out
}

interface Registered {
  readonly status?: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] }
}

/** Of its two nodes. */
export const nodeAddresses = ({ cluster }: EmbeddedRoll): readonly string[] =>
  ['n1', 'n2'].map((name) => {
    const node = cluster.world.store.get(NODES, { name }) as (NodeObject & Registered) | undefined
    return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
  })

export const HERE = `--kubeconfig 'my kube.yaml'`
