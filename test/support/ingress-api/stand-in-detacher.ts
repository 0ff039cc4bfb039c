import type { RawApi } from '../raw-api.ts'
import type { ApiHistory } from './api-history.ts'
import { type ApiObject, annotationOf } from './api-object.ts'

interface Words {
  /** Of the annotation on a Node that asks. */
  readonly asked: string
  /** Of the annotation that answers. */
  readonly answered: string
}

/** As node-detacher does it: it writes when a node was detached, and removes that once the node is attached again. */
export class StandInDetacher {
  readonly #api: RawApi
  readonly #words: Words
  readonly #busy = new Set<string>()
  readonly failures: unknown[] = []
  #ended = false

  constructor({ history, api }: { readonly history: ApiHistory; readonly api: RawApi }, words: Words) {
    this.#api = api
    this.#words = words
    history.onChange(({ kind, type, object }) => {
      if (kind === 'nodes' && type !== 'DELETED') this.#look(object)
    })
    for (const node of history.now('nodes')) this.#look(node)
  }

  end(): void {
    this.#ended = true
  }

  #look(node: ApiObject): void {
    const { asked, answered } = this.#words
    const isAsked = annotationOf(node, asked) !== undefined
    if (this.#ended || isAsked === (annotationOf(node, answered) !== undefined)) return
    const { name, resourceVersion } = node.metadata
    // One answer to each version: the next version is told when this one was answered.
    if (this.#busy.has(`${name} ${resourceVersion}`)) return
    this.#busy.add(`${name} ${resourceVersion}`)
    const stamp = isAsked ? new Date().toISOString() : null
    const body = { metadata: { resourceVersion, annotations: { [answered]: stamp } } }
    this.#api('PATCH', `/api/v1/nodes/${name}`, body).then(
      ({ status, body: said }) => {
        if (status !== 200 && status !== 409 && status !== 404) this.failures.push(said)
      },
      (error: unknown) => {
        if (!this.#ended) this.failures.push(error)
      },
    )
  }
}
