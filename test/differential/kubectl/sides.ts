import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { text as textOfStream } from 'node:stream/consumers'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Arrival, Ground } from './ground.ts'

/** How a set is used. */
export interface Use {
  readonly kubeconfig: string
  readonly context: string | undefined
  /** The folder that it is used from. */
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
}

/** What came of one use. */
export interface Outcome {
  /** The last request that the API server took, or that arrived at all. */
  readonly arrival: Arrival | undefined
  /** Host and server that a proxy was asked for, and what it was shown. */
  readonly tunnels: readonly string[]
  /** What plugins were given: KUBERNETES_EXEC_INFO and their arguments. */
  readonly heard: readonly string[]
  /** Absent where the API server was reached. */
  readonly error: string | undefined
}

export interface Asked {
  readonly outcome: Outcome
  /** The same once more, after something has changed. */
  again(): Promise<Outcome>
  close(): void
}

function environment({ env }: Use): Readonly<Record<string, string>> {
  const { HOME = '', PATH = '', PLUGIN_HEARD = '' } = process.env
  return { HOME, PATH, PLUGIN_HEARD, ...env }
}

/** What kubectl does. It begins anew each time. */
export async function askByKubectl(command: readonly string[], ground: Ground, use: Use): Promise<Asked> {
  const [file = '', ...first] = command
  const args = [...(use.context === undefined ? [] : ['--context', use.context]), 'create', 'token', 'who']
  const ask = () =>
    noting(ground, async () => {
      const env = { ...environment(use), KUBECONFIG: use.kubeconfig }
      const stdio: ['pipe', 'ignore', 'pipe'] = ['pipe', 'ignore', 'pipe']
      const child = spawn(file, [...first, ...args], { cwd: use.directory, env, stdio })
      // It asks for a name and a password where a user has no credential: nothing is typed.
      child.stdin.on('error', () => undefined).end('\n\n')
      const { promise, resolve } = Promise.withResolvers<number | null>()
      child.on('close', resolve)
      const said = await textOfStream(child.stderr)
      return (await promise) === 0 ? undefined : said.trim()
    })
  return { outcome: await ask(), again: ask, close: () => undefined }
}

const VERSION = { verb: 'get', resource: '/version', path: '/version' } as const
const SILENT = { debug: () => undefined, warn: () => undefined }

/** What this program does, in this process: its folder is that of the process. */
export async function askByUs(ground: Ground, use: Use): Promise<Asked & { readonly namespace: string | undefined }> {
  const stop = new AbortController()
  process.chdir(use.directory)
  const options = {
    ...{ kubeconfigPath: use.kubeconfig, context: use.context, env: environment(use) },
    ...{ clock: systemClock, random: new SeededRandom('none'), log: SILENT, userAgent: 'evenkeel' },
  }
  let opened: Awaited<ReturnType<typeof openApi>> | undefined
  const outcome = await noting(ground, () =>
    failure(async () => {
      opened = await openApi(options, stop.signal)
    }),
  )
  return {
    outcome,
    namespace: opened?.namespace,
    again: () => noting(ground, () => failure(async () => void (await opened?.parts.client.ask(VERSION, stop.signal)))),
    close: () => stop.abort(new Error('it is over')),
  }
}

async function failure(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    if (error instanceof UserError) return `${error.code}: ${error.message}`
    return error instanceof WorldError ? `${error.code}: ${error.message}` : `BUG: ${String(error)}`
  }
}

async function noting(ground: Ground, act: () => Promise<string | undefined>): Promise<Outcome> {
  const { http, socks } = ground.proxies
  ground.arrivals.length = 0
  for (const { tunnels } of [http, socks]) tunnels.length = 0
  rmSync(ground.heard, { force: true })
  const error = await act()
  const tunnels = [...http.tunnels, ...socks.tunnels].map(({ to, authorization }) => `${to} ${authorization ?? ''}`)
  const heard = existsSync(ground.heard)
    ? readFileSync(ground.heard, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
  const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)]
  return { arrival: ground.arrivals.at(-1), tunnels: unique(tunnels), heard: unique(heard).map(sorted), error }
}

/** JSON in lines, whatever the order of its fields. */
function sorted(line: string): string {
  if (!line.startsWith('{')) return line
  const order = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => one.localeCompare(other)))
      : value
  return JSON.stringify(JSON.parse(line), order)
}
