import { isDeepStrictEqual } from 'node:util'
import { parseNode } from '../../src/ground/kube/parse-node.ts'
import type { JsonPatch } from '../../src/ground/model/json-patch.ts'
import type { Node, Taint } from '../../src/ground/model/node.ts'
import { Untrusted } from '../../src/ground/model/untrusted.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'

type Fields = Record<string, unknown>

export interface StoredNode {
  readonly name: string
  readonly bootId: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
}

/** Nodes as an API server keeps them: a JSON patch (RFC 6902) is made as a whole, or not at all where a test in it fails. */
export class NodeStore {
  readonly #nodes = new Map<string, Fields>()
  #version = 0
  /** The turn of another client, between the next reading of a node and what is written to it. */
  meanwhile: (() => void) | undefined

  /** As it is made, or made anew: with another uid. */
  make({ name, bootId, annotations, unschedulable, taints }: StoredNode): void {
    this.#put({
      metadata: { name, uid: `uid-${this.#version}`, ...(annotations === undefined ? {} : { annotations }) },
      spec: { ...(unschedulable === true ? { unschedulable } : {}), ...(taints === undefined ? {} : { taints }) },
      status: { nodeInfo: { bootID: bootId }, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    })
  }

  /** As it stands, without what each write changes. */
  seen(name: string): Fields {
    const { metadata, ...rest } = structuredClone(this.#stored(name))
    const { resourceVersion: _, ...kept } = metadata as Fields
    return { metadata: kept, ...rest }
  }

  /** As a person with kubectl would. */
  patch(name: string, patch: JsonPatch): Node {
    const object = structuredClone(this.#stored(name))
    for (const operation of patch) apply(object, operation)
    this.#put(object)
    return parsed(object)
  }

  readNode(name: string): Promise<Node | undefined> {
    const read = this.#nodes.get(name)
    const node = read === undefined ? undefined : parsed(read)
    this.meanwhile?.()
    this.meanwhile = undefined
    return Promise.resolve(node)
  }

  async patchNode(name: string, patch: JsonPatch): Promise<Node> {
    return this.patch(name, patch)
  }

  #stored(name: string): Fields {
    const object = this.#nodes.get(name)
    if (object === undefined)
      throw new WorldError(`nodes "${name}" not found`, { code: 'KUBE_NOT_FOUND', retry: 'never' })
    return object
  }

  #put(object: Fields): void {
    this.#version += 1
    const metadata: Fields = { ...(object.metadata as Fields), resourceVersion: String(this.#version) }
    this.#nodes.set(String(metadata.name), { ...object, metadata })
    Object.assign(object, { metadata })
  }
}

const parsed = (object: Fields): Node => parseNode(new Untrusted(object, 'node'))

const conflict = (path: string): WorldError =>
  new WorldError(`the patch does not apply at ${path}`, { code: 'KUBE_CONFLICT', retry: 'now' })

function apply(object: Fields, operation: JsonPatch[number]): void {
  const { op, path } = operation
  const tokens = path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = tokens.pop() ?? ''
  const parent = tokens.reduce<unknown>((at, token) => (at as Fields | undefined)?.[token], object)
  if (typeof parent !== 'object' || parent === null) throw conflict(path)
  const fields = parent as Fields
  if (op === 'test') {
    if (!isDeepStrictEqual(fields[last], operation.value)) throw conflict(path)
  } else if (op === 'add') {
    if (Array.isArray(parent)) parent.splice(last === '-' ? parent.length : Number(last), 0, operation.value)
    else fields[last] = operation.value
  } else {
    if (!(last in parent)) throw conflict(path)
    if (op === 'replace') fields[last] = operation.value
    else if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete fields[last]
  }
}
