import { gunzipSync, gzipSync } from 'node:zlib'
import { type ApiCall, segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { askObject, findObject } from '../../ground/kube/api-object.ts'
import { listPages } from '../../ground/kube/list-pages.ts'
import type { Resource } from '../../ground/kube/resources.ts'
import { within } from '../../ground/kube/within.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Log } from '../../ground/ports/log.ts'

/** The lines of a segment, and who may write on. */
export interface SegmentContent {
  readonly bytes: Buffer
  /** A closed segment is stored compressed. It is never written again: the next line begins another segment. */
  readonly isClosed: boolean
  /** The process that has the run. */
  readonly holder: string
}

/** One ConfigMap of a journal. */
export interface Segment extends Omit<SegmentContent, 'bytes'> {
  readonly run: string
  readonly index: number
  readonly version: string
  /** Undefined: it was edited, and has no lines that can be read. */
  readonly bytes: Buffer | undefined
}

/** A name alone, with the run that its label names. */
export type SegmentName = Pick<Segment, 'run' | 'index'>

export interface SegmentParts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly log: Log
  readonly namespace: string
}

const RESOURCE = 'configmaps'
const KEY = 'journal.jsonl'
const CLOSED_KEY = 'journal.jsonl.gz'
export const RUN_LABEL = 'evenkeel.dev/run'
const INDEX_LABEL = 'evenkeel.dev/segment'
const HOLDER = 'evenkeel.dev/holder'
const LABELS = { 'app.kubernetes.io/name': 'evenkeel', 'app.kubernetes.io/component': 'roll-journal' }
const OURS = Object.entries(LABELS)
  .map(([key, value]) => `${key}=${value}`)
  .join(',')
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** No segment that we write has more text. What claims to is no journal of ours. */
const TEXT_BYTES_MAX = 64 * 1024 ** 2
/** An answer that takes longer is of no use to a roll that waits for it. */
const CALL_LIMIT_MS = 10_000
/** The journal outlives what the caller does. */
const NEVER = new AbortController().signal

/** A label has the name of the run as it is, the name of an object has it in lower case. */
export const isStorable = (run: string): boolean => /^[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?$/.test(run)

export const objectName = (run: string): string => `evenkeel-run-${run.toLowerCase()}`

/** What a segment has in its object, in bytes: the limit of an object is 1 MiB. */
export const storedBytes = (content: Pick<SegmentContent, 'bytes' | 'isClosed'>): number =>
  content.isClosed ? gzipSync(content.bytes).length : content.bytes.length

/** The ConfigMaps of the journals of one namespace. Every call rejects with WorldError KUBE_*. */
export class JournalSegments {
  readonly #parts: SegmentParts

  constructor(parts: SegmentParts) {
    this.#parts = parts
  }

  /** In order; of all runs, the first segments alone. */
  async list(run?: string): Promise<readonly Segment[]> {
    const which = run === undefined ? `${INDEX_LABEL}=0` : `${RUN_LABEL}=${run}`
    const { objects } = await listPages(this.#parts, this.#listed(which, parseSegment), NEVER)
    return objects.toSorted((left, right) => left.index - right.index)
  }

  /** All segments, without what is in them. */
  async names(): Promise<readonly SegmentName[]> {
    const kind = { ...this.#listed(RUN_LABEL, parseName), accept: METADATA }
    return (await listPages(this.#parts, kind, NEVER)).objects
  }

  read(name: SegmentName): Promise<Segment | undefined> {
    const call: ApiCall = { verb: 'get', resource: RESOURCE, path: this.#pathOf(name) }
    return this.#limited((signal) => findObject(this.#parts.client, { call, parse: parseSegment }, signal))
  }

  /** Creates it. KUBE_CONFLICT: it is there already. */
  create(name: SegmentName, content: SegmentContent): Promise<string> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: this.#metadataOf(name, content), ...dataOf(content) }
    return this.#written({ verb: 'create', resource: RESOURCE, path: this.#collection, body })
  }

  /** A patch and no PUT: labels of others stay. KUBE_CONFLICT: it is not what was read or written last. */
  replace(name: SegmentName, version: string, content: SegmentContent): Promise<string> {
    const { data, binaryData } = dataOf(content)
    const { labels, annotations } = this.#metadataOf(name, content)
    const body = [
      { op: 'test', path: '/metadata/resourceVersion', value: version },
      { op: 'add', path: '/metadata/labels', value: labels },
      { op: 'add', path: '/metadata/annotations', value: annotations },
      { op: 'add', path: '/data', value: data },
      { op: 'add', path: '/binaryData', value: binaryData },
    ]
    return this.#written({ verb: 'patch', resource: RESOURCE, path: this.#pathOf(name), body })
  }

  async remove(name: SegmentName): Promise<void> {
    try {
      await this.#limited((signal) =>
        this.#parts.client.ask({ verb: 'delete', resource: RESOURCE, path: this.#pathOf(name) }, signal),
      )
    } catch (error) {
      if (!(error instanceof WorldError && error.code === 'KUBE_NOT_FOUND')) throw error
    }
  }

  get #collection(): string {
    return `/api/v1/namespaces/${segment(this.#parts.namespace)}/configmaps`
  }

  #pathOf({ run, index }: SegmentName): string {
    return `${this.#collection}/${segment(`${objectName(run)}-${index}`)}`
  }

  #listed<T>(which: string, parse: (object: Untrusted) => T): Resource<T> {
    return { path: this.#collection, resource: RESOURCE, parse, query: { labelSelector: `${OURS},${which}` } }
  }

  #metadataOf({ run, index }: SegmentName, { holder }: SegmentContent) {
    return {
      name: `${objectName(run)}-${index}`,
      labels: { ...LABELS, [RUN_LABEL]: run, [INDEX_LABEL]: String(index) },
      annotations: { [HOLDER]: holder },
    }
  }

  #written(call: ApiCall): Promise<string> {
    const parse = (object: Untrusted): string => parseMetadata(object, 'namespaced').resourceVersion
    return this.#limited((signal) => askObject(this.#parts.client, { call, parse }, signal))
  }

  #limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const text = `the API server did not answer within ${CALL_LIMIT_MS / 1000} s`
    const late = (): Error => new WorldError(text, { code: 'KUBE_TIMEOUT', retry: 'backoff' })
    return within({ clock: this.#parts.clock, ms: CALL_LIMIT_MS, signal: NEVER, late }, work)
  }
}

const dataOf = ({ bytes, isClosed }: SegmentContent) => ({
  data: isClosed ? {} : { [KEY]: bytes.toString('utf8') },
  binaryData: isClosed ? { [CLOSED_KEY]: gzipSync(bytes).toString('base64') } : {},
})

function parseName(object: Untrusted): SegmentName {
  const { name, labels } = parseMetadata(object, 'namespaced')
  return { run: labels[RUN_LABEL] ?? '', index: Number(/-(\d{1,9})$/.exec(name)?.[1] ?? Number.NaN) }
}

function parseSegment(object: Untrusted): Segment {
  const { resourceVersion: version, annotations } = parseMetadata(object, 'namespaced')
  const closed = object.at('binaryData').at(CLOSED_KEY).optionalText()
  const open = object.at('data').at(KEY).optionalText()
  const bytes = closed === undefined ? open && Buffer.from(open) : inflated(closed)
  return {
    ...parseName(object),
    ...{ version, holder: annotations[HOLDER] ?? '', isClosed: closed !== undefined },
    bytes: open === '' ? Buffer.alloc(0) : bytes || undefined,
  }
}

function inflated(base64: string): Buffer | undefined {
  try {
    return gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: TEXT_BYTES_MAX })
  } catch {
    return undefined
  }
}
