import { WorldError } from '../../ground/model/world-error.ts'
import type { NodePlace } from '../ports/gate-source.ts'

/** As Kubernetes names nodes, or the roll file machines: it can be no option and nothing that a query language takes for syntax. */
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/
/** Of a node an IP address, of a machine also the name of its host. */
const ADDRESS = /^([0-9a-fA-F.:]+|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/

/** `{node}` and `{address}` replaced in each. Throws WorldError for what is no name or no address: it comes from the API. */
export function filledArguments(texts: readonly string[], { node, address }: NodePlace): readonly string[] {
  const has = (placeholder: string): boolean => texts.some((text) => text.includes(placeholder))
  if (has('{node}') && !NAME.test(node)) throw cannot('the node has no name to use')
  if (has('{address}') && (address === undefined || !ADDRESS.test(address)))
    throw cannot('the node has no internal address')
  const values = { node, address: address ?? '' }
  return texts.map((text) => text.replaceAll(/\{(node|address)\}/g, (_, name: keyof typeof values) => values[name]))
}

const cannot = (text: string): WorldError => new WorldError(text, { code: 'NODE_PLACE', retry: 'backoff' })
