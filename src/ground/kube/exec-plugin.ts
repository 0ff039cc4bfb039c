import { type ChildProcess, spawn } from 'node:child_process'
import type { RequestOptions } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { Clock } from '../ports/clock.ts'
import type { Environment } from './choose-proxy.ts'
import { type ExecCredential, parseExecCredential } from './exec-credential.ts'
import { execInfo } from './exec-info.ts'
import type { KubeconfigCluster, KubeconfigPlugin } from './kubeconfig-file.ts'
import { errorCode } from './transport-error.ts'
import { within } from './within.ts'

const PLUGIN_LIMIT_MS = 30_000

interface Use {
  readonly plugin: KubeconfigPlugin
  readonly cluster: KubeconfigCluster
  readonly clock: Clock
  /** The environment of the process, which the plugin has too. */
  readonly env: Environment
}

/** Lets a plugin say who the user is, within a time limit. What it gave is kept until it ends. */
export function usePlugin(config: KubeConfig, use: Use): void {
  let kept: ExecCredential | undefined
  config.addAuthenticator({
    isAuthProvider: () => true,
    applyAuthentication: async (_, options) => {
      // Credentials are only requested for a request; those for a WebSocket are the same.
      const ofRequest = options as RequestOptions
      const { signal = new AbortController().signal } = ofRequest
      if (kept === undefined || (kept.endsMs ?? Number.POSITIVE_INFINITY) < use.clock.wallMs())
        kept = await ask(use, signal)
      const { token, certificate, key } = kept
      if (token !== '') ofRequest.headers = { ...ofRequest.headers, Authorization: `Bearer ${token}` }
      if (certificate !== '') Object.assign(ofRequest, { cert: certificate, key })
    },
  })
}

async function ask({ plugin, cluster, clock, env }: Use, signal: AbortSignal): Promise<ExecCredential> {
  const { command, args, apiVersion, interactiveMode } = plugin
  if (interactiveMode === 'Always') throw new Error(`${command} asks a person, and nobody is there to answer`)
  const variables = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]))
  const child = spawn(command, args, {
    env: { ...env, ...variables, KUBERNETES_EXEC_INFO: execInfo(plugin, cluster) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const late = () => new Error(`${command} gave no credential within ${PLUGIN_LIMIT_MS / 1000} s`)
  try {
    const printed = await within({ clock, ms: PLUGIN_LIMIT_MS, signal, late }, () => outputOf(child))
    return parseExecCredential(printed, apiVersion)
  } catch (error) {
    end(child)
    throw error
  }
}

async function outputOf(child: ChildProcess): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject).once('close', resolve)
  const read = (stream: ChildProcess['stdout']) => (stream === null ? Buffer.alloc(0) : buffer(stream))
  const [printed, said, code] = await Promise.all([read(child.stdout), read(child.stderr), promise])
  if (code !== 0) throw new Error(said.toString() || `it ended with ${code ?? 'a signal'}`)
  return printed
}

/** Ends the plugin and all that it started, and closes pipes that some of it may still hold. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return
  child.stdout?.destroy()
  child.stderr?.destroy()
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
