import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'

interface Heard {
  readonly status: number
  readonly kind: string
  readonly value: string
}

/** coreos/zincati, src/update_agent: how often it asks again. */
const STAGED_AGAIN_MS = 60_000
const INITIALIZED_AGAIN_MS = 300_000
/** src/identity/mod.rs, APP_ID. */
const APP_ID = Buffer.from('de35106b6ec24688b63afddaa156679b', 'hex')

/** What `systemd-id128 machine-id --app-specific` prints for it. */
export function zincatiId(machineId: string): string {
  const id = createHmac('sha256', Buffer.from(machineId, 'hex')).update(APP_ID).digest().subarray(0, 16)
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x40
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80
  return id.toString('hex')
}

export function machineIdOf({ world }: VirtualCluster, name: string): string {
  const status = (world.store.get(NODES, { name })?.status ?? {}) as {
    readonly nodeInfo?: { readonly machineID?: string }
  }
  return status.nodeInfo?.machineID ?? ''
}

/** src/fleet_lock/mod.rs: a POST to a path below the base URL, with its header and this body. */
function post(baseUrl: string, api: string, { id, group }: { readonly id: string; readonly group: string }) {
  const { promise, resolve, reject } = Promise.withResolvers<Heard>()
  const url = new URL(api, baseUrl)
  const sent = request(
    url,
    {
      method: 'POST',
      agent: false,
      headers: { 'fleet-lock-protocol': 'true' },
      auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
    },
    (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(heardOf(response.statusCode ?? 0, text)))
    },
  )
  sent.on('error', reject)
  sent.end(JSON.stringify({ client_params: { id, group } }, null, 2))
  return promise
}

/** src/fleet_lock/mod.rs, map_response: what is no rejection in JSON is one of its own. */
function heardOf(status: number, text: string): Heard {
  try {
    return { status, ...(JSON.parse(text) as Omit<Heard, 'status'>) }
  } catch {
    return { status, kind: `generic_http_${status}`, value: '(unknown server error)' }
  }
}

interface ZincatiParts {
  readonly cluster: VirtualCluster
  readonly node: string
  readonly baseUrl: () => string
  readonly group?: string
  /** At the moment of a yes, before anything is done. */
  readonly onYes?: () => void
}

/** The state machine of Zincati on one machine, and its requests over a real connection. */
export class Zincati {
  state: 'initialized' | 'steady' | 'staged' | 'finalized' = 'initialized'
  /** An update is there. */
  wantsReboot = false
  /** It has heard that it may reboot, and people are logged in for ever. */
  isPostponed = false
  readonly heard: Heard[] = []
  readonly #parts: ZincatiParts
  #dueMs = 0
  #bootId: string | undefined

  constructor(parts: ZincatiParts) {
    this.#parts = parts
    this.#bootId = this.#machine()?.bootId
  }

  /** Its process is started anew. */
  restart(): void {
    this.state = 'initialized'
    this.#dueMs = 0
  }

  async tick(): Promise<void> {
    const machine = this.#machine()
    if (machine === undefined || !machine.isOn) return
    if (machine.bootId !== this.#bootId) {
      this.#bootId = machine.bootId
      this.wantsReboot = false
      this.restart()
    }
    const now = this.#parts.cluster.time.monoMs()
    if (now < this.#dueMs) return
    if (this.state === 'initialized') {
      const { status } = await this.ask('v1/steady-state')
      if (status >= 200 && status < 300) this.state = 'steady'
      else this.#dueMs = now + INITIALIZED_AGAIN_MS
    }
    if (this.state === 'steady' && this.wantsReboot) this.state = 'staged'
    if (this.state !== 'staged') return
    this.#dueMs = now + STAGED_AGAIN_MS
    const { status } = await this.ask('v1/pre-reboot')
    if (status < 200 || status >= 300) return
    this.#parts.onYes?.()
    if (this.isPostponed) return
    this.state = 'finalized'
    machine.reboot()
  }

  /** Virtual time goes on while the request is under way. A connection that is refused is no answer. */
  async ask(api: string): Promise<Heard> {
    const { baseUrl, cluster, node, group = 'default' } = this.#parts
    const id = zincatiId(machineIdOf(cluster, node))
    let isOver = false
    const answer = post(baseUrl(), api, { id, group })
      .catch((error: unknown): Heard => ({ status: 0, kind: 'no_connection', value: String(error) }))
      .finally(() => {
        isOver = true
      })
    while (!isOver) {
      await cluster.time.advance(5)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const heard = await answer
    this.heard.push(heard)
    return heard
  }

  #machine() {
    const { cluster, node } = this.#parts
    return cluster.machines.get(node)
  }
}
