import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENTRYPOINT } from '../../deploy/image/root-tree.ts'
import type { Administrator } from '../../test/support/administrator.ts'

const STEP_MS = 1

export interface Place {
  readonly api: Administrator
  /** Where the agent's account lies. */
  readonly account: string
  /** What the image runs, and the program that does what people write in an afternoon. */
  readonly bundle: string
  readonly nodecheck: string
}

export interface Running {
  readonly pid: number
  readonly url: string
  /** From its start to its first answer. */
  readonly startMs: number
  end(): Promise<void>
}

/** In a mount namespace of its own, in which the account lies where a pod has it. */
const IN_POD = `mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io \
  && ln -s "$1" /run/secrets/kubernetes.io/serviceaccount && shift && exec "$@"`

/** As the image starts it. */
export async function startAgent({ api, account, bundle }: Place, node: string, port: number): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'))
  const files = ['--memory-dir', join(folder, 'run'), '--keep-dir', join(folder, 'lib')]
  const ports = ['--address', '127.0.0.1', '--port', String(port), '--status-port', String(port + 1)]
  const agent = [...ENTRYPOINT.slice(1, -1), bundle, 'agent', '--node', node, '--up-delay', '0', ...ports, ...files]
  const argv = ['-m', 'sh', '-c', IN_POD, 'sh', account, process.execPath, ...agent]
  const { hostname, port: apiPort } = new URL(api.server)
  const env = { PATH: process.env.PATH, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort }
  return started(spawn('unshare', argv, { stdio: 'ignore', env }), port, () =>
    rmSync(folder, { recursive: true, force: true }),
  )
}

export function startNodecheck({ api, nodecheck }: Place, node: string, port: number): Promise<Running> {
  const { server, tls } = api
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'))
  const written = (name: keyof typeof tls): string => {
    const file = join(folder, `${name}.pem`)
    writeFileSync(file, tls[name], { mode: 0o600 })
    return file
  }
  const env = { API: server, MY_NODE_NAME: node, CA: written('ca'), CERT: written('cert'), KEY: written('key') }
  const child = spawn(nodecheck, [`127.0.0.1:${port}`], { stdio: 'ignore', env, cwd: tmpdir() })
  return started(child, port, () => rmSync(folder, { recursive: true, force: true }))
}

async function started(child: ChildProcess, port: number, discard: () => void): Promise<Running> {
  const begunAt = performance.now()
  const url = `http://127.0.0.1:${port}/nodecheck`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    if (performance.now() - begunAt > 20_000) throw new Error(`${child.spawnfile} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
  const startMs = Math.round(performance.now() - begunAt)
  const end = async (): Promise<void> => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    discard()
  }
  return { pid: child.pid ?? 0, url, startMs, end }
}

const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume()
      resolve(true)
    })
    request.once('error', () => resolve(false))
  })
