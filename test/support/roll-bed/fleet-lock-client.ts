import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { zincatiId } from '../virtual-operator/zincati.ts'
import type { RollBed } from './roll-bed.ts'

interface Heard {
  /** 0: there was no answer. */
  readonly status: number
  readonly kind: string
  readonly value: string
}

type Verb = 'pre-reboot' | 'steady-state'

interface ClientParts {
  readonly opened: RollBed
  readonly node: string
  readonly baseUrl: string
  readonly token: string
}

/** Zincati waits a minute, or five: as often as that would show the same in a longer time. */
const AGAIN_MS = 1_000
const LIMIT_MS = 600_000
const STATUS = '%{http_code}'

/** What Zincati does on a machine of a bed. Each request is sent from the machine itself, by the way that its network has to the Service. */
export class FleetLockClient {
  readonly node: string
  readonly heard: Heard[] = []
  readonly #parts: ClientParts

  constructor(parts: ClientParts) {
    this.#parts = parts
    this.node = parts.node
  }

  async ask(verb: Verb, token = this.#parts.token): Promise<Heard> {
    const heard = await this.#send(verb, token)
    this.heard.push(heard)
    return heard
  }

  /** Asks until there is an answer: a Service takes a moment to hear that a replica has come or gone. */
  answered(verb: Verb, token: string): Promise<Heard> {
    return waitFor({ what: `an answer to ${this.node}`, limitMs: 60_000, everyMs: 200 }, async () => {
      const heard = await this.ask(verb, token)
      return heard.status === 0 ? undefined : heard
    })
  }

  /** Asks until it hears yes; `onNo` after each other answer. */
  async untilYes(verb: Verb, onNo: (heard: Heard) => Promise<void> = async () => undefined): Promise<void> {
    const explain = () => JSON.stringify(this.heard.slice(-3))
    const what = `a yes to ${verb} of ${this.node}`
    await waitFor({ what, limitMs: LIMIT_MS, everyMs: AGAIN_MS, explain }, async () => {
      const heard = await this.ask(verb)
      if (heard.status === 200) return true
      await onNo(heard)
      return undefined
    })
  }

  async reboot(): Promise<void> {
    await this.#parts.opened.bed.reboot(this.node)
  }

  async #send(verb: Verb, token: string): Promise<Heard> {
    const { opened, node, baseUrl } = this.#parts
    const { stdout: machineId } = await opened.bed.exec(node, ['cat', '/etc/machine-id'])
    const body = JSON.stringify({ client_params: { id: zincatiId(machineId.trim()), group: 'default' } }, null, 2)
    const url = new URL(`v1/${verb}`, baseUrl).href
    const about = ['-u', `node:${token}`, '-H', 'fleet-lock-protocol: true', '--data-binary', '@-']
    const words = ['curl', '-sS', '--max-time', '30', '-w', `\n${STATUS}`, ...about, url]
    const { code, stdout, stderr } = await opened.bed.exec(node, words, body)
    if (code !== 0) return { status: 0, kind: 'no_connection', value: stderr.trim() }
    const [text = '', status = ''] = stdout.trim().split(/\n(?=\d+$)/)
    return { status: Number(status), ...(JSON.parse(text) as Omit<Heard, 'status'>) }
  }
}
