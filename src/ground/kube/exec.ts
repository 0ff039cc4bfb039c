import { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import { escapeForeign } from '../model/foreign-text.ts'
import { type ObjectRef, refKey } from '../model/object-ref.ts'
import { present } from '../model/present.ts'
import { WorldError } from '../model/world-error.ts'
import { type ApiCall, segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { parseApiStatus } from './api-status.ts'
import type { Connection } from './connection.ts'
import type { HttpRequest } from './exchange.ts'
import { openWebSocket } from './web-socket.ts'

/** Before v5 the end of stdin cannot be sent (KEP-4006). */
const [WITH_CLOSE, WITHOUT_CLOSE] = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
/** The first byte of each message (apimachinery, pkg/util/remotecommand/constants.go). */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const
/** How much is shown of the end of a command's stderr. */
const STDERR_BYTES_MAX = 400
/** The texts of runtimes about a program that they cannot start, and the exit codes of a shell for the same. */
const MISSING = /executable file not found|no such file or directory/i
const MISSING_EXIT_CODES: ReadonlySet<string> = new Set(['126', '127'])

interface Exec {
  readonly pod: ObjectRef
  /** Absent: the only container. */
  readonly container?: string
  readonly command: readonly [program: string, ...args: string[]]
}

/**
 * Runs a command in a container of a pod, by pods/exec over a WebSocket. Writes go to its stdin, reads come from its stdout.
 * Needs the rights to get and, from Kubernetes 1.35 on, to create pods/exec. Rejects as ApiClient does. The stream ends when
 * the command ends with exit code 0. It fails with WorldError KUBE_EXEC_MISSING where the program does not exist,
 * KUBE_EXEC_FAILED where the command fails, KUBE_EXEC where the connection breaks. Destroying it ends the connection, and with
 * it the stdin of the command.
 */
export async function execInPod(client: ApiClient, exec: Exec, signal: AbortSignal): Promise<Duplex> {
  const { pod, container, command } = exec
  const flags = { stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' }
  const call: ApiCall = {
    verb: 'get',
    resource: 'pods/exec',
    path: `/api/v1/namespaces/${segment(pod.namespace)}/pods/${segment(pod.name)}/exec`,
    query: { ...flags, ...present({ container }), command },
  }
  const open = (connection: Connection, request: HttpRequest, limited: AbortSignal) =>
    openWebSocket({ connection, request, protocols: [WITH_CLOSE, WITHOUT_CLOSE] }, limited)
  return new RunningCommand(await client.upgrade(call, open, signal), exec)
}

class RunningCommand extends Duplex {
  readonly #socket: WebSocket
  readonly #exec: Exec
  #stderr: Buffer = Buffer.alloc(0)
  #hasEnded = false

  constructor(socket: WebSocket, exec: Exec) {
    super()
    this.#socket = socket
    this.#exec = exec
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('error', (error) => this.#break(error.message))
    socket.once('close', () => this.#break('the connection ended before the command'))
    if (socket.readyState === WebSocket.CLOSED) this.#break('the connection ended before the command')
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Buffer.of(CHANNEL.stdin), chunk]), (error) =>
      done(error ? this.#fault('KUBE_EXEC', error.message) : undefined),
    )
  }

  override _final(done: (error?: Error | null) => void): void {
    const isOpen = this.#socket.readyState === WebSocket.OPEN
    if (isOpen && this.#socket.protocol === WITH_CLOSE) this.#socket.send(Buffer.of(CHANNEL.close, CHANNEL.stdin))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.terminate()
    done(error)
  }

  #receive(data: RawData, isBinary: boolean): void {
    const [channel, payload] = isBinary && Buffer.isBuffer(data) ? [data[0], data.subarray(1)] : []
    if (channel === CHANNEL.stdout && payload !== undefined) this.#hear(payload)
    else if (channel === CHANNEL.stderr && payload !== undefined)
      this.#stderr = Buffer.concat([this.#stderr, payload.subarray(-STDERR_BYTES_MAX)]).subarray(-STDERR_BYTES_MAX)
    else if (channel === CHANNEL.status && payload !== undefined) this.#end(payload)
    else this.#break('the API server sent data on an unknown channel')
  }

  #hear(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#hasEnded && !this.push(bytes)) this.#socket.pause()
  }

  #end(bytes: Buffer): void {
    // The API server opens each channel with an empty message.
    if (bytes.length === 0 || this.#hasEnded) return
    const body = readStatus(bytes)
    if (body === undefined) {
      this.#break('the API server sent a status that makes no sense')
      return
    }
    this.#hasEnded = true
    if (body.status === 'Success') {
      this.push(null)
      this.end()
      return
    }
    const { causes, message } = parseApiStatus(body)
    const exitCode = causes.find(({ reason }) => reason === 'ExitCode')?.message
    const stderr = this.#stderr.toString('utf8').trim()
    if (MISSING.test(message) || MISSING_EXIT_CODES.has(exitCode ?? ''))
      this.destroy(this.#fault('KUBE_EXEC_MISSING', 'it is not there'))
    else if (exitCode === undefined) this.destroy(this.#fault('KUBE_EXEC_FAILED', message || 'it failed'))
    else this.destroy(this.#fault('KUBE_EXEC_FAILED', `exit code ${exitCode}${stderr === '' ? '' : `: ${stderr}`}`))
  }

  /** After the command has ended, nothing matters any more. */
  #break(text: string): void {
    if (!this.#hasEnded) this.destroy(this.#fault('KUBE_EXEC', text))
  }

  #fault(code: 'KUBE_EXEC' | 'KUBE_EXEC_FAILED' | 'KUBE_EXEC_MISSING', text: string): WorldError {
    const { pod, command } = this.#exec
    const said = escapeForeign(text.replaceAll(/\s*\n\s*/g, ' | '))
    const retry = code === 'KUBE_EXEC' ? 'backoff' : 'never'
    return new WorldError(`${command[0]} in pod ${refKey(pod)}: ${said}`, { code, retry })
  }
}

/** Undefined where it is no object. */
function readStatus(bytes: Buffer): { readonly status?: unknown } | undefined {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}
