import { WorldError } from '../../model/world-error.ts'
import type { NodePlace } from '../../ports/gate-source.ts'

/** RFC 1123 subdomain, as Kubernetes names nodes: it can be no option and nothing that a query language takes for syntax. */
const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const ADDRESS = /^[0-9a-fA-F.:]+$/

/** `{node}` and `{address}` replaced in each. Throws WorldError for what is no name or no address: it comes from the API. */
export function filledArguments(texts: readonly string[], { node, address }: NodePlace): readonly string[] {
  const has = (placeholder: string): boolean => texts.some((text) => text.includes(placeholder))
  if (has('{node}') && !NODE_NAME.test(node)) throw cannot('the node has no name to use')
  if (has('{address}') && (address === undefined || !ADDRESS.test(address)))
    throw cannot('the node has no internal address')
  const values = { node, address: address ?? '' }
  return texts.map((text) => text.replaceAll(/\{(node|address)\}/g, (_, name: keyof typeof values) => values[name]))
}

const cannot = (text: string): WorldError => new WorldError(text, { code: 'NODE_PLACE', retry: 'backoff' })
