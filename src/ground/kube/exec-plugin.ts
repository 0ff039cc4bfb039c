import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { User } from '@kubernetes/client-node/dist/config_types.js'
import type { Clock } from '../ports/clock.ts'
import { type ExecPlugin, withExecInfo } from './exec-info.ts'
import { errorCode } from './transport-error.ts'
import { within } from './within.ts'

const PLUGIN_LIMIT_MS = 30_000

/**
 * Runs the current user's credential plugin with a time limit. client-node still reads its answer and decides how long that is
 * valid; only the process is ours, so that it can be ended with all that it started.
 */
export async function limitExecPlugin(config: KubeConfig, clock: Clock): Promise<void> {
  const user = config.getCurrentUser()
  const cluster = config.getCurrentCluster()
  const plugin = pluginOf(user)
  if (user === null || cluster === null || plugin === undefined) return
  const { ExecAuth } = await import('@kubernetes/client-node/dist/exec_auth.js')
  const inner = new ExecAuth()
  let started: ChildProcess | undefined
  // The types call the field private, but only here can the process be replaced.
  Reflect.set(inner, 'execFn', (command: string, args: readonly string[] | undefined, options: SpawnOptions) => {
    started = spawn(command, args ?? [], { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    return started
  })
  const limited = { ...user, authProvider: undefined, exec: withExecInfo(plugin, cluster) }
  // Our authenticator is only called where none of client-node's own takes the user.
  const bare = { ...user, authProvider: undefined, exec: undefined }
  config.users = config.users.map((known) => (known === user ? bare : known))
  config.addAuthenticator({
    isAuthProvider: (asked) => asked.name === user.name,
    applyAuthentication: async (_, options) => {
      const late = () => new Error(`${plugin.command} gave no credential within ${PLUGIN_LIMIT_MS / 1000} s`)
      // Credentials are only requested for a request; those for a WebSocket are the same.
      const ofRequest = options as RequestOptions
      const { signal = new AbortController().signal } = ofRequest
      try {
        await within({ clock, ms: PLUGIN_LIMIT_MS, signal, late }, () => inner.applyAuthentication(limited, ofRequest))
      } catch (error) {
        end(started)
        throw error
      }
    },
  })
}

function pluginOf(user: User | null): ExecPlugin | undefined {
  return user?.exec ?? user?.authProvider?.config?.exec ?? undefined
}

/** Ends the plugin and all that it started, and closes pipes that some of it may still hold. */
function end(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  child.stdout?.destroy()
  child.stderr?.destroy()
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
