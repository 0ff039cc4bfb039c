import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { jsonObject } from '../../ground/model/json-object.ts'
import { OVER } from '../../ground/model/over.ts'
import { present } from '../../ground/model/present.ts'
import { errorCode } from '../../ground/net/error-text.ts'
import { portTaken } from '../../ground/net/port-taken.ts'
import { readPage } from '../../ground/net/read-page.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { type Answer, isAnswer } from '../../service/model/answer.ts'
import type { AgentBeside } from '../ports/agent-beside.ts'

/** Where an agent will listen; port 0 is not chosen yet. */
export interface AgentPorts {
  readonly node: string
  /** One address of the machine; absent: all of them. */
  readonly host?: string
  readonly port: number
  readonly statusPort: number
  readonly agentCheckPort?: number
}

/** What listens there: an agent of this node, another program, or a process that does not answer now. */
type Who = { readonly is: 'agent'; readonly answer?: Answer } | { readonly is: 'other' | 'silent' | 'nobody' }
type Ask = (signal: AbortSignal) => Promise<Who>

const MACHINE_ITSELF = '127.0.0.1'
const ASK_LIMIT_MS = 1_000
/** An agent that is about to close resets connections that it has not accepted: the next try may reach the other one. */
const TRIES = 2
const AGENT_CHECK_LINE = /^(up|down|up drain|up ready)\n$/
/** The length of an agent's line. */
const LINE_BYTES_MAX = 64

/**
 * The agent that already listens where this one will; undefined where no process does. A port may be shared with any process of
 * the same user that sets SO_REUSEPORT, as HAProxy does: the kernel would give that process half of the checks. So a process
 * that is no agent of this node is an error, UserError PORT_TAKEN; a process that does not answer may be an agent.
 */
export async function agentBeside(at: AgentPorts, clock: Clock, signal: AbortSignal): Promise<AgentBeside | undefined> {
  const address = at.host ?? MACHINE_ITSELF
  const asks: readonly (readonly [number | undefined, Ask])[] = [
    [at.statusPort, (limited) => askStatus(at, address, limited)],
    [at.port, (limited) => askName({ ...at, says: `Node: ${JSON.stringify(at.node)}` }, address, limited)],
    [at.agentCheckPort, (limited) => askLine({ address, port: at.agentCheckPort ?? 0 }, limited)],
  ]
  // All at once: there is little more time than one of them may take.
  const found = await Promise.all(
    asks.map(async ([port, ask]) =>
      port === undefined || port === 0 ? undefined : await whoIsAt({ port, at, ask, clock }, signal),
    ),
  )
  return found.every((who) => who === undefined) ? undefined : Object.assign({}, ...found)
}

/**
 * Whether this process may listen at one more port: no other process does, or one with the same page `/nodename`. Rejects with
 * UserError PORT_TAKEN for another program, or for one that does not answer.
 */
export async function mayShare(at: SharedPlace, clock: Clock, signal: AbortSignal): Promise<void> {
  const { port, host = MACHINE_ITSELF } = at
  const found = await whoIsAt({ port, at, ask: (limited) => askName(at, host, limited), clock }, signal)
  if (found?.silentPort !== undefined) throw await portTaken(port)
}

/** `says`: the whole page `/nodename`. */
type SharedPlace = Pick<AgentPorts, 'host' | 'port'> & { readonly says: string }

interface PortQuestion {
  readonly port: number
  readonly at: Pick<AgentPorts, 'host'>
  readonly ask: Ask
  readonly clock: Clock
}

async function whoIsAt({ port, at, ask, clock }: PortQuestion, signal: AbortSignal): Promise<AgentBeside | undefined> {
  let who: Who = { is: 'nobody' }
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (!(await isTaken(port, at.host))) return undefined
    who = await inTime(ask, clock, signal)
    if (who.is === 'agent') return present({ answer: who.answer })
  }
  if (who.is === 'silent') return { silentPort: port }
  throw await portTaken(port)
}

async function inTime(ask: Ask, clock: Clock, signal: AbortSignal): Promise<Who> {
  const over = new AbortController()
  const limited = AbortSignal.any([signal, over.signal])
  const limit = clock.sleep(ASK_LIMIT_MS, limited).then((): Who => ({ is: 'silent' }))
  try {
    return await Promise.race([ask(limited), limit])
  } finally {
    over.abort(OVER)
  }
}

/** A socket without SO_REUSEPORT shares its port with no other socket. */
export async function isTaken(port: number, host: string | undefined): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port, exclusive: true, ...present({ host }) })
    await once(server, 'listening')
  } catch (error) {
    // Other errors are reported when the port is opened.
    return errorCode(error) === 'EADDRINUSE'
  }
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return false
}

async function askStatus({ node, statusPort }: AgentPorts, address: string, signal: AbortSignal): Promise<Who> {
  const page = await readPage({ address, port: statusPort, path: '/probers' }, signal)
  if ('error' in page) return unread(page.code)
  const health = jsonObject(page.body)
  if (page.status !== 200 || health?.node !== node) return { is: 'other' }
  return { is: 'agent', ...(isAnswer(health.answer) ? { answer: health.answer } : {}) }
}

async function askName(
  { says, port }: Pick<SharedPlace, 'says' | 'port'>,
  address: string,
  signal: AbortSignal,
): Promise<Who> {
  const page = await readPage({ address, port, path: '/nodename' }, signal)
  if ('error' in page) return unread(page.code)
  return { is: page.status === 200 && page.body === says ? 'agent' : 'other' }
}

/** A process that does not speak HTTP is no agent; one that resets may be an agent that ends. */
const unread = (code: string): Who => ({
  is: code === 'ECONNREFUSED' ? 'nobody' : code.startsWith('HPE_') ? 'other' : 'silent',
})

async function askLine(at: { readonly address: string; readonly port: number }, signal: AbortSignal): Promise<Who> {
  const socket = connect({ host: at.address, port: at.port, signal }).setEncoding('utf8')
  let line = ''
  try {
    for await (const chunk of socket) {
      line += chunk
      if (line.length > LINE_BYTES_MAX) break
    }
  } catch (error) {
    signal.throwIfAborted()
    return unread(errorCode(error))
  } finally {
    socket.destroy()
  }
  return { is: AGENT_CHECK_LINE.test(line) ? 'agent' : 'other' }
}
