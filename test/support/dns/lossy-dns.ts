import { queryMessage, readReply } from '../../../src/dns/io/message.ts'
import type { DnsOutcome, DnsQuestion } from '../../../src/dns/model/dns.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import { type CheckParts, checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import { answerMessage, outsideMessage } from '../../../src/sim/dns/answer-message.ts'
import { ClusterZone } from '../../../src/sim/dns/cluster-zone.ts'
import { NAMESPACES, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { SeededRandom } from '../seeded-random.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import { objectsOf } from './dns-world.ts'

interface Setting {
  readonly seed: number
  /** Two where it is absent. */
  readonly pods?: number
  /** The share of the queries to a pod, counted from 0, that gets no answer from that place (`here`, or the node of a relay). */
  readonly loss: (place: string, pod: number) => number
  /** Where checks send from; `relays`: from two nodes as well. */
  readonly from?: 'node' | 'relays'
  /** Pods have other clients: an answer may take long. */
  readonly isLoaded?: true
}

const SERVICE = { address: '10.96.0.10', port: 53 }
const START = wallMs(Date.UTC(2026, 6, 1))
const TIMEOUT_MS = 1_000
const CHECK_LIMIT_MS = 600_000
const WAY_MS = 1
/** The mean of what a pod that has other clients takes. One answer in a thousand takes a hundred times as long. */
const LOADED_MS = 5
const never = new AbortController().signal

/** Checks of the DNS of an embedded cluster in virtual time, on ways that lose queries by chance. */
export class LossyDns {
  readonly #setting: Setting
  readonly #random: SeededRandom
  readonly #time = new VirtualTime({ startAt: START, turns: turnsOfLoop })
  readonly #zone: ClusterZone
  readonly #pods: number

  constructor(setting: Setting) {
    this.#setting = setting
    this.#random = new SeededRandom(setting.seed)
    this.#pods = setting.pods ?? 2
    const world = { store: new Store(), clock: this.#time, random: this.#random }
    for (const [namespace, name, clusterIP] of [
      ['default', 'kubernetes', '10.96.0.1'],
      ['kube-system', 'kube-dns', SERVICE.address],
      ['shop', 'cart', '10.96.7.7'],
    ] as const) {
      createObject(world as never, { resource: NAMESPACES, body: { metadata: { name: namespace } } })
      const spec = { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 53, protocol: 'UDP' }] }
      createObject(world as never, { resource: SERVICES, namespace, body: { metadata: { name, namespace }, spec } })
    }
    this.#zone = new ClusterZone(world as never, { zone: 'cluster.local', forwards: true })
  }

  /** One check, from its first query to its last. */
  next(): Promise<DnsCheck> {
    return this.#time.settle(checkDns(this.#parts(), never), CHECK_LIMIT_MS)
  }

  #parts(): CheckParts {
    const pods = Array.from({ length: this.#pods }, (_, at) => ({ address: `10.1.0.${at + 1}`, port: 53 }))
    const place = (node: string) => ({ asker: this.#askerAt(node), control: { reaches: async () => true } })
    const relays: CheckParts['relays'] = [
      {
        open: async (nodes) => ({
          relays: nodes.map((node) => ({ name: `relay-${node}`, node, isOpen: () => true, ...place(node) })),
          notes: [],
          isLacking: false,
          close: async () => [],
        }),
      },
    ]
    return {
      objects: objectsOf(SERVICE, pods),
      ...place('here'),
      node: 'elsewhere',
      loopback: { ask: async () => ({ kind: 'notAsked', text: 'forbidden' }) },
      clock: this.#time,
      random: this.#random,
      sought: {},
      timeoutMs: TIMEOUT_MS,
      ...(this.#setting.from === 'relays' ? { relays } : {}),
    }
  }

  #askerAt(place: string): DnsAsker {
    const any = (): number => Math.floor(this.#random.next() * this.#pods)
    const podAt = (address: string): number =>
      address === SERVICE.address ? any() : Number(address.split('.').at(-1)) - 1
    return {
      ask: ({ at, question, over, timeoutMs }) =>
        this.#asked({ place, pod: podAt(at.address), question, over, timeoutMs }),
      canary: (at) => {
        const pod = podAt(at.address)
        return {
          ask: (question, timeoutMs) => this.#asked({ place, pod, question, over: 'udp', timeoutMs }),
          close: () => undefined,
        }
      },
    }
  }

  async #asked({ place, pod, question, over, timeoutMs }: Asked): Promise<DnsOutcome> {
    // TCP sends again what is lost.
    const isLost = over === 'udp' && this.#random.next() < this.#setting.loss(place, pod)
    const afterMs = this.#tookMs()
    if (isLost || afterMs >= timeoutMs) {
      await this.#time.sleep(timeoutMs, never)
      return { kind: 'timeout' }
    }
    await this.#time.sleep(afterMs, never)
    const message = queryMessage(question, Math.floor(this.#random.next() * 0x1_00_00))
    const own = answerMessage(this.#zone, message.bytes)
    const reply = readReply((own === 'others' ? outsideMessage(message.bytes) : own) ?? Buffer.alloc(0), message)
    return typeof reply === 'string' ? { kind: 'timeout' } : { kind: 'reply', reply, afterMs }
  }

  #tookMs(): number {
    if (!this.#setting.isLoaded) return WAY_MS
    const isRare = this.#random.next() < 0.001
    return WAY_MS - Math.log(1 - this.#random.next()) * LOADED_MS * (isRare ? 100 : 1)
  }
}

interface Asked {
  readonly place: string
  readonly pod: number
  readonly question: DnsQuestion
  readonly over: 'udp' | 'tcp'
  readonly timeoutMs: number
}

/** What a check says, in a line: `Loses coredns-2`. */
export const saidBy = ({ findings }: Pick<DnsCheck, 'findings'>): string =>
  findings.map(({ code, subjects }) => [code, ...subjects.map(({ name }) => name)].join(' ')).join(', ')
