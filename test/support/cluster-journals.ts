import assert from 'node:assert/strict'
import { readLease, removeLease, writeLease } from '../../src/ground/kube/lease-store.ts'
import { ConfigMapJournalStore } from '../../src/roll/io/config-map-journal-store.ts'
import { objectName } from '../../src/roll/io/journal-segments.ts'
import { LeaseLocks } from '../../src/roll/run/lease-locks.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import { answerRequest } from '../../src/sim/world/answer-request.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { EmbeddedApi } from './embedded-api.ts'
import { SeededRandom } from './seeded-random.ts'

const NAMESPACE = 'evenkeel'
const NEVER = new AbortController().signal
const PASSES: Passage = { kind: 'passes' }

interface StoredConfigMap {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly binaryData?: object
}

/** One process with journals in the embedded cluster. */
export class JournalProcess {
  readonly store: ConfigMapJournalStore
  /** What becomes of its requests. */
  passage: (request: ApiRequest) => Passage = () => PASSES
  readonly warnings: string[] = []

  constructor(api: EmbeddedApi, seed: number) {
    const client = api.client((request) => this.passage(request))
    const [clock, random] = [api.time, new SeededRandom(seed)]
    const log = { debug: () => undefined, warn: (text: string) => void this.warnings.push(text) }
    const locks = new LeaseLocks({
      cluster: {
        readLease: (ref, signal) => readLease(client, ref, signal),
        writeLease: (lease, signal) => writeLease(client, lease, signal),
      },
      removeLease: (ref, signal) => removeLease(client, ref, signal),
      refOf: (run) => ({ namespace: NAMESPACE, name: objectName(run) }),
      ...{ clock, random, log },
    })
    this.store = new ConfigMapJournalStore(NAMESPACE, async () => ({
      ...{ client, clock, random, log, locks },
      namespace: NAMESPACE,
    }))
  }

  /** As by kill -9: it sends nothing more, and hears nothing more. */
  kill(): void {
    this.passage = () => ({ kind: 'silent' })
  }
}

/** Journals in the embedded cluster, and a person with kubectl. */
export class ClusterJournals {
  readonly api = new EmbeddedApi(NAMESPACE)
  readonly #person = this.api.client()
  #seed = 1

  process(): JournalProcess {
    this.#seed += 1
    return new JournalProcess(this.api, this.#seed)
  }

  done = <T>(work: Promise<T>): Promise<T> => this.api.time.settle(work, 300_000)

  /** The ConfigMaps of the journals. */
  async objects(): Promise<readonly StoredConfigMap[]> {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`
    const list = await this.done(this.#person.ask({ verb: 'list', resource: 'configmaps', path }, NEVER))
    return (list as { readonly items: readonly StoredConfigMap[] }).items
  }

  /** A request that arrives long after it was sent; the code of its answer. */
  carryOut(request: ApiRequest | undefined): number {
    assert.ok(request !== undefined)
    return answerRequest(this.api.world, request).code
  }

  async patch(name: string, body: object): Promise<void> {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${name}`
    await this.done(this.#person.ask({ verb: 'patch', resource: 'configmaps', path, body }, NEVER))
  }

  async delete(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${name}`
    await this.done(this.#person.ask({ verb: 'delete', resource: 'configmaps', path }, NEVER))
  }

  deleteLease(run: string): Promise<void> {
    return this.done(removeLease(this.#person, { namespace: NAMESPACE, name: objectName(run) }, NEVER))
  }

  /** All of a journal that has one segment. */
  put = (run: string, text: string | Buffer): Promise<void> =>
    this.patch(`${objectName(run)}-0`, { data: { 'journal.jsonl': text.toString() } })
}
