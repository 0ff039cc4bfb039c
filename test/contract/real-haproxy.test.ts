import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { HaproxyBalancer } from '../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { LoopbackClient } from '../support/balancer-side/loopback-client.ts'
import { LoopbackOrigin } from '../support/balancer-side/loopback-origin.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { type BalancerDoor, type DoorKind, type DoorOptions, TIMES } from './balancer/balancer-door.ts'
import { balancerContract } from './balancer-contract.ts'

/** Listens with a short queue, and then never looks at a new connection. */
const DEAF = `
const { parentPort } = require('node:worker_threads')
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
`
const PATIENCE_MS = 200

/** A port of loopback that answers nothing, as a machine without power: its queue is full, so that Linux drops what comes. */
async function silentPort(t: TestContext): Promise<number> {
  const worker = new Worker(DEAF, { eval: true })
  const queue: Socket[] = []
  t.after(async () => {
    for (const socket of queue) socket.destroy()
    await worker.terminate()
  })
  const [port] = await once(worker, 'message')
  for (let isFull = false; !isFull; ) {
    const socket = connect({ host: '127.0.0.1', port: Number(port) }).on('error', () => socket.destroy())
    queue.push(socket)
    const late = AbortSignal.timeout(PATIENCE_MS)
    isFull = await once(socket, 'connect', { signal: late }).then(
      () => false,
      () => true,
    )
  }
  return Number(port)
}

/** HAProxy and two servers, on loopback. */
async function openRealBalancer(t: TestContext, options: DoorOptions = {}): Promise<BalancerDoor> {
  const [a, b] = [await LoopbackOrigin.start(t), await LoopbackOrigin.start(t)]
  if (options.health !== undefined) a.sayHealth(options.health)
  let agentLine = 'ready up'
  const agent = createTcpServer((socket) => socket.on('error', () => socket.destroy()).end(`${agentLine}\n`))
  agent.listen(0, '127.0.0.1')
  await once(agent, 'listening')
  t.after(() => agent.close())
  const refusing = await LoopbackOrigin.start(t)
  const ports = {
    agent: (agent.address() as AddressInfo).port,
    a: a.port,
    b: b.port,
    dead: refusing.port,
    silent: options.silent === true ? await silentPort(t) : refusing.port,
  }
  await refusing.stop()
  const haproxy = await LocalHaproxy.start(t, {
    kind: 'master and worker',
    global: (directory) => globalLines(directory, options),
    sections: (directory) =>
      `${sections(directory, ports, options.serverTimeoutMs)}${besides(directory, ports)[options.beside ?? 'none']}`,
  })
  const balancer = new HaproxyBalancer({
    spec: {
      name: 'edge',
      instances: [{ name: 'lb-1', address: { kind: 'unix', path: haproxy.socket } }],
      backends: ['web', 'dead', ...(options.beside === undefined ? [] : [options.beside])],
    },
    clock: systemClock,
    random: systemRandom,
  })
  t.after(() => balancer.close())
  return {
    balancer,
    a,
    b,
    sayAgent: (line) => {
      agentLine = line
    },
    nowMs: () => performance.now(),
    command: (line) => haproxy.command(line),
    client: async (frontend) => {
      const client = await LoopbackClient.open(join(haproxy.directory, `${frontend}.sock`))
      t.after(() => client.close())
      return client
    },
    reload: async ({ keepsStates } = { keepsStates: false }) => {
      const states = keepsStates ? await haproxy.command('show servers state') : ''
      await writeFile(join(haproxy.directory, 'states'), states)
      await haproxy.reload()
    },
    until: async (what, holds) => {
      await waitFor({ what, limitMs: 20_000, everyMs: 5 }, async () => (await holds()) || undefined)
    },
  }
}

function globalLines(directory: string, { hardStopAfterMs }: DoorOptions): string {
  const hardStop = hardStopAfterMs === undefined ? '' : `\n  hard-stop-after ${hardStopAfterMs}ms`
  return `  server-state-file ${join(directory, 'states')}${hardStop}`
}

interface Ports {
  readonly agent: number
  readonly a: number
  readonly b: number
  readonly dead: number
  readonly silent: number
}

const sections = (
  directory: string,
  ports: Ports,
  serverTimeoutMs: number = TIMES.serverTimeoutMs,
): string => `defaults contract
  mode http
  timeout connect ${TIMES.connectTimeoutMs}ms
  timeout client ${TIMES.clientTimeoutMs}ms
  timeout server ${serverTimeoutMs}ms
  load-server-state-from-file global
frontend front
  bind unix@${directory}/web.sock
  default_backend web
frontend front-dead
  bind unix@${directory}/dead.sock
  default_backend dead
frontend front-silent
  bind unix@${directory}/silent.sock
  default_backend silent
backend web
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter ${TIMES.interMs}ms fall ${TIMES.fall} rise ${TIMES.rise}
  server a 127.0.0.1:${ports.a}
  server b 127.0.0.1:${ports.b}
backend dead
  server d 127.0.0.1:${ports.dead}
backend silent
  server s 127.0.0.1:${ports.silent}
`

const frontLines = (directory: string, name: DoorKind): string => `frontend front-${name}
  bind unix@${directory}/${name}.sock
  default_backend ${name}
backend ${name}
`

const CHECKED = `  balance roundrobin
  option httpchk GET /readyz
  default-server check inter ${TIMES.interMs}ms fall ${TIMES.fall} rise ${TIMES.rise}
`

const besides = (directory: string, { a, b, agent }: Ports): Readonly<Record<DoorKind | 'none', string>> => ({
  none: '',
  sticky: `frontend front-sticky
  bind unix@${directory}/sticky.sock
  default_backend sticky
backend sticky
  cookie SRV insert indirect nocache
${CHECKED}  server a 127.0.0.1:${a} cookie a
  server b 127.0.0.1:${b} cookie b
`,
  closing: `frontend front-closing
  bind unix@${directory}/closing.sock
  default_backend closing
backend closing
  option http-server-close
${CHECKED}  server a 127.0.0.1:${a}
`,
  aside: `frontend front-aside
  bind unix@${directory}/aside.sock
  default_backend aside
backend aside
${CHECKED}  server a 127.0.0.1:${a} port ${b}
`,
  follow: `frontend front-follow
  bind unix@${directory}/follow.sock
  default_backend follow
backend follow
  balance roundrobin
  server a 127.0.0.1:${a} track web/a
  server b 127.0.0.1:${b} track web/b
`,
  warming: `${frontLines(directory, 'warming')}${CHECKED}  default-server weight 100 slowstart 2s
  server a 127.0.0.1:${a}
  server b 127.0.0.1:${b}
`,
  spare: `${frontLines(directory, 'spare')}${CHECKED}  server a 127.0.0.1:${a}
  server b 127.0.0.1:${b} backup
`,
  narrow: `${frontLines(directory, 'narrow')}  cookie SRV insert indirect nocache
${CHECKED}  server a 127.0.0.1:${a} cookie a maxconn 1
  server b 127.0.0.1:${b} cookie b maxconn 1
`,
  asked: `${frontLines(directory, 'asked')}  server a 127.0.0.1:${a} weight 100 agent-check agent-port ${agent} agent-inter ${TIMES.interMs}ms
  server b 127.0.0.1:${b}
`,
})

describe('HAProxy itself', requires('haproxy'), () => balancerContract(openRealBalancer))
