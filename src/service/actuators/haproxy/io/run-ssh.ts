import { spawn } from 'node:child_process'
import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { WorldError } from '../../../../ground/model/world-error.ts'
import { errorCode, unreachable } from './socket-error.ts'

const KEPT_STDERR_BYTES = 4_096

/** Errors that another try cannot cure: a key, a host key, a configuration. */
const LASTING =
  /Permission denied|Host key verification failed|Bad configuration option|Can't open user config|not known/

/** Runs the system's `ssh` until it exits; resolves on 0, else rejects with what ssh printed. Killed when the signal fires. */
export function runSsh(args: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    // In a process group of its own: Ctrl-C at the terminal is for us, and we still need the tunnel.
    const child = spawn('ssh', args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let said = ''
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (chunk: string) => {
      said = (said + chunk).slice(-KEPT_STDERR_BYTES)
    })
    const kill = (): void => {
      child.kill('SIGKILL')
      reject(signal.reason)
    }
    signal.addEventListener('abort', kill, { once: true })
    child.once('error', (error) => {
      signal.removeEventListener('abort', kill)
      reject(cannotStart(error))
    })
    // An ssh master in the background keeps no hold on stderr, so `close` comes with `exit`.
    child.once('close', (code) => {
      signal.removeEventListener('abort', kill)
      if (code === 0) resolve()
      else reject(sshFailed(said, code))
    })
  })
}

function cannotStart(error: Error): WorldError {
  const why =
    errorCode(error) === 'ENOENT' ? 'there is no ssh on this machine' : `ssh cannot be started: ${error.message}`
  return new WorldError(why, { code: 'BALANCER_UNREACHABLE', retry: 'never', cause: error })
}

function sshFailed(said: string, code: number | null): WorldError {
  const text = said.trim().split(/\r?\n/).at(-1) ?? ''
  const message = text === '' ? `ssh ended with ${code ?? 'a signal'}` : escapeForeign(text, 300)
  if (!LASTING.test(said)) return unreachable(message)
  return new WorldError(message, { code: 'BALANCER_UNREACHABLE', retry: 'never' })
}
