import type { ApiClient } from '../../../ground/kube/api-client.ts'
import { listPages } from '../../../ground/kube/list-pages.ts'
import { within } from '../../../ground/kube/within.ts'
import { present } from '../../../ground/model/present.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Log } from '../../../ground/ports/log.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { DnsRelay, DnsRelays, OpenRelays } from '../../ports/dns-relays.ts'
import { ApiControl } from '../api-control.ts'
import { createRelayJob, deleteRelayJob, RELAY_PORT, type RelayJob, relayPods } from '../relay-jobs.ts'
import { connectRelay, type RelayState, relayError } from './connect-relay.ts'
import { RelayedAsker } from './relayed-asker.ts'
import type { RelayedSockets } from './relayed-sockets.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly namespace: string
  readonly image: string
}

/** What is there to be taken away. */
interface Made {
  readonly jobs: RelayJob[]
  readonly streams: RelayedSockets[]
}

/** Of an abort, which leaves nothing behind. */
const CLEANED_WITHIN_MS = 5_000

/** Relays are Jobs, one to a node, and are spoken to by port-forward. */
export class JobRelays implements DnsRelays {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async open(nodes: readonly string[], signal: AbortSignal): Promise<OpenRelays> {
    const { namespace, image, clock, random } = this.#parts
    const check = random.hex(6)
    const jobs = nodes.map(
      (node, at): RelayJob => ({ namespace, name: `evenkeel-dns-relay-${check}-${at + 1}`, node, check, image }),
    )
    const made: Made = { jobs: [], streams: [] }
    const settled = await Promise.allSettled(jobs.map((job) => this.#opened(job, made, signal)))
    const failed = settled.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') {
      const late = () => relayError('relays were not deleted in time')
      const limit = { clock, ms: CLEANED_WITHIN_MS, signal: new AbortController().signal, late }
      await within(limit, (limited) => this.#close(made, limited)).catch(() => undefined)
      throw failed.reason
    }
    const opened = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    return {
      relays: opened.flatMap((one) => (typeof one === 'string' ? [] : [one])),
      notes: opened.flatMap((one) => (typeof one === 'string' ? [one] : [])),
      isLacking: opened.some((one) => typeof one === 'string'),
      close: (closing) => this.#close(made, closing),
    }
  }

  /** The relay, or why there is none. */
  async #opened(job: RelayJob, made: Made, signal: AbortSignal): Promise<DnsRelay | string> {
    const { client, clock, random } = this.#parts
    const { node } = job
    let isCreated = false
    try {
      // Before it is known to be there: an answer that is lost leaves a Job as well.
      made.jobs.push(job)
      await createRelayJob(client, job, signal)
      isCreated = true
      const read = (limited: AbortSignal) => this.#seen(job, limited)
      const sockets = await connectRelay(this.#parts, { namespace: job.namespace, port: RELAY_PORT, read }, signal)
      made.streams.push(sockets)
      return {
        name: `relay ${node}`,
        node,
        asker: new RelayedAsker({ sockets, clock, random }),
        control: new ApiControl(sockets),
        isOpen: () => sockets.isOpen,
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      if (error instanceof WorldError && error.code === 'KUBE_FORBIDDEN' && !isCreated)
        made.jobs.splice(made.jobs.indexOf(job), 1)
      return `a relay on ${node} could not be started: ${error.message}`
    }
  }

  async #seen(job: RelayJob, signal: AbortSignal): Promise<RelayState | undefined> {
    const { client, log } = this.#parts
    const { objects } = await listPages({ client, log }, relayPods(job), signal)
    const found = objects.find(({ node }) => node === job.node)
    if (found === undefined) return undefined
    const { name: pod, phase, waitingFor } = found
    const is = phase === 'Running' ? 'running' : phase === 'Failed' || phase === 'Succeeded' ? 'ended' : 'waiting'
    return { pod, is, ...present({ waitingFor }) }
  }

  async #close({ streams, jobs }: Made, signal: AbortSignal): Promise<readonly string[]> {
    for (const stream of streams) stream.close()
    return (await Promise.all(jobs.map((job) => this.#remove(job, signal)))).flat()
  }

  async #remove(job: RelayJob, signal: AbortSignal): Promise<readonly string[]> {
    try {
      await deleteRelayJob(this.#parts.client, job, signal)
      return []
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return error.code === 'KUBE_NOT_FOUND'
        ? []
        : [`Job ${job.namespace}/${job.name} was not deleted (${error.message}): it ends by itself within a minute`]
    }
  }
}
