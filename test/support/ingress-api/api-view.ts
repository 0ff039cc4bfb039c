import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { administrator } from '../administrator.ts'
import { type ApiObject, type Kind, PATHS } from './api-object.ts'

export interface Change {
  readonly kind: Kind
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: ApiObject
  /** Of the store: one number counts the writes to all kinds. */
  readonly version: number
  /** When the watch told it, on the monotonic clock. */
  readonly atMs: number
}

const keyOf = ({ metadata: { namespace = '', name } }: ApiObject): string => `${namespace}/${name}`

export const emptyWorld = (): Record<Kind, Map<string, ApiObject>> => ({
  nodes: new Map(),
  pods: new Map(),
  deployments: new Map(),
  daemonSets: new Map(),
  gates: new Map(),
  slots: new Map(),
  objects: new Map(),
  originals: new Map(),
  guards: new Map(),
})

export function put(world: Record<Kind, Map<string, ApiObject>>, { kind, type, object }: Change): void {
  if (type === 'DELETED') world[kind].delete(keyOf(object))
  else world[kind].set(keyOf(object), object)
}

/** Longer than any test. */
const WATCH_SECONDS = 24 * 60 * 60

/** What a real API server tells of the kinds, from its watches, as it is now. */
export class ApiView {
  readonly #now = emptyWorld()
  readonly #hearers: ((change: Change) => void)[] = []
  readonly #server: string
  readonly #agent: Agent
  readonly #replies = new Set<IncomingMessage>()
  #closed = false
  #broken: string | undefined

  constructor(kubeconfig: string) {
    const { server, tls } = administrator(kubeconfig)
    this.#server = server
    this.#agent = new Agent({ ...tls, keepAlive: false })
  }

  async follow(kinds: readonly Kind[]): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#watch(kind)))
  }

  onChange(hear: (change: Change) => void): void {
    this.#hearers.push(hear)
  }

  /** Throws where a watch has ended: then nothing is known. */
  mustBeWhole(): void {
    if (this.#broken !== undefined) throw new Error(this.#broken)
  }

  /** As they are now, as far as is known. */
  now(kind: Kind): readonly ApiObject[] {
    this.mustBeWhole()
    return [...this.#now[kind].values()]
  }

  /** Of an object without a namespace. */
  get(kind: Kind, name: string): ApiObject | undefined {
    this.mustBeWhole()
    return this.#now[kind].get(`/${name}`)
  }

  close(): void {
    this.#closed = true
    for (const reply of this.#replies) reply.destroy()
    this.#agent.destroy()
  }

  /** When a watch ends, the next one starts at the last version that was received, so that no change is missed in between. */
  async #watch(kind: Kind): Promise<void> {
    let from = await this.#list(kind)
    const first = await this.#watched(kind, from)
    const go = async (reply: IncomingMessage): Promise<void> => {
      for await (const line of createInterface({ input: reply })) from = this.#hear(kind, line)
      if (!this.#closed) await go(await this.#watched(kind, from))
    }
    go(first).catch((error: unknown) => {
      if (!this.#closed) this.#broken = `the watch of ${kind} has ended, so changes were missed: ${error}`
    })
  }

  async #list(kind: Kind): Promise<string> {
    const list = JSON.parse(await text(await this.#get(PATHS[kind]))) as {
      readonly metadata: { readonly resourceVersion: string }
      readonly items: readonly ApiObject[]
    }
    for (const object of list.items) this.#note({ kind, type: 'ADDED', object })
    return list.metadata.resourceVersion
  }

  async #watched(kind: Kind, from: string): Promise<IncomingMessage> {
    const reply = await this.#get(`${PATHS[kind]}?watch=true&resourceVersion=${from}&timeoutSeconds=${WATCH_SECONDS}`)
    this.#replies.add(reply)
    reply.once('close', () => this.#replies.delete(reply))
    return reply
  }

  /** Right after a kind was defined its storage is made anew, and the API server asks for patience. */
  #get(path: string): Promise<IncomingMessage> {
    return waitFor({ what: path, limitMs: 30_000, everyMs: 200 }, async () => {
      const reply = await this.#ask(path)
      if (reply.statusCode === 200) return reply
      const said = await text(reply)
      if (reply.statusCode !== 429) throw new Error(`${path}: ${reply.statusCode} ${said}`)
      return undefined
    })
  }

  #ask(path: string): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = request(`${this.#server}${path}`, { agent: this.#agent })
    sent.once('error', reject)
    sent.once('response', resolve)
    sent.end()
    return promise
  }

  /** The version that it tells of. */
  #hear(kind: Kind, line: string): string {
    const { type, object } = JSON.parse(line) as { readonly type: Change['type']; readonly object: ApiObject }
    if (!['ADDED', 'MODIFIED', 'DELETED'].includes(type)) throw new Error(line)
    this.#note({ kind, type, object })
    return object.metadata.resourceVersion
  }

  #note({ kind, type, object }: Pick<Change, 'kind' | 'type' | 'object'>): void {
    const change = { kind, type, object, version: Number(object.metadata.resourceVersion), atMs: performance.now() }
    put(this.#now, change)
    for (const hear of this.#hearers) hear(change)
  }
}
