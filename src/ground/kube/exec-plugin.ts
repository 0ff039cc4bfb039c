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
 * Lets the current user's credential plugin run under a limit. What a plugin says, and how long it holds, stays
 * client-node's business; only the process it starts is ours, so that it can be ended with all that it started.
 */
export async function limitExecPlugin(config: KubeConfig, clock: Clock): Promise<void> {
  const user = config.getCurrentUser()
  const cluster = config.getCurrentCluster()
  const plugin = pluginOf(user)
  if (user === null || cluster === null || plugin === undefined) return
  const { ExecAuth } = await import('@kubernetes/client-node/dist/exec_auth.js')
  const inner = new ExecAuth()
  let started: ChildProcess | undefined
  // The field is private in its types, and the one place where the process can be had.
  Reflect.set(inner, 'execFn', (command: string, args: readonly string[] | undefined, options: SpawnOptions) => {
    started = spawn(command, args ?? [], { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    return started
  })
  const limited = { ...user, authProvider: undefined, exec: withExecInfo(plugin, cluster) }
  // An authenticator of ours is only asked where none of client-node's own takes the user.
  const bare = { ...user, authProvider: undefined, exec: undefined }
  config.users = config.users.map((known) => (known === user ? bare : known))
  config.addAuthenticator({
    isAuthProvider: (asked) => asked.name === user.name,
    applyAuthentication: async (_, options) => {
      const late = () => new Error(`${plugin.command} gave no credential within ${PLUGIN_LIMIT_MS / 1000} s`)
      // Credentials are asked for as those of a request alone, those of a WebSocket are the same.
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

/** Ends the plugin and what it started, and lets go of pipes that something of it may still hold. */
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
