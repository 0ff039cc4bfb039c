import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, Agent as HttpAgent } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'

export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const

type Serve = (socket: WebSocket, command: readonly string[]) => void

interface Wanted {
  readonly serve: Serve
  /** Of those that a check offers; the first unless it says another one. */
  readonly protocol?: string
  /** What each request for exec is answered with in the place of an upgrade. */
  readonly refuse?: number
  /** What a request for the pod is answered with. */
  readonly podStatus?: number
}

export interface ExecServer {
  readonly client: ApiClient
  /** Of exec, and which protocols were offered. */
  readonly asked: { readonly path: string; readonly offered: string | undefined }[]
  /** How many WebSockets are open. */
  readonly open: () => number
}

/** An API server of one pod, shop/web-0 on n2, which upgrades to the protocol of exec and then does what a test says. */
export async function execServer(t: TestContext, wanted: Wanted): Promise<ExecServer> {
  const asked: { path: string; offered: string | undefined }[] = []
  const pod = { metadata: { name: 'web-0', resourceVersion: '7' }, spec: { nodeName: 'n2' } }
  const server = createServer((_request, response) => {
    const status = wanted.podStatus ?? 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(status === 200 ? pod : { kind: 'Status', message: 'no' }))
  })
  const handleProtocols = (offered: Set<string>) => wanted.protocol ?? [...offered][0] ?? false
  const sockets = new WebSocketServer({ noServer: true, handleProtocols })
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '', 'http://api')
    asked.push({ path: request.url ?? '', offered: request.headers['sec-websocket-protocol'] })
    if (wanted.refuse === undefined)
      sockets.handleUpgrade(request, socket, head, (opened) => wanted.serve(opened, url.searchParams.getAll('command')))
    else
      socket.end(
        `HTTP/1.1 ${wanted.refuse} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"kind":"Status","message":"no"}`,
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new HttpAgent({ keepAlive: true })
  t.after(() => {
    agent.destroy()
    for (const socket of sockets.clients) socket.terminate()
    server.close()
  })
  const connection = {
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    agent,
    headers: { authorization: 'Bearer let-me-in' },
  }
  const credentials = { current: async () => connection, accept: () => undefined, drop: () => undefined }
  const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test' })
  return { client, asked, open: () => sockets.clients.size }
}

export const say = (socket: WebSocket, channel: number, bytes: string | Buffer): void =>
  socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]))

const success = { kind: 'Status', status: 'Success' }

export const exitStatus = (code: number): object =>
  code === 0
    ? success
    : {
        kind: 'Status',
        status: 'Failure',
        reason: 'NonZeroExitCode',
        message: `command terminated with non-zero exit code: exit status ${code}`,
        details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
      }

/** As containerd says it. */
export const missingStatus = (program: string): object => ({
  kind: 'Status',
  status: 'Failure',
  reason: 'InternalError',
  message: `Internal error occurred: error executing command in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH: unknown`,
  code: 500,
})

interface Container {
  readonly serve: Serve
  /** What was started in it. */
  readonly processes: ChildProcess[]
}

/** A container that has these programs of this machine: what is started there really runs. */
export function containerWith(t: TestContext, ...programs: readonly string[]): Container {
  const processes: ChildProcess[] = []
  t.after(() => {
    for (const one of processes) one.kill('SIGKILL')
  })
  const serve: Serve = (socket, [program = '', ...args]) => {
    // So that a client knows that it is connected.
    say(socket, CHANNEL.stdout, '')
    const end = (status: object): void => {
      say(socket, CHANNEL.status, JSON.stringify(status))
      socket.close()
    }
    if (!programs.includes(program)) {
      end(missingStatus(program))
      return
    }
    const child = spawn(program, args, { stdio: 'pipe', env: { PATH: process.env.PATH } })
    processes.push(child)
    child.stdin.on('error', () => undefined)
    child.stdout.on('data', (bytes: Buffer) => say(socket, CHANNEL.stdout, bytes))
    child.stderr.on('data', (bytes: Buffer) => say(socket, CHANNEL.stderr, bytes))
    child.on('close', (code) => end(exitStatus(code ?? 137)))
    socket.on('message', (message: Buffer) => {
      if (message[0] === CHANNEL.stdin) child.stdin.write(message.subarray(1))
      else if (message[0] === CHANNEL.close) child.stdin.end()
    })
    socket.on('close', () => child.stdin.end())
  }
  return { serve, processes }
}
